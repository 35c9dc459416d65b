package market

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"
)

// MaxPicture is the size of the largest picture in bytes.
const MaxPicture = 2 << 20

// mediaPath is where stoa serves the pictures it keeps.
const mediaPath = "/media/"

// mediaRef is a picture that a catalogue names: by a path relative to itself, or
// by the path of one that stoa keeps.
type mediaRef struct {
	product    int // index in Catalog.Products
	screenshot int // index in Screenshots, or -1 for the icon
	ref        string
	node       *yaml.Node
	path       string // for issues
}

// media reads icon and screenshots of the product that will have that index.
func (r productReader) media(o object, product int) (icon string, screenshots []string) {
	read := func(n *yaml.Node, path string, screenshot int) string {
		ref := r.text(n, path, maxParagraph)
		switch u, err := url.Parse(ref); {
		case ref == "" || err == nil && u.Scheme == "https" && u.Host != "":
		case strings.HasPrefix(ref, mediaPath):
			r.catalog.stored = append(r.catalog.stored, mediaRef{ref: ref, node: n, path: path})
		case strings.HasPrefix(ref, "/") && !strings.HasPrefix(ref, "//"):
		case strings.HasPrefix(ref, "./") && r.files:
			r.catalog.files = append(r.catalog.files, mediaRef{product: product, screenshot: screenshot, ref: ref, node: n, path: path})
		case r.files:
			r.fault(n, path, "bad_media", "%q must be a file beside the catalogue (./media/icon.svg), an https address, or a path on this server (/…).", ref)
		default:
			r.fault(n, path, "bad_media", "%q must be an https address, or a path on this server (/…), such as that of an uploaded picture.", ref)
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
	"png":  starts("png", "\x89PNG\r\n\x1a\n"),
	"jpg":  starts("jpg", "\xff\xd8\xff"),
	"webp": isWebP,
	"svg":  checkSVG,
}

func starts(extension, magic string) func([]byte) error {
	return func(b []byte) error {
		if !bytes.HasPrefix(b, []byte(magic)) {
			return fmt.Errorf("its content is not that of a .%s file", extension)
		}
		return nil
	}
}

func isWebP(b []byte) error {
	if len(b) > 12 && bytes.HasPrefix(b, []byte("RIFF")) && bytes.HasPrefix(b[8:], []byte("WEBP")) {
		return nil
	}
	return errors.New("its content is not that of a .webp file")
}

// extensionOf returns the extension of a picture by its content, or an error
// that says what is wrong with it.
func extensionOf(content []byte) (string, error) {
	for _, extension := range []string{"png", "jpg", "webp"} {
		if mediaChecks[extension](content) == nil {
			return extension, nil
		}
	}
	if text := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), " \t\r\n"); bytes.HasPrefix(text, []byte("<")) {
		return "svg", checkSVG(content)
	}
	return "", errors.New("it is not an SVG, PNG, JPEG or WebP picture")
}

// checkStored reports the pictures that should be here and are not.
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
		if !there {
			d.fault(m.node, m.path, "bad_media", "there is no picture %s here; upload it first.", m.ref)
		}
	}
	return nil
}
