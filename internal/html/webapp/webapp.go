// Package webapp knows the built files of the console and the storefront (web/): what
// each entry needs in a page's head, and the bytes of every file. It builds nothing and
// knows no routes.
package webapp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ErrNotBuilt says that the binary was built without the files of web/.
var ErrNotBuilt = errors.New("webapp: web/ is not built: run make build")

// Base is the beginning of every file's address.
const Base = "/assets/"

// Names of entries in web/vite.config.ts.
const (
	Console       = "src/console/main.tsx"
	Storefront    = "src/storefront/main.ts"
	StorefrontRun = "src/storefront/run.tsx" // what Storefront runs, once the page is painted
	Page          = "src/storefront/page.ts" // what server-rendered pages use
)

// Bundle is a built web/. It never changes.
type Bundle struct {
	entries map[string]Entry
	files   map[string]File
}

// Entry is what a page's head names to run an entry, as addresses.
type Entry struct {
	Script string
	// Preloads are the modules that Script imports, directly or not, so that a browser
	// gets them at once.
	Preloads []string
	Styles   []string
}

// File is a built file, in the forms in which it is sent. Its name has a hash of its
// contents.
type File struct {
	ContentType  string
	Brotli, Gzip []byte
}

// chunk is an entry of Vite's manifest.
type chunk struct {
	File    string   `json:"file"`
	IsEntry bool     `json:"isEntry"`
	Imports []string `json:"imports"`
	CSS     []string `json:"css"`
}

// types are the kinds of files that web/pack.js compresses.
var types = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// Load reads the built files of a folder, which is web/dist/assets. It returns
// ErrNotBuilt if there are none.
func Load(dist fs.FS) (*Bundle, error) {
	text, err := fs.ReadFile(dist, "manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotBuilt
	}
	var chunks map[string]chunk
	if err == nil {
		err = json.Unmarshal(text, &chunks)
	}
	if err != nil {
		return nil, fmt.Errorf("webapp: manifest: %w", err)
	}
	b := &Bundle{entries: make(map[string]Entry), files: make(map[string]File)}
	for name, c := range chunks {
		if c.IsEntry {
			b.entries[name] = entryOf(chunks, name)
		}
	}
	err = b.readFiles(dist)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// readFiles reads every file in both of its forms.
func (b *Bundle) readFiles(dist fs.FS) error {
	packed, err := fs.Glob(dist, "*.br")
	if err != nil {
		return fmt.Errorf("webapp: %w", err)
	}
	for _, name := range packed {
		name = strings.TrimSuffix(name, ".br")
		brotli, err := fs.ReadFile(dist, name+".br")
		if err != nil {
			return fmt.Errorf("webapp: %w", err)
		}
		gzip, err := fs.ReadFile(dist, name+".gz")
		if err != nil {
			return fmt.Errorf("webapp: %w", err)
		}
		b.files[name] = File{ContentType: types[path.Ext(name)], Brotli: brotli, Gzip: gzip}
	}
	return nil
}

// entryOf collects what an entry needs, with what its imports need.
func entryOf(chunks map[string]chunk, name string) Entry {
	var entry Entry
	seen := make(map[string]bool)
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		c := chunks[name]
		for _, imported := range c.Imports {
			visit(imported)
		}
		if strings.HasSuffix(c.File, ".js") {
			entry.Preloads = append(entry.Preloads, Base+c.File)
		}
		for _, css := range c.CSS {
			if !slices.Contains(entry.Styles, Base+css) {
				entry.Styles = append(entry.Styles, Base+css)
			}
		}
	}
	visit(name)
	entry.Script = Base + chunks[name].File
	entry.Preloads = slices.DeleteFunc(entry.Preloads, func(file string) bool { return file == entry.Script })
	return entry
}

// Entry returns what a page needs to run the entry of a name. A nil Bundle has none.
func (b *Bundle) Entry(name string) (Entry, bool) {
	if b == nil {
		return Entry{}, false
	}
	entry, ok := b.entries[name]
	return entry, ok
}

// Before returns what a page needs that runs e, which runs next itself: that is loaded along
// with e.
func (e Entry) Before(next Entry) Entry {
	for _, file := range append(slices.Clip(next.Preloads), next.Script) {
		if file != "" && file != e.Script && !slices.Contains(e.Preloads, file) {
			e.Preloads = append(slices.Clip(e.Preloads), file)
		}
	}
	for _, style := range next.Styles {
		if !slices.Contains(e.Styles, style) {
			e.Styles = append(slices.Clip(e.Styles), style)
		}
	}
	return e
}

// File returns the file of a name, as it is in addresses below Base.
func (b *Bundle) File(name string) (File, bool) {
	if b == nil {
		return File{}, false
	}
	file, ok := b.files[name]
	return file, ok
}
