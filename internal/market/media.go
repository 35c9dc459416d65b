package market

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxMedia is the size of the largest picture in bytes.
const maxMedia = 2 << 20

// mediaRef is a picture that a catalogue names by a path relative to itself.
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
		case strings.HasPrefix(ref, "/") && !strings.HasPrefix(ref, "//"):
		case strings.HasPrefix(ref, "./"):
			r.catalog.refs = append(r.catalog.refs, mediaRef{product: product, screenshot: screenshot, ref: ref, node: n, path: path})
		default:
			r.fault(n, path, "bad_media", "%q must be a file beside the catalogue (./media/icon.svg), an https address, or a path on this server (/…).", ref)
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
	content, err = io.ReadAll(io.LimitReader(f, maxMedia+1))
	if err != nil {
		return nil, "", errors.New("it can not be read")
	}
	if len(content) > maxMedia {
		return nil, "", fmt.Errorf("it is larger than %d MiB", maxMedia>>20)
	}
	extension = strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	if extension == "jpeg" {
		extension = "jpg"
	}
	is, known := mediaChecks[extension]
	switch {
	case !known:
		return nil, "", errors.New("it must be a .svg, .png, .jpg or .webp file")
	case !is(content):
		return nil, "", fmt.Errorf("its content is not that of a .%s file", extension)
	}
	return content, extension, nil
}

// mediaChecks tell by the content whether a file is what its name says.
var mediaChecks = map[string]func([]byte) bool{
	"png": func(b []byte) bool { return bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) },
	"jpg": func(b []byte) bool { return bytes.HasPrefix(b, []byte("\xff\xd8\xff")) },
	"webp": func(b []byte) bool {
		return len(b) > 12 && bytes.HasPrefix(b, []byte("RIFF")) && bytes.HasPrefix(b[8:], []byte("WEBP"))
	},
	"svg": isSVG,
}

// isSVG reports whether b is a well-formed XML document with the root svg, and
// without a document type, which could declare entities. Scripts in it are kept
// from running by the headers it is served with.
func isSVG(b []byte) bool {
	dec := xml.NewDecoder(bytes.NewReader(b))
	root := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return root
		} else if err != nil {
			return false
		}
		switch t := token.(type) {
		case xml.Directive:
			return false
		case xml.StartElement:
			if !root && (t.Name.Local != "svg" || t.Name.Space != "http://www.w3.org/2000/svg") {
				return false
			}
			root = true
		}
	}
}
