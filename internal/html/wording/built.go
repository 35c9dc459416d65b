package wording

import (
	"io/fs"
	"maps"
	"slices"
	"sync"

	"stoa/web"
)

// Catalog has the words of stoa's own pages and mails in every language.
type Catalog struct {
	Words  map[string]*Words // by tag
	Tags   []string          // of the languages of web/texts, sorted
	Pseudo []string          // of the languages that the build makes of English, for tests of pages
}

// Built returns the words that were built in, which are read once.
var Built = sync.OnceValues(func() (Catalog, error) {
	texts, err := fs.Sub(web.Texts, "texts")
	if err != nil {
		return Catalog{}, err
	}
	all, err := All(texts, "common", "shop", "pages", "errors", "mails")
	if err != nil {
		return Catalog{}, err
	}
	c := Catalog{Words: all, Tags: slices.Sorted(maps.Keys(all))}
	made, err := fs.Sub(web.Dist, "dist/assets/pseudo") // empty until the build made it
	if err != nil {
		return c, err
	}
	pseudo, err := All(made, "common", "shop", "pages", "errors")
	c.Pseudo = slices.Sorted(maps.Keys(pseudo))
	maps.Copy(c.Words, pseudo)
	return c, err
})
