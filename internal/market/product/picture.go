package product

import (
	"net/url"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"stoa/internal/errs"
	"stoa/internal/text"
)

// MediaPath is the path below which stoa serves the pictures it keeps.
const MediaPath = "/media/"

// PictureRef is a picture that a document names: by a path relative to itself, or by the path of
// one that stoa keeps.
type PictureRef struct {
	Slug string // of the product
	Ref  string // as it is written

	product    int // index in Document.Products
	screenshot int // index in Screenshots, or -1 for the icon
	node       *yaml.Node
	path       string // for faults
}

// FaultAt notes that a picture cannot be used.
func (d *Document) FaultAt(at PictureRef, format string, args ...any) {
	d.fault(at.node, at.path, errs.CodeBadMedia, format, args...)
}

// Place puts the address of a picture that was stored in the place of its file.
func (d *Document) Place(at PictureRef, address string) {
	if p := &d.Products[at.product]; at.screenshot < 0 {
		p.Icon = address
	} else {
		p.Screenshots[at.screenshot] = address
	}
}

// pictures reads icon and screenshots of the product that will have that index.
func (r reader) pictures(o object, product int) (icon string, screenshots []string) {
	read := func(n *yaml.Node, path string, screenshot int) string {
		ref := r.text(n, path, maxParagraph)
		at := PictureRef{Slug: r.slug, Ref: ref, product: product, screenshot: screenshot, node: n, path: path}
		switch {
		case ref == "":
		case strings.HasPrefix(ref, MediaPath) && isAddress(ref):
			r.Stored = append(r.Stored, at)
		case isAddress(ref):
		case strings.HasPrefix(ref, "./") && r.files:
			r.Files = append(r.Files, at)
		case r.files:
			r.fault(n, path, errs.CodeBadMedia,
				"%q must be a file beside the catalog (./media/icon.svg), an https address, or a path on this server (/…).",
				text.Clip(ref))
		default:
			r.fault(n, path, errs.CodeBadMedia,
				"%q must be an https address, or a path on this server (/…), such as that of an uploaded picture.",
				text.Clip(ref))
		}
		return ref
	}
	if n, ok := o.get("icon"); ok {
		icon = read(n, o.at("icon"), -1)
	}
	o.list("screenshots", func(n *yaml.Node, path string) {
		screenshots = append(screenshots, read(n, path, len(screenshots)))
	})
	return icon, screenshots
}

// isAddress reports whether a reference is an https address without user and password, or a path on
// this server, also for browsers: they take a backslash for a slash, and skip tabs. Whatever could
// end an attribute or a style that it is put into is refused.
func isAddress(ref string) bool {
	hostile := func(r rune) bool {
		return unicode.IsSpace(r) || text.Misleading(r) || strings.ContainsRune("\\\"'`<>", r)
	}
	if strings.ContainsFunc(ref, hostile) {
		return false
	}
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return false
	case u.Scheme == "https":
		return u.Hostname() != "" && u.User == nil
	}
	return strings.HasPrefix(ref, "/") && !strings.HasPrefix(ref, "//") && u.Scheme == "" && u.Host == ""
}

// ReplacePictures gives each picture that stoa keeps the address that place returns for its name.
// It ends with the first error of place.
func (p *Product) ReplacePictures(place func(name string) (string, error)) error {
	pictures := []*string{&p.Icon}
	for i := range p.Screenshots {
		pictures = append(pictures, &p.Screenshots[i])
	}
	for _, at := range pictures {
		name, kept := strings.CutPrefix(*at, MediaPath)
		if !kept {
			continue
		}
		address, err := place(name)
		if err != nil {
			return err
		}
		*at = address
	}
	return nil
}

// Shows reports whether ref is the product's icon or one of its screenshots.
func (p *Product) Shows(ref string) bool {
	if p.Icon == ref {
		return true
	}
	for _, s := range p.Screenshots {
		if s == ref {
			return true
		}
	}
	return false
}
