package product

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// MediaPath is the path below which stoa serves its own pictures.
const MediaPath = "/media/"

// PictureRef is a picture that a document refers to: a file, by its path relative to the document,
// or a stored picture, by its path below MediaPath.
type PictureRef struct {
	Slug string // of the product
	Ref  string // as the document spells it

	product    int // index in Document.Products
	screenshot int // index in Screenshots, or -1 for the icon
	node       *yaml.Node
	path       string // for faults
}

// FaultAt records that a picture cannot be used.
func (d *Document) FaultAt(at PictureRef, format string, args ...any) {
	d.fault(at.node, at.path, errs.CodeBadMedia, format, args...)
}

// Place replaces the reference to a file with the address of the stored picture.
func (d *Document) Place(at PictureRef, address string) {
	if p := &d.Products[at.product]; at.screenshot < 0 {
		p.Icon = address
	} else {
		p.Screenshots[at.screenshot] = address
	}
}

// pictures reads the icon and the screenshots of the product that will have that index.
func (r reader) pictures(o object, product int) (icon string, screenshots []string) {
	at := PictureRef{Slug: r.slug, product: product}
	if n, ok := o.get("icon"); ok {
		at.screenshot, at.node, at.path = -1, n, o.at("icon")
		icon = r.picture(at)
	}
	o.list("screenshots", func(n *yaml.Node, path string) {
		at.screenshot, at.node, at.path = len(screenshots), n, path
		screenshots = append(screenshots, r.picture(at))
	})
	return icon, screenshots
}

// picture returns the reference at that place, and notes it in Stored or Files.
func (r reader) picture(at PictureRef) string {
	at.Ref = r.text(at.node, at.path, maxParagraph)
	switch {
	case at.Ref == "":
	case strings.HasPrefix(at.Ref, MediaPath) && isAddress(at.Ref):
		r.Stored = append(r.Stored, at)
	case isAddress(at.Ref):
	case strings.HasPrefix(at.Ref, "./") && r.files:
		r.Files = append(r.Files, at)
	case r.files:
		r.FaultAt(at, "%q must be a file next to the catalog (./media/icon.svg), an https address, "+
			"or a path on this server (/…).", text.Clip(at.Ref))
	default:
		r.FaultAt(at, "%q must be an https address, or a path on this server (/…), "+
			"such as that of an uploaded picture.", text.Clip(at.Ref))
	}
	return at.Ref
}

// isAddress reports whether a reference is an https address without credentials or a path on this
// server, and means the same to a browser, which reads a backslash as a slash and skips tabs. It
// refuses characters that could end the attribute or the style that it is written into.
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

// ReplacePictures replaces the address of each stored picture with what place returns for its name.
// It stops at the first error of place and returns it.
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
	return p.Icon == ref || slices.Contains(p.Screenshots, ref)
}
