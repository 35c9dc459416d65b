package product

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"stoa/internal/base/errs"
)

// MaxCatalog is the size of the largest catalog in bytes. Reading one takes about 25 times as much
// memory.
const MaxCatalog = 32 << 20

// Document is a catalog or a single product after reading. Reading goes on after a fault and records
// every fault with its path and line, so that the author of a long file sees them all at once.
// docs/catalog.md describes the format.
type Document struct {
	// Products are the products before the first fault. Their icons and screenshots are still as the
	// document spells them.
	Products []Product

	// Files are the icons and screenshots that name a file next to the catalog. Stored are those that
	// name a picture in stoa's own media.
	Files, Stored []PictureRef

	// statesPublished has the slugs of the products whose published field is given.
	statesPublished map[string]bool

	issues errs.Issues
	// files allows pictures to be files next to the catalog: "./icon.svg".
	files bool
	// bare is set for a product in an API request. Faults have no line numbers, unknown fields are
	// ignored (contract 1.5), and an empty string counts as absent, because answers show absent texts
	// that way.
	bare bool
}

// ReadCatalog reads a catalog in YAML or JSON. files allows pictures to be files next to the catalog.
// Document.Err returns what is wrong with it.
func ReadCatalog(data []byte, files bool) *Document {
	d := &Document{files: files, statesPublished: make(map[string]bool)}
	d.readCatalog(data)
	return d
}

// ReadProduct reads one product from JSON. The error is for data that is not JSON; Document.Err
// returns what is wrong with the product.
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
		d.statesPublished[p.Slug] = hasValue(n, "published")
		if d.issues.Len() == 0 { // a faulty catalog is not imported, and millions of products fit into a file
			d.Products = append(d.Products, p)
		}
	})
}

// hasValue reports whether a mapping has a value other than null for a field.
func hasValue(n *yaml.Node, name string) bool {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1].ShortTag() != "!!null"
		}
	}
	return false
}

// Err returns VALIDATION_ERROR with every fault of the document, or nil if it has none.
func (d *Document) Err() error { return d.issues.Err() }

func (d *Document) fault(n *yaml.Node, path, code, format string, args ...any) {
	if d.bare {
		d.issues.Add(path, code, "%s", placed(path, fmt.Sprintf(format, args...)))
		return
	}
	d.issues.Add(path, code, "line %d: "+format, append([]any{n.Line}, args...)...)
}

// placed returns a fault as a sentence that names its field, for answers, which show no paths
// beside their messages.
func placed(path, message string) string {
	field := path[strings.LastIndex(path, ".")+1:]
	for _, subject := range []string{"this ", field + " "} {
		if rest, ok := strings.CutPrefix(message, subject); ok {
			return path + " " + rest
		}
	}
	return path + ": " + message
}

// fileHint returns a hint that is of use to the author of a file only, or "" for a request.
func (d *Document) fileHint(hint string) string {
	if d.bare {
		return ""
	}
	return hint
}
