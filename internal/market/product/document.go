package product

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"stoa/internal/errs"
)

// MaxCatalog is the size of the largest catalog in bytes. Reading one takes about 25 times as much
// memory.
const MaxCatalog = 32 << 20

// Document is what somebody wrote about products: a catalog, or a single product. It is read to its
// end, and every fault is noted with its path and line: whoever edits a file of a thousand lines
// wants to see all of them. docs/catalog.md describes the format.
type Document struct {
	// Products are those before the first fault, with icons and screenshots as they are written.
	Products []Product

	// Files are the icons and screenshots that name a file beside the catalog, Stored those that
	// name a picture that stoa keeps.
	Files, Stored []PictureRef

	// saysPublished has the slugs of products that say whether they are published.
	saysPublished map[string]bool

	issues errs.Issues
	// files allows pictures to be files beside the catalog: "./icon.svg".
	files bool
	// bare is for a document that nobody wrote line by line: one product in a request. Faults name
	// no lines, unknown fields are ignored (CONTRACT 1), and an empty text counts as absent where a
	// text is required, because answers show it so.
	bare bool
}

// ReadCatalog reads a catalog in YAML, or in JSON, which is YAML too. With files, pictures may be
// files beside it.
func ReadCatalog(data []byte, files bool) *Document {
	d := &Document{files: files, saysPublished: make(map[string]bool)}
	d.readCatalog(data)
	return d
}

// ReadProduct reads the JSON of one product. It returns an error for what is not JSON.
func ReadProduct(data []byte) (*Document, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	d := &Document{bare: true}
	d.Products = []Product{reader{Document: d}.product(root, "")}
	return d, nil
}

func (d *Document) readCatalog(data []byte) {
	if len(data) > MaxCatalog {
		d.issues.Add("", errs.CodeOutOfRange, "the catalog is larger than %d MiB.", MaxCatalog>>20)
		return
	}
	root, err := parseTree(data)
	if errors.Is(err, errNotUnicode) {
		d.issues.Add("", errs.CodeNotUnicode, "%s.", err)
		return
	} else if err != nil {
		d.issues.Add("", errs.CodeMalformed, "%s.", err)
		return
	}
	o := d.object(root, "", "currency", "products")
	o.required("products")
	currency := o.currency()
	slugs := make(map[string]bool)
	o.entries("products", func(n *yaml.Node, path string) {
		p := reader{Document: d, currency: currency}.product(n, path)
		if p.Slug != "" && slugs[p.Slug] {
			d.fault(n, path+".slug", errs.CodeDuplicate, "another product has the slug %q too.", p.Slug)
		}
		slugs[p.Slug] = true
		d.saysPublished[p.Slug] = givesField(n, "published")
		if d.issues.Len() == 0 { // otherwise nobody wants them, and millions fit into a file
			d.Products = append(d.Products, p)
		}
	})
}

// givesField reports whether a mapping has a value for a field.
func givesField(n *yaml.Node, name string) bool {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1].ShortTag() != "!!null"
		}
	}
	return false
}

// Err returns VALIDATION_ERROR with everything that is wrong, or nil.
func (d *Document) Err() error { return d.issues.Err() }

func (d *Document) fault(n *yaml.Node, path, code, format string, args ...any) {
	if d.bare {
		d.issues.Add(path, code, "%s", placed(path, fmt.Sprintf(format, args...)))
		return
	}
	d.issues.Add(path, code, "line %d: "+format, append([]any{n.Line}, args...)...)
}

// placed returns a fault as a sentence that says by itself where it is.
func placed(path, message string) string {
	field := path[strings.LastIndex(path, ".")+1:]
	for _, subject := range []string{"this ", field + " "} {
		if rest, ok := strings.CutPrefix(message, subject); ok {
			return path + " " + rest
		}
	}
	return path + ": " + message
}

// otherwise returns what only the author of a file has to know.
func (d *Document) otherwise(hint string) string {
	if d.bare {
		return ""
	}
	return hint
}
