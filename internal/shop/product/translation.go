package product

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// maxTag is the length of the longest tag of a language that is read (RFC 5646, 4.4.1).
const maxTag = 35

// Translation is what a product says in another language. A member that is empty is said as in the
// original.
type Translation struct {
	Name             string               `json:"name,omitempty"`
	ShortDescription string               `json:"shortDescription,omitempty"`
	Description      string               `json:"description,omitempty"`
	FullDescription  string               `json:"fullDescription,omitempty"`
	Highlights       []string             `json:"highlights,omitempty"`
	Features         []FeatureSection     `json:"features,omitempty"`
	FAQ              []Question           `json:"faq,omitempty"`
	Tiers            map[string]TierWords `json:"tiers,omitempty"` // by tier id
	Comparison       *TableWords          `json:"comparison,omitempty"`
}

// TierWords are what a tier says in another language.
type TierWords struct {
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Features    []string `json:"features,omitempty"`
}

// TableWords are the texts of a Comparison in another language, with as many rows. Its columns are named
// after tiers.
type TableWords struct {
	Rows []RowWords `json:"rows"`
}

// RowWords are the texts of a ComparisonRow in another language. Values are those of cells that are texts.
type RowWords struct {
	Feature string            `json:"feature,omitempty"`
	Values  map[string]string `json:"values,omitempty"` // by tier id
}

// LanguageTag returns the canonical form of a tag of BCP 47, or "" if it names no language.
func LanguageTag(tag string) string {
	if tag == "" || len(tag) > maxTag {
		return ""
	}
	parsed, err := language.BCP47.Parse(tag)
	if err != nil || parsed.IsRoot() || len(parsed.String()) > maxTag {
		return ""
	}
	return parsed.String()
}

// In returns the product as it is in a language, by its canonical tag, without its translations. Each
// text is that of the tag, else that of the tag without its last part (RFC 4647, 3.4: "de-AT" means "de"
// too), else the original.
func (p Product) In(tag string) Product {
	for _, tag := range meant(tag) {
		if t, ok := p.Translations[tag]; ok {
			t.over(&p)
		}
	}
	p.Translations = nil
	return p
}

// meant returns the languages that a tag means, the most general first.
func meant(tag string) (tags []string) {
	for tag != "" {
		tags = append(tags, tag)
		tag = tag[:max(0, strings.LastIndexByte(tag, '-'))]
	}
	slices.Reverse(tags)
	return tags
}

// over puts the texts of t in the place of the product's.
func (t Translation) over(p *Product) {
	d := &p.Detail
	derived := d.FullDescription == p.Description
	put(&p.Name, t.Name)
	put(&p.ShortDescription, t.ShortDescription)
	put(&p.Description, t.Description)
	if derived { // it follows the description, as in the original
		d.FullDescription = p.Description
	}
	put(&d.FullDescription, t.FullDescription)
	putList(&p.Highlights, t.Highlights)
	putList(&d.Features, t.Features)
	putList(&d.FAQ, t.FAQ)
	d.Tiers = slices.Clone(d.Tiers)
	for i := range d.Tiers {
		tier := &d.Tiers[i]
		words := t.Tiers[tier.ID]
		put(&tier.Name, words.Name)
		put(&tier.Description, words.Description)
		putList(&tier.Features, words.Features)
	}
	d.Comparison = t.Comparison.over(d.Comparison)
}

// over returns a table in the language of w. A release that knows no translations may have changed the
// table: what does not fit is left out.
func (w *TableWords) over(table *Comparison) *Comparison {
	if w == nil || table == nil || len(w.Rows) != len(table.Rows) {
		return table
	}
	out := &Comparison{Columns: table.Columns, Rows: slices.Clone(table.Rows)}
	for i, words := range w.Rows {
		row := &out.Rows[i]
		put(&row.Feature, words.Feature)
		row.Values = maps.Clone(row.Values)
		for id, value := range words.Values {
			if _, ok := row.Values[id].(string); ok {
				row.Values[id] = value
			}
		}
	}
	return out
}

func put(at *string, text string) {
	if text != "" {
		*at = text
	}
}

func putList[T any](at *[]T, list []T) {
	if len(list) > 0 {
		*at = list
	}
}
