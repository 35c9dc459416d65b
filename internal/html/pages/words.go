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

// list returns, for a script, the texts of sections and those outside of any, as a
// JavaScript object. Brackets are escaped, so that no text ends the script.
func (c catalog) list(sections []string) (string, error) {
	found := make(map[string]string)
	for _, key := range c.Keys() {
		own, ok := strings.CutPrefix(key, section)
		if part, _, deeper := strings.Cut(own, "."); !ok || deeper && !slices.Contains(sections, part) {
			continue
		}
		text, err := c.Text(key)
		if err != nil {
			return "", fmt.Errorf("pages: %w", err)
		}
		found[own] = text
	}
	out, err := json.Marshal(found)
	if err != nil {
		return "", fmt.Errorf("pages: %w", err)
	}
	return string(out), nil
}
