package product

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v4"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// translations reads what p, which was read before, says in other languages. A language that says nothing
// is left out.
func (r reader) translations(o object, p Product) map[string]Translation {
	n, ok := o.get("translations")
	if !ok {
		return nil
	}
	languages := r.object(n, o.at("translations"))
	if len(languages.fields) > maxEntries {
		r.fault(n, languages.path, errs.CodeOutOfRange, "translations must have at most %d languages.", maxEntries)
		return nil
	}
	spelled, out := make(map[string]string), make(map[string]Translation)
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 { // in order, so that faults have one
		key, value := n.Content[i], n.Content[i+1]
		tag, path := LanguageTag(key.Value), languages.at(text.Clip(key.Value))
		if tag == "" {
			r.fault(key, path, errs.CodeUnknownValue, "%q is not the tag of a language (BCP 47) such as de or pt-BR.",
				text.Clip(key.Value))
			continue
		}
		if other, twice := spelled[tag]; twice && other != key.Value { // the same spelling is a fault already
			r.fault(key, path, errs.CodeDuplicate, "%q and %q are the same language.", other, key.Value)
		}
		spelled[tag] = key.Value
		if value.ShortTag() == "!!null" {
			continue
		}
		if t, some := r.translation(value, path, p); some {
			out[tag] = t
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// translation reads what p says in one language, and reports whether it says anything.
func (r reader) translation(n *yaml.Node, path string, p Product) (t Translation, some bool) {
	o := r.object(n, path, "name", "shortDescription", "description", "fullDescription", "highlights", "features", "faq",
		"tiers", "comparison")
	t = Translation{
		Name:             o.text("name", text.Short),
		ShortDescription: o.text("shortDescription", text.Short),
		Description:      o.text("description", maxParagraph),
		FullDescription:  o.text("fullDescription", MaxArticle),
		Highlights:       o.texts("highlights", text.Short),
		Features:         r.features(o),
		FAQ:              r.faq(o),
		Tiers:            r.tierWords(o, p),
		Comparison:       r.tableWords(o, p.Detail.Comparison),
	}
	return t, len(translationTree(t).content) > 0
}

func (r reader) tierWords(o object, p Product) map[string]TierWords {
	n, ok := o.get("tiers")
	if !ok {
		return nil
	}
	tiers := r.object(n, o.at("tiers"))
	out := make(map[string]TierWords)
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		path := tiers.at(text.Clip(key.Value))
		if _, ok := p.Tier(key.Value); !ok || key.Value == "" {
			r.fault(key, path, errs.CodeUnknownValue, "the product has no tier %q.", text.Clip(key.Value))
			continue
		}
		if value.ShortTag() == "!!null" {
			continue
		}
		t := r.object(value, path, "name", "description", "features")
		words := TierWords{
			Name:        t.text("name", text.Short),
			Description: t.text("description", maxParagraph),
			Features:    t.texts("features", text.Short),
		}
		if words.Name != "" || words.Description != "" || words.Features != nil {
			out[key.Value] = words
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// tableWords reads the texts of a comparison. It has the form of the original and its rows in the same
// order; what is no text may be left out.
func (r reader) tableWords(o object, original *Comparison) *TableWords {
	n, ok := o.get("comparison")
	if !ok {
		return nil
	}
	if original == nil {
		r.fault(n, o.at("comparison"), errs.CodeInvalid, "the product has no comparison to translate.")
		return nil
	}
	f := r.object(n, o.at("comparison"), "columns", "rows")
	if columns := f.texts("columns", MaxSlug); columns != nil && !slices.Equal(columns, original.Columns) {
		r.fault(f.fields["columns"], f.at("columns"), errs.CodeInvalid,
			"columns must be those of the product's comparison, or left out.")
	}
	rows, some := []RowWords{}, false
	f.list("rows", func(n *yaml.Node, path string) {
		var words RowWords
		if i := len(rows); i < len(original.Rows) {
			words = r.rowWords(n, path, original.Rows[i])
		}
		some = some || words.Feature != "" || words.Values != nil
		rows = append(rows, words)
	})
	if len(rows) != len(original.Rows) {
		at := f.node
		if n, ok := f.get("rows"); ok {
			at = n
		}
		r.fault(at, f.at("rows"), errs.CodeInvalid, "rows must be as many as the product's comparison has: %d.",
			len(original.Rows))
	}
	if !some {
		return nil
	}
	return &TableWords{Rows: rows}
}

func (r reader) rowWords(n *yaml.Node, path string, original ComparisonRow) RowWords {
	if n.ShortTag() == "!!null" {
		return RowWords{}
	}
	o := r.object(n, path, "feature", "values")
	words := RowWords{Feature: o.text("feature", text.Short)}
	cells, ok := o.get("values")
	if !ok {
		return words
	}
	values := r.object(cells, o.at("values"))
	for i := 0; i+1 < len(cells.Content) && cells.Kind == yaml.MappingNode; i += 2 {
		id, cell := cells.Content[i].Value, cells.Content[i+1]
		at := values.at(text.Clip(id))
		switch was := original.Values[id].(type) {
		case string:
			if s, ok := r.cellText(cell, at); ok {
				words.put(id, s)
			}
		case bool:
			if values.boolean(id, was) != was {
				r.fault(cell, at, errs.CodeInvalid, "this must be %t, as in the product's comparison.", was)
			}
		default:
			r.fault(cell, at, errs.CodeUnknownValue, "the product's comparison has no value for %q here.", text.Clip(id))
		}
	}
	return words
}

// cellText reads a cell that is a text, and returns false for one that leaves it as it is.
func (r reader) cellText(cell *yaml.Node, path string) (string, bool) {
	if cell.ShortTag() == "!!null" || r.bare && cell.Kind == yaml.ScalarNode && cell.Value == "" {
		return "", false
	}
	s := r.text(cell, path, text.Short)
	return s, s != ""
}

func (w *RowWords) put(id, value string) {
	if w.Values == nil {
		w.Values = make(map[string]string)
	}
	w.Values[id] = value
}

// translationsTree adds what a product says in other languages, sorted by tag.
func translationsTree(t *tree, all map[string]Translation) {
	if len(all) == 0 {
		return
	}
	languages := new(tree)
	for _, tag := range slices.Sorted(maps.Keys(all)) {
		languages.add(tag, translationTree(all[tag]).node())
	}
	t.add("translations", languages.node())
}

func translationTree(words Translation) *tree {
	t := new(tree)
	t.text("name", words.Name)
	t.text("shortDescription", words.ShortDescription)
	t.text("description", words.Description)
	t.text("fullDescription", words.FullDescription)
	t.texts("highlights", words.Highlights)
	featuresTree(t, words.Features)
	faqTree(t, words.FAQ)
	tiers := new(tree)
	for _, id := range slices.Sorted(maps.Keys(words.Tiers)) {
		tier := new(tree)
		tier.text("name", words.Tiers[id].Name)
		tier.text("description", words.Tiers[id].Description)
		tier.texts("features", words.Tiers[id].Features)
		tiers.add(id, tier.node())
	}
	if len(tiers.content) > 0 {
		t.add("tiers", tiers.node())
	}
	if words.Comparison != nil {
		table := new(tree)
		each(table, "rows", words.Comparison.Rows, func(t *tree, row RowWords) {
			t.text("feature", row.Feature)
			values := new(tree)
			for _, id := range slices.Sorted(maps.Keys(row.Values)) {
				values.text(id, row.Values[id])
			}
			if len(values.content) > 0 {
				t.add("values", values.node())
			}
		})
		t.add("comparison", table.node())
	}
	return t
}
