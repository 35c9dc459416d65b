package product_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stoa/internal/shop/product"
	"stoa/internal/shop/product/producttest"
)

// twoTiers is a catalog of a product with two tiers and a comparison, and with these translations.
func twoTiers(translations string) []byte {
	return []byte(`{"products": [{"slug": "a", "name": "A", "category": "c", "shortDescription": "s", "description": "d",
		"icon": "/i.svg", "highlights": ["h"],
		"pricingTiers": [{"id": "t", "name": "T", "price": 0, "currency": "EUR", "features": ["f"]},
			{"id": "u", "name": "U", "description": "more", "price": 1, "currency": "EUR"}],
		"comparison": {"columns": ["t", "u"], "rows": [
			{"feature": "Pages", "values": {"t": "ten", "u": "many"}}, {"feature": "Help", "values": {"t": false, "u": true}}]},
		"translations": ` + translations + `}]}`)
}

func readTwoTiers(tb testing.TB, translations string) product.Product {
	tb.Helper()
	d, err := product.ParseCatalog(twoTiers(translations))
	if err != nil {
		tb.Fatal(err)
	}
	return d.Products[0]
}

func TestTranslationsAreKeptByCanonicalTag(t *testing.T) {
	t.Parallel()

	p := readTwoTiers(t, `{"DE-at": {"name": "Ä"}, "iw": {"name": "א"}, "fr": {}, "es": null, "pt": {"highlights": [], "tiers": {"t": {}},
		"comparison": {"rows": [{}, null]}}, "zh-hant-tw": {"name": "甲"}}`)
	want := map[string]product.Translation{"de-AT": {Name: "Ä"}, "he": {Name: "א"}, "zh-Hant-TW": {Name: "甲"}}
	if diff := cmp.Diff(p.Translations, want); diff != "" {
		t.Errorf("translations (-got +want):\n%s", diff)
	}
}

func TestEachTextIsInTheNearestLanguageThatHasIt(t *testing.T) {
	t.Parallel()

	p := readTwoTiers(t, `{
		"de": {"name": "Ding", "shortDescription": "kurz", "highlights": ["schnell"], "features": [{"title": "Titel", "items": ["eins"]}],
			"faq": [{"question": "Warum?", "answer": "Darum."}], "tiers": {"u": {"name": "Mehr", "features": ["alles"]}},
			"comparison": {"rows": [{"feature": "Seiten", "values": {"u": "viele"}}, {}]}},
		"de-AT": {"name": "Dings", "description": "Beschreibung"},
		"fr": {"fullDescription": "Tout.", "comparison": {"columns": ["t", "u"], "rows": [
			{"feature": "Pages", "values": {"t": "dix", "u": "beaucoup"}}, {"feature": "Aide", "values": {"t": false, "u": true}}]}}}`)
	original := p
	original.Translations = nil
	german := original
	german.Name, german.ShortDescription, german.Highlights = "Ding", "kurz", []string{"schnell"}
	german.Detail.Features = []product.FeatureSection{{Title: "Titel", Items: []string{"eins"}}}
	german.Detail.FAQ = []product.Question{{Question: "Warum?", Answer: "Darum."}}
	german.Detail.Tiers = []product.Tier{p.Detail.Tiers[0], p.Detail.Tiers[1]}
	german.Detail.Tiers[1].Name, german.Detail.Tiers[1].Features = "Mehr", []string{"alles"}
	german.Detail.Comparison = &product.Comparison{Columns: []string{"t", "u"}, Rows: []product.ComparisonRow{
		{Feature: "Seiten", Values: map[string]any{"t": "ten", "u": "viele"}}, p.Detail.Comparison.Rows[1],
	}}
	austrian := german
	austrian.Name, austrian.Description, austrian.Detail.FullDescription = "Dings", "Beschreibung", "Beschreibung"
	french := original
	french.Detail.FullDescription = "Tout."
	french.Detail.Comparison = &product.Comparison{Columns: []string{"t", "u"}, Rows: []product.ComparisonRow{
		{Feature: "Pages", Values: map[string]any{"t": "dix", "u": "beaucoup"}},
		{Feature: "Aide", Values: map[string]any{"t": false, "u": true}},
	}}
	for tag, want := range map[string]product.Product{
		"": original, "en": original, "d": original, "de": german, "de-CH": german, "de-CH-1996": german, "de-x-mine": german,
		"de-AT": austrian, "de-AT-x-wien": austrian, "fr": french,
	} {
		if diff := cmp.Diff(p.In(tag), want, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("in %q (-got +want):\n%s", tag, diff)
		}
	}
	if diff := cmp.Diff(p, readTwoTiers(t, `null`), cmpopts.IgnoreFields(product.Product{}, "Translations")); diff != "" {
		t.Errorf("the original was changed (-got +want):\n%s", diff)
	}
}

