package market

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
	"golang.org/x/image/webp"

	"stoa/internal/errs"
)

// MaxPicture is the size of the largest picture in bytes.
const MaxPicture = 2 << 20

// mediaPath is where stoa serves the pictures it keeps.
const mediaPath = "/media/"

// mediaRef is a picture that a catalogue names: by a path relative to itself, or
// by the path of one that stoa keeps.
type mediaRef struct {
	slug       string // of the product
	product    int    // index in Catalog.Products
	screenshot int    // index in Screenshots, or -1 for the icon
	ref        string
	node       *yaml.Node
	path       string // for issues
}

// media reads icon and screenshots of the product that will have that index.
func (r productReader) media(o object, product int) (icon string, screenshots []string) {
	read := func(n *yaml.Node, path string, screenshot int) string {
		ref := r.text(n, path, maxParagraph)
		switch {
		case ref == "":
		case strings.HasPrefix(ref, mediaPath) && isAddress(ref):
			r.catalog.stored = append(r.catalog.stored, mediaRef{slug: r.slug, ref: ref, node: n, path: path})
		case isAddress(ref):
		case strings.HasPrefix(ref, "./") && r.files:
			r.catalog.files = append(r.catalog.files, mediaRef{product: product, screenshot: screenshot, ref: ref, node: n, path: path})
		case r.files:
			r.fault(n, path, "bad_media", "%q must be a file beside the catalogue (./media/icon.svg), an https address, or a path on this server (/…).", clip(ref))
		default:
			r.fault(n, path, "bad_media", "%q must be an https address, or a path on this server (/…), such as that of an uploaded picture.", clip(ref))
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

// isAddress reports whether a reference is an https address without user and
// password, or a path on this server, for browsers too: they take a backslash for
// a slash, and pass over tabs. Whatever could end an attribute or a style that it
// is put into is refused.
func isAddress(ref string) bool {
	if strings.ContainsFunc(ref, func(r rune) bool { return unicode.IsSpace(r) || misleading(r) || strings.ContainsRune("\\\"'`<>", r) }) {
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

// readMedia returns a picture that a catalogue in the folder dir of fsys names,
// and its extension. Its errors are sentences for the catalogue's author.
func readMedia(fsys fs.FS, dir, ref string) (content []byte, extension string, err error) {
	name := path.Join(dir, ref)
	// The folder is the limit even where the file system would go further.
	if !fs.ValidPath(name) || dir != "." && !strings.HasPrefix(name, dir+"/") {
		return nil, "", errors.New("it is outside of the catalogue's folder")
	}
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", errors.New("there is no such file")
	} else if err != nil {
		return nil, "", errors.New("it can not be opened")
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, "", errors.New("it is not a file")
	}
	content, err = io.ReadAll(io.LimitReader(f, MaxPicture+1))
	if err != nil {
		return nil, "", errors.New("it can not be read")
	}
	if len(content) > MaxPicture {
		return nil, "", fmt.Errorf("it is larger than %d MiB", MaxPicture>>20)
	}
	extension = strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	if extension == "jpeg" {
		extension = "jpg"
	}
	check, known := mediaChecks[extension]
	if !known {
		return nil, "", errors.New("it must be a .svg, .png, .jpg or .webp file")
	}
	if err := check(content); err != nil {
		return nil, "", err
	}
	return content, extension, nil
}

// mediaChecks tell by the content whether a file is what its name says. Their
// errors are sentences for people.
var mediaChecks = map[string]func([]byte) error{
	"png":  isBitmap("png", png.DecodeConfig),
	"jpg":  isBitmap("jpg", jpeg.DecodeConfig),
	"webp": isBitmap("webp", webp.DecodeConfig),
	"svg":  checkSVG,
}

// maxSide is how many pixels a bitmap may be wide and high: browsers hold all of
// them in memory.
const maxSide = 10_000

// isBitmap returns a check of the headers that decode reads.
func isBitmap(extension string, decode func(io.Reader) (image.Config, error)) func([]byte) error {
	return func(b []byte) error {
		switch c, err := decode(bytes.NewReader(b)); {
		case err != nil || c.Width < 1 || c.Height < 1:
			return fmt.Errorf("its content is not that of a .%s file", extension)
		case c.Width > maxSide || c.Height > maxSide:
			return fmt.Errorf("%w: %d × %d", errTooWide, c.Width, c.Height)
		}
		return nil
	}
}

var errTooWide = fmt.Errorf("it has more than %d pixels on a side", maxSide)

// extensionOf returns the extension of a picture by its content, or an error
// that says what is wrong with it.
func extensionOf(content []byte) (string, error) {
	for _, extension := range []string{"png", "jpg", "webp"} {
		if err := mediaChecks[extension](content); err == nil || errors.Is(err, errTooWide) {
			return extension, err
		}
	}
	if text := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), " \t\r\n"); bytes.HasPrefix(text, []byte("<")) {
		return "svg", checkSVG(content)
	}
	return "", errors.New("it is not an SVG, PNG, JPEG or WebP picture")
}

// checkStored reports the pictures that should be here and are not, but for those
// that their product shows already: a picture that got lost must not keep the rest
// from being changed or imported.
func (s *Service) checkStored(ctx context.Context, d *document, refs []mediaRef) error {
	seen := make(map[string]bool)
	for _, m := range refs {
		there, known := seen[m.ref]
		if !known {
			file, err := s.Media.Get(ctx, strings.TrimPrefix(m.ref, mediaPath))
			switch {
			case err == nil:
				there = true
				if err := file.Close(); err != nil {
					return err
				}
			case !errors.Is(err, fs.ErrNotExist):
				return err
			}
			seen[m.ref] = there
		}
		if there {
			continue
		}
		if has, err := s.showsPicture(ctx, m); err != nil {
			return err
		} else if !has {
			d.fault(m.node, m.path, "bad_media", "there is no picture %s here; upload it first.", m.ref)
		}
	}
	return nil
}

// showsPicture reports whether the product that a picture is for has it already.
func (s *Service) showsPicture(ctx context.Context, m mediaRef) (bool, error) {
	p, err := s.product(ctx, m.slug)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return p.Icon == m.ref || slices.Contains(p.Screenshots, m.ref), nil
}
