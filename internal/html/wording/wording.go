// Package wording reads the texts of web/texts, so that pages written by Go and those
// written by scripts have the same words. It knows no page.
package wording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// ErrNoText is returned for a key without a text.
var ErrNoText = errors.New("wording: no such text")

// Words are some sections of one language's texts. They never change.
type Words struct {
	tag    language.Tag
	name   string
	format format
	texts  map[string]string
}

// Tags returns the languages that have a file, sorted.
func Tags(fsys fs.FS) ([]string, error) {
	files, err := fs.Glob(fsys, "*.json")
	if err != nil {
		return nil, fmt.Errorf("wording: %w", err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, ".json")
	}
	return files, nil
}

// All loads the sections of every language that has a file, by tag.
func All(fsys fs.FS, sections ...string) (map[string]*Words, error) {
	tags, err := Tags(fsys)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*Words, len(tags))
	for _, tag := range tags {
		if all[tag], err = Load(fsys, tag, sections...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Load reads the sections of a language, which is a file of that name. Keys begin with
// their section: "shop.catalog.title".
func Load(fsys fs.FS, name string, sections ...string) (*Words, error) {
	body, err := fs.ReadFile(fsys, name+".json")
	if err != nil {
		return nil, fmt.Errorf("wording: %w", err)
	}
	tag, err := language.Parse(name)
	if err != nil {
		return nil, fmt.Errorf("wording: %q is not a language: %w", name, err)
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(body, &file); err != nil {
		return nil, fmt.Errorf("wording: %s: %w", name, err)
	}
	w := &Words{tag: tag, name: name, texts: make(map[string]string)}
	if w.format, err = formatOf(name); err != nil {
		return nil, err
	}
	for _, section := range sections {
		text, ok := file[section]
		if !ok {
			return nil, fmt.Errorf("%w: section %s", ErrNoText, section)
		}
		var part map[string]any
		if err := json.Unmarshal(text, &part); err != nil {
			return nil, fmt.Errorf("wording: %s: %w", name, err)
		}
		w.add(section, part)
	}
	return w, nil
}

// add flattens a part of the file.
func (w *Words) add(key string, part any) {
	switch part := part.(type) {
	case string:
		w.texts[key] = part
	case map[string]any:
		for name, inner := range part {
			w.add(key+"."+name, inner)
		}
	}
}

// Language is what the attribute lang of a page says.
func (w *Words) Language() string { return w.name }

// Keys returns every key, sorted.
func (w *Words) Keys() []string { return slices.Sorted(maps.Keys(w.texts)) }

// Text returns the text of a key. values are names and values in turn, which take the
// places of {name}. The error is ErrNoText.
func (w *Words) Text(key string, values ...any) (string, error) {
	text, ok := w.texts[key]
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrNoText, key)
	}
	return fill(text, values), nil
}

// Count returns the text of a key for a number: the one of its plural category, else
// "other". {n} is the number.
func (w *Words) Count(key string, n int, values ...any) (string, error) {
	form := forms[plural.Cardinal.MatchPlural(w.tag, n, 0, 0, 0, 0)]
	if _, ok := w.texts[key+"."+form]; !ok {
		form = "other"
	}
	return w.Text(key+"."+form, append([]any{"n", w.Number(n)}, values...)...)
}

var forms = map[plural.Form]string{
	plural.Zero: "zero", plural.One: "one", plural.Two: "two",
	plural.Few: "few", plural.Many: "many", plural.Other: "other",
}

// fill replaces each {name} of a text. A name without a value stays.
func fill(text string, values []any) string {
	if len(values) == 0 || !strings.Contains(text, "{") {
		return text
	}
	pairs := make([]string, 0, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		pairs = append(pairs, "{"+fmt.Sprint(values[i])+"}", fmt.Sprint(values[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