// A release that knows no translations may have changed what they stand for.
func TestAComparisonThatDoesNotFitIsLeftOut(t *testing.T) {
	t.Parallel()

	p := readTwoTiers(t, `{"de": {"comparison": {"rows": [{"feature": "Seiten", "values": {"t": "zehn"}}, {"feature": "Hilfe"}]}}}`)
	p.Detail.Comparison = &product.Comparison{Columns: []string{"u"}, Rows: []product.ComparisonRow{
		{Feature: "Pages", Values: map[string]any{"u": true}}, {Feature: "Help", Values: map[string]any{}},
	}}
	if got := p.In("de").Detail.Comparison.Rows[0]; len(got.Values) != 1 || got.Feature != "Seiten" {
		t.Errorf("a cell that is gone is back: %v", got)
	}
	p.Detail.Comparison.Rows = p.Detail.Comparison.Rows[:1]
	if got := p.In("de").Detail.Comparison.Rows[0].Feature; got != "Pages" {
		t.Errorf("the text of another row: %q", got)
	}
}

func TestEveryFaultOfATranslationHasItsPath(t *testing.T) {
	t.Parallel()

	long, article := strings.Repeat("x", 201), strings.Repeat("x", 2001)
	for translations, want := range map[string]string{
		`[]`:                " wrong_type",
		`{"de": "deutsch"}`: ".de wrong_type",
		`{"german": {}, "und": {}, "": {}, "e": {}, "de-": {}, "xx-yyyyyyyyyy": {}}`: ".german unknown_value|.und unknown_value|. unknown_value|.e unknown_value|.de- unknown_value|.xx-yyyyyyyyyy unknown_value",
		`{"de-at": {"name": "A"}, "de-AT": {"name": "B"}}`:                           ".de-AT duplicate",
		`{"DE": {}, "de": {}}`:                         ".de duplicate",
		`{"de": {}, "de": {}}`:                         ".de duplicate",
		`{"de": {"slug": "b", "category": "k"}}`:       ".de.slug unknown_field|.de.category unknown_field",
		`{"de": {"name": "", "shortDescription": 1}}`:  ".de.name out_of_range|.de.shortDescription wrong_type",
		`{"de": {"name": "` + long + `"}}`:             ".de.name out_of_range",
		`{"de": {"shortDescription": "` + long + `"}}`: ".de.shortDescription out_of_range",
		`{"de": {"description": "` + article + `"}}`:   ".de.description out_of_range",
		`{"de": {"name": "a\nb"}}`:                     ".de.name out_of_range",
		`{"de": {"highlights": ["a", ""]}}`:            ".de.highlights[1] out_of_range",
		`{"de": {"features": [{"title": "t"}]}}`:       ".de.features[0].items required",
		`{"de": {"faq": [{"question": "q"}]}}`:         ".de.faq[0].answer required",
		`{"de": {"tiers": []}}`:                        ".de.tiers wrong_type",
		`{"de": {"tiers": {"v": {"name": "V"}}}}`:      ".de.tiers.v unknown_value",
		`{"de": {"tiers": {"t": {"price": 1}}}}`:       ".de.tiers.t.price unknown_field",
		`{"de": {"tiers": {"t": {"name": "` + long + `", "description": "` + article + `", "features": [1]}}}}`: ".de.tiers.t.name out_of_range|.de.tiers.t.description out_of_range|.de.tiers.t.features[0] wrong_type",
		`{"de": {"comparison": {}}}`:                                                                         ".de.comparison.rows invalid",
		`{"de": {"comparison": {"rows": [{}]}}}`:                                                             ".de.comparison.rows invalid",
		`{"de": {"comparison": {"rows": [{}, {}, {}]}}}`:                                                     ".de.comparison.rows invalid",
		`{"de": {"comparison": {"columns": ["u", "t"], "rows": [{}, {}]}}}`:                                  ".de.comparison.columns invalid",
		`{"de": {"comparison": {"rows": [{"values": {"t": true}}, {"values": {"t": true, "x": "y"}}]}}}`:     ".de.comparison.rows[0].values.t wrong_type|.de.comparison.rows[1].values.t invalid|.de.comparison.rows[1].values.x unknown_value",
		`{"de": {"comparison": {"rows": [{"values": {"t": "` + long + `"}}, {"feature": "` + long + `"}]}}}`: ".de.comparison.rows[0].values.t out_of_range|.de.comparison.rows[1].feature out_of_range",
		`{"de": {"comparison": {"rows": [{"values": {"t": null}}, {"values": {"t": "Ja"}}]}}}`:               ".de.comparison.rows[1].values.t wrong_type",
	} {
		var paths []string
		for path := range strings.SplitSeq(want, "|") {
			paths = append(paths, "products[0].translations"+path)
		}
		_, err := product.ParseCatalog(twoTiers(translations))
		if diff := cmp.Diff(producttest.Faults(t, err), paths); diff != "" {
			t.Errorf("%s (-got +want):\n%s", translations, diff)
		}
	}
	_, err := product.ParseCatalog([]byte(strings.Replace(producttest.Least, "slug: a,",
		`slug: a, translations: {de: {comparison: {rows: []}}},`, 1)))
	if got := strings.Join(producttest.Faults(t, err), "|"); got != "products[0].translations.de.comparison invalid" {
		t.Errorf("without a comparison: %q", got)
	}
}

