package pages

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"stoa/internal/html/locale"
	"stoa/internal/html/wording"
)

// section is the part of the catalog that only these pages use.
const section = "pages."

// catalog is the texts of web/texts that pages and their scripts use.
type catalog struct{ *wording.Words }

// texts returns those of a language, or of English if there are none in it.
func texts(language string) (catalog, error) {
	built, err := wording.Built()
	if err != nil {
		return catalog{}, err
	}
	words, ok := built.Words[language]
	if !ok {
		words = built.Words[locale.Last]
	}
	return catalog{words}, nil
}

// funcs are what templates call: t for texts of the pages, s for those that the shop's
// pages have too, c for those of every page.
func (c catalog) funcs() template.FuncMap {
	of := func(prefix string) any {
		return func(key string, values ...any) (string, error) { return c.Text(prefix+key, values...) }
	}
	return template.FuncMap{"t": of(section), "s": of("shop."), "c": of("common.")}
}

// refusals are the groups of the catalog's texts for refusals that these pages can meet.
var refusals = []string{"page", "issues", "fields"}

// nameOf returns what scripts call a text, and whether one that uses sections needs it. English pages need none for
// refusals: there the API's own words stand.
func (c catalog) nameOf(key string, sections []string) (name string, needed bool) {
	if name, ok := strings.CutPrefix(key, "errors."); ok {
		group, _, _ := strings.Cut(name, ".")
		return key, c.Language() != locale.Last && slices.Contains(refusals, group)
	}
	name, ok := strings.CutPrefix(key, section)
	part, _, deeper := strings.Cut(name, ".")
	return name, ok && (!deeper || slices.Contains(sections, part))
}

// list returns, for a script, the texts of sections, those outside of any and those for refusals, as a
// JavaScript object. Brackets are escaped, so that no text ends the script.
func (c catalog) list(sections []string) (string, error) {
	found := make(map[string]string)
	for _, key := range c.Keys() {
		name, needed := c.nameOf(key, sections)
		if !needed {
			continue
		}
		text, err := c.Text(key)
		if err != nil {
			return "", fmt.Errorf("pages: %w", err)
		}
		found[name] = text
	}
	out, err := json.Marshal(found)
	if err != nil {
		return "", fmt.Errorf("pages: %w", err)
	}
	return string(out), nil
}
