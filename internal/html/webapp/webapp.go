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

// Base is the beginning of every file's address. The folder of a language follows, then the file's name:
// scripts name one another without the folder, so a page stays in its language.
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
	entries map[string]Entry           // with names of files in place of addresses
	files   map[string]File            // that are the same in every language
	folders map[string]string          // by language: what its files are below
	texts   map[string]map[string]File // by such a folder: the files that have texts
}

// anyLanguage is the one whose files a page has in whose language there are none.
const anyLanguage = "en"

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
	b := &Bundle{entries: make(map[string]Entry), texts: make(map[string]map[string]File)}
	for name, c := range chunks {
		if c.IsEntry {
			b.entries[name] = entryOf(chunks, name)
		}
	}
	b.files, err = readFiles(dist)
	if err != nil {
		return nil, err
	}
	err = b.readLanguages(dist)
	return b, err
}

// readLanguages reads the files of each language.
func (b *Bundle) readLanguages(dist fs.FS) error {
	text, err := fs.ReadFile(dist, "languages.json")
	if err == nil {
		err = json.Unmarshal(text, &b.folders)
	}
	if err != nil {
		return fmt.Errorf("webapp: languages: %w", err)
	}
	for tag, folder := range b.folders {
		own, err := fs.Sub(dist, tag)
		if err != nil {
			return fmt.Errorf("webapp: %w", err)
		}
		if b.texts[folder], err = readFiles(own); err != nil {
			return err
		}
	}
	return nil
}

// readFiles reads every file of a folder in both of its forms.
func readFiles(dist fs.FS) (map[string]File, error) {
	files := make(map[string]File)
	packed, err := fs.Glob(dist, "*.br")
	if err != nil {
		return nil, fmt.Errorf("webapp: %w", err)
	}
	for _, name := range packed {
		name = strings.TrimSuffix(name, ".br")
		brotli, err := fs.ReadFile(dist, name+".br")
		if err != nil {
			return nil, fmt.Errorf("webapp: %w", err)
		}
		gzip, err := fs.ReadFile(dist, name+".gz")
		if err != nil {
			return nil, fmt.Errorf("webapp: %w", err)
		}
		files[name] = File{ContentType: types[path.Ext(name)], Brotli: brotli, Gzip: gzip}
	}
	return files, nil
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
			entry.Preloads = append(entry.Preloads, c.File)
		}
		for _, css := range c.CSS {
			if !slices.Contains(entry.Styles, css) {
				entry.Styles = append(entry.Styles, css)
			}
		}
	}
	visit(name)
	entry.Script = chunks[name].File
	entry.Preloads = slices.DeleteFunc(entry.Preloads, func(file string) bool { return file == entry.Script })
	return entry
}

// Entry returns what a page in a language needs to run the entry of a name. A nil Bundle has none.
func (b *Bundle) Entry(name, tag string) (Entry, bool) {
	if b == nil {
		return Entry{}, false
	}
	entry, ok := b.entries[name]
	folder, has := b.folders[tag]
	if !has {
		folder = b.folders[anyLanguage]
	}
	at := Base + folder + "/"
	return Entry{Script: at + entry.Script, Preloads: below(at, entry.Preloads), Styles: below(at, entry.Styles)}, ok
}

// below returns the addresses of files.
func below(at string, names []string) []string {
	addresses := make([]string, len(names))
	for i, name := range names {
		addresses[i] = at + name
	}
	return addresses
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

// File returns the file of a name for the folder of a language, as both are in addresses below Base. A file
// without texts is the same in each.
func (b *Bundle) File(folder, name string) (File, bool) {
	if b == nil {
		return File{}, false
	}
	texts, ok := b.texts[folder]
	if !ok {
		return File{}, false
	}
	if file, ok := texts[name]; ok {
		return file, true
	}
	file, ok := b.files[name]
	return file, ok
}