func TestTextsOfATranslationMayBeAsLongAsTheOriginals(t *testing.T) {
	t.Parallel()

	line, paragraph, article := strings.Repeat("ä", 200), strings.Repeat("ä", 2_000), strings.Repeat("ä", 50_000)
	p := readTwoTiers(t, fmt.Sprintf(`{"de": {"name": %[1]q, "shortDescription": %[1]q, "description": %[2]q, "fullDescription": %[3]q,
		"highlights": [%[1]q], "tiers": {"t": {"name": %[1]q, "description": %[2]q, "features": [%[1]q]}},
		"comparison": {"rows": [{"feature": %[1]q, "values": {"t": %[1]q}}, {}]}}}`, line, paragraph, article))
	if got := p.In("de"); got.Name != line || got.Detail.FullDescription != article || got.Detail.Tiers[0].Description != paragraph {
		t.Error("a text is missing")
	}
	_, err := product.ParseCatalog(twoTiers(`{"de": {"fullDescription": "` + article + `x"}}`))
	if got := strings.Join(producttest.Faults(t, err), "|"); got != "products[0].translations.de.fullDescription out_of_range" {
		t.Errorf("one more: %q", got)
	}
}

func TestLanguagesOfAProductAreLimited(t *testing.T) {
	t.Parallel()

	for n, want := range map[int]string{100: "", 101: "products[0].translations out_of_range"} {
		var entries []string
		for i := range n {
			entries = append(entries, fmt.Sprintf(`"de-x-%d": {"name": "x"}`, i))
		}
		d, err := product.ParseCatalog(twoTiers("{" + strings.Join(entries, ",") + "}"))
		if got := strings.Join(producttest.Faults(t, err), "|"); got != want || want == "" && len(d.Products[0].Translations) != n {
			t.Errorf("%d languages: %q, want %q", n, got, want)
		}
	}
}

// Readers search for what they see.
func TestSearchesFindTranslations(t *testing.T) {
	t.Parallel()

	p := readTwoTiers(t, `{"de": {"name": "Rechnung", "description": "Mahnwesen", "highlights": ["Skonto"], "fullDescription": "Kleingedrucktes"}}`)
	found := p.SearchText()
	for word, want := range map[string]bool{"rechnung": true, "mahnwesen": true, "skonto": true, "kleingedrucktes": false} {
		if strings.Contains(found, word) != want {
			t.Errorf("%s is in the search text: %t", word, !want)
		}
	}
}

func TestAPatchReplacesTranslationsAsAWhole(t *testing.T) {
	t.Parallel()

	old := readTwoTiers(t, `{"de": {"name": "Ding", "tiers": {"u": {"name": "Mehr"}}}, "fr": {"name": "Truc"}}`)
	for doc, want := range map[string]string{
		`{"name": "B"}`: "de fr",
		`{"translations": {"es": {"name": "Cosa"}}}`:           "es",
		`{"translations": null}`:                               "",
		`{"translations": {}}`:                                 "",
		`{"translations": {"de": {"name": "", "unknown": 1}}}`: "",
		`{"pricingTiers": [{"id": "t", "name": "T", "price": 0, "currency": "EUR"}], "comparison": null}`: "translations.de.tiers.u unknown_value",
		`{"translations": {"de": {"name": 5}}}`:                                                           "translations.de.name wrong_type",
	} {
		change, err := product.ReadPatch(old.Slug, []byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		p, err := change.Apply(old)
		got := strings.Join(producttest.Faults(t, err), "|")
		if err == nil {
			var tags []string
			for _, tag := range []string{"de", "fr", "es"} {
				if _, ok := p.Translations[tag]; ok {
					tags = append(tags, tag)
				}
			}
			got = strings.Join(tags, " ")
			if changed := product.SameContent(p, old); changed != (doc == `{}`) {
				t.Errorf("%s: SameContent = %t", doc, changed)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", doc, got, want)
		}
	}
}

func TestTagsOfLanguagesAreCanonical(t *testing.T) {
	t.Parallel()

	for tag, want := range map[string]string{
		"de": "de", "DE": "de", "de-at": "de-AT", "de-latn": "de", "zh-hans-cn": "zh-Hans-CN", "pt_BR": "pt-BR", "iw": "he",
		"": "", "und": "", "deutsch": "", "de-": "", "*": "", strings.Repeat("a", 36): "", "xx": "",
		"de-x-" + strings.Repeat("a", 8) + "-" + strings.Repeat("b", 8) + "-" + strings.Repeat("c", 8): "de-x-aaaaaaaa-bbbbbbbb-cccccccc",
	} {
		if got := product.LanguageTag(tag); got != want {
			t.Errorf("LanguageTag(%q) = %q, want %q", tag, got, want)
		}
	}
}
