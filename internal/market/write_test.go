package market_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"stoa/internal/market"
	"stoa/internal/testkit"
)

// currencies have every number of decimals there is.
var currencies = []string{"EUR", "USD", "JPY", "KWD", "CLF", "ISK", "UYW", "ZWG"}

// line draws a short text as a catalogue may hold one: anything printable.
func line(limit int) *rapid.Generator[string] {
	odd := rapid.SampledFrom([]string{
		"true", "~", "null", "1", "1.50", "2026-01-31", "- a", "a: b", "# a", "\"", "'", "{", "[x]", "&a", "*a", "!!int 1", "%", "@", "`", "|", ">", "<<", "=",
		" a", "a ", "é", "\u00a0", "\u2028", "\ufeff", "\ufffd", "\ufffe", "\U0001f600", "\\n", "a #b", "a:", "?", "-", "---", "...", ",", "yes", "0x1f", "0o7", ".inf", "<b>&amp;</b>", "\u200b",
	})
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.OneOf(odd, rapid.StringN(1, min(limit, 30), -1)).Draw(t, "text")
		s = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
				return -1
			}
			return r
		}, s))
		shown := strings.ContainsFunc(s, func(r rune) bool {
			return !unicode.IsSpace(r) && r != '\u2800' && !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		})
		if !shown || !utf8.ValidString(s) {
			return "x"
		}
		return s
	})
}

// paragraph draws a text of several lines, which comes back trimmed.
func paragraph() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		gaps := rapid.SampledFrom([]string{"\n", "\n\n", "\n  ", " \n", "\t\n", "\n- ", "\n# ", "\n\u2028\n", "\u2028", " \u2029 ", "\u2028\u2028", "\t", "\n---\n", "\n...\n", "\n\t"})
		s := line(200).Draw(t, "first")
		for range rapid.IntRange(0, 4).Draw(t, "lines") {
			s += gaps.Draw(t, "gap") + line(200).Draw(t, "line")
		}
		if s = strings.TrimSpace(s); s == "" {
			return "x"
		}
		return s
	})
}

// maybe draws a value, or the zero value.
func maybe[T any](t *rapid.T, name string, g *rapid.Generator[T]) (v T) {
	if rapid.Bool().Draw(t, name+"?") {
		v = g.Draw(t, name)
	}
	return v
}

func list[T any](t *rapid.T, name string, low, high int, g *rapid.Generator[T]) []T {
	return rapid.SliceOfN(g, low, high).Draw(t, name)
}

func drawMoney(t *rapid.T, low int64) market.Money {
	return market.Money{
		Minor:    rapid.OneOf(rapid.Int64Range(low, 200_000), rapid.Int64Range(low, 1_000_000_000_000)).Draw(t, "minor"),
		Currency: rapid.SampledFrom(currencies).Draw(t, "currency"),
	}
}

// drawProduct draws any product that a catalogue can describe.
func drawProduct(t *rapid.T, slug string) market.Product {
	ids := rapid.SliceOfNDistinct(line(100), 1, 4, rapid.ID[string]).Draw(t, "tier ids")
	d := market.Detail{
		FullDescription: paragraph().Draw(t, "fullDescription"),
		Features: list(t, "features", 0, 2, rapid.Custom(func(t *rapid.T) market.FeatureSection {
			return market.FeatureSection{Title: line(200).Draw(t, "title"), Description: maybe(t, "description", paragraph()), Items: list(t, "items", 0, 3, line(200))}
		})),
		FAQ: list(t, "faq", 0, 2, rapid.Custom(func(t *rapid.T) market.Question {
			return market.Question{Question: paragraph().Draw(t, "question"), Answer: paragraph().Draw(t, "answer")}
		})),
	}
	for _, id := range ids {
		d.Tiers = append(d.Tiers, market.Tier{
			ID: id, Name: line(200).Draw(t, "name"), Description: maybe(t, "description", paragraph()), Price: drawMoney(t, 0),
			Period:   rapid.SampledFrom([]market.BillingPeriod{"", market.Monthly, market.Yearly, market.OneTime}).Draw(t, "period"),
			Features: list(t, "features", 0, 2, line(200)), Highlighted: rapid.Bool().Draw(t, "highlighted"),
			MaxInstances: rapid.SampledFrom([]int{1, 2, 1_000_000}).Draw(t, "maxInstances"),
		})
	}
	p := market.Product{
		Slug: slug, Name: line(200).Draw(t, "name"), Category: line(200).Draw(t, "category"), ShortDescription: line(200).Draw(t, "short"),
		Description: paragraph().Draw(t, "description"), Icon: "/icon.svg", Screenshots: list(t, "screenshots", 0, 2, rapid.SampledFrom([]string{"/a.png", "https://example.com/a?b=c#d"})),
		Highlights: list(t, "highlights", 0, 3, line(200)), RatingBase: rapid.OneOf(rapid.Float64Range(0, 5), rapid.SampledFrom([]float64{0, 4.5, 5})).Draw(t, "rating"),
		ReviewBase: rapid.IntRange(0, 1_000_000_000).Draw(t, "reviewCount"), DownloadBase: rapid.IntRange(0, 1_000_000_000).Draw(t, "downloadCount"),
		Featured: rapid.Bool().Draw(t, "featured"), Trending: rapid.Bool().Draw(t, "trending"), Published: rapid.Bool().Draw(t, "published"),
		Position: rapid.IntRange(-1_000_000, 1_000_000).Draw(t, "position"), CreatedAt: time.UnixMilli(rapid.Int64Range(0, 253402300799999).Draw(t, "createdAt")).UTC(),
		Detail: d, Pricing: drawPricing(t, d.Tiers),
	}
	if rapid.Bool().Draw(t, "same description") {
		p.Detail.FullDescription = p.Description
	}
	if rapid.Bool().Draw(t, "comparison") {
		p.Detail.Comparison = drawComparison(t, ids)
	}
	return p
}

// drawPricing draws the cheapest tier, as if left out, or something else.
func drawPricing(t *rapid.T, tiers []market.Tier) market.Pricing {
	switch rapid.IntRange(0, 2).Draw(t, "pricing") {
	case 0:
		return market.Pricing{Type: market.Free}
	case 1:
		return market.Pricing{Type: market.Paid, Price: drawMoney(t, 1)}
	}
	out := market.Pricing{Type: market.Free}
	for _, tier := range tiers {
		if tier.Price.Minor > 0 && (out.Type == market.Free || tier.Price.Rank() < out.Price.Rank()) {
			out = market.Pricing{Type: market.Paid, Price: tier.Price}
		}
	}
	return out
}

func drawComparison(t *rapid.T, ids []string) *market.Comparison {
	c := &market.Comparison{Columns: ids[:rapid.IntRange(0, len(ids)).Draw(t, "columns")], Rows: []market.ComparisonRow{}}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		row := market.ComparisonRow{Feature: line(200).Draw(t, "feature"), Values: make(map[string]any)}
		for _, id := range c.Columns {
			switch rapid.IntRange(0, 2).Draw(t, "cell") {
			case 0:
				row.Values[id] = rapid.Bool().Draw(t, "yes")
			case 1:
				row.Values[id] = line(200).Draw(t, "value")
			}
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

func drawCatalog(t *rapid.T) []market.Product {
	slugs := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9]{1,4}(-[a-z0-9]{1,3})?`), 0, 3, rapid.ID[string]).Draw(t, "slugs")
	slices.Sort(slugs)
	var products []market.Product
	for _, slug := range slugs {
		products = append(products, drawProduct(t, slug))
	}
	return products
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()

	for _, format := range []market.Format{market.YAML, market.JSON} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				products := drawCatalog(t)
				var text, again bytes.Buffer
				if err := market.WriteCatalog(&text, format, products); err != nil {
					t.Fatal(err)
				}
				c, err := market.ParseCatalog(text.Bytes())
				if err != nil {
					t.Fatalf("ParseCatalog: %v\n%s", err, text.Bytes())
				}
				if diff := cmp.Diff(c.Products, products, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("products (-got +want):\n%s\n%s", diff, text.Bytes())
				}
				if err := market.WriteCatalog(&again, format, c.Products); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) {
					t.Fatalf("written again (%v):\n%s\nwas:\n%s", err, again.Bytes(), text.Bytes())
				}
			})
		})
	}
}

// Every currency, with amounts that use all of its decimals and none.
func TestEveryCurrencyIsReadBack(t *testing.T) {
	t.Parallel()

	var products []market.Product
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			for c := 'A'; c <= 'Z'; c++ {
				code := string([]rune{a, b, c})
				if _, ok := market.Exponent(code); !ok {
					continue
				}
				p := market.Product{
					Slug: strings.ToLower(code), Name: code, Category: "c", ShortDescription: "s", Description: "d", Icon: "/i.svg", Published: true,
					CreatedAt: time.UnixMilli(0).UTC(), Pricing: market.Pricing{Type: market.Paid, Price: market.Money{Minor: 1, Currency: code}},
					Detail: market.Detail{FullDescription: "d"},
				}
				for i, minor := range []int64{1, 10, 100, 1000, 10_000, 123_456_789, 1_000_000_000_000} {
					p.Detail.Tiers = append(p.Detail.Tiers, market.Tier{ID: fmt.Sprint(i), Name: "T", Price: market.Money{Minor: minor, Currency: code}, MaxInstances: 1})
				}
				products = append(products, p)
			}
		}
	}
	if len(products) < 160 {
		t.Fatalf("there are only %d currencies", len(products))
	}
	for _, format := range []market.Format{market.YAML, market.JSON} {
		var text bytes.Buffer
		if err := market.WriteCatalog(&text, format, products); err != nil {
			t.Fatal(err)
		}
		c, err := market.ParseCatalog(text.Bytes())
		if diff := cmp.Diff(c.Products, products); err != nil || diff != "" {
			t.Errorf("%s: %v, products (-got +want):\n%s", format, err, diff)
		}
	}
}

// Through the database of one stoa into that of another, fresh one: the same
// products, and the same bytes when they are exported again.
func TestAnExportMakesTheSameStoa(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, from *testkit.App) {
		to := testkit.New(t)
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			if n++; n > 15 { // each adds to the catalogue of those before
				return
			}
			var drawn bytes.Buffer
			if err := market.WriteCatalog(&drawn, market.YAML, drawCatalog(t)); err != nil {
				t.Fatal(err)
			}
			if _, err := from.Market.ImportBytes(t.Context(), drawn.Bytes()); err != nil {
				t.Fatal(err)
			}
			exported := func(a *testkit.App, format market.Format) []byte {
				var file bytes.Buffer
				if err := a.Market.Export(t.Context(), &file, format, nil); err != nil {
					t.Fatal(err)
				}
				return file.Bytes()
			}
			for _, format := range []market.Format{market.YAML, market.JSON} {
				want := exported(from, format)
				if _, err := to.Market.ImportBytes(t.Context(), want); err != nil {
					t.Fatal(err)
				}
				if got := exported(to, format); !bytes.Equal(got, want) {
					t.Fatalf("exported again:\n%s\nwant:\n%s", got, want)
				}
				if res, err := to.Market.ImportBytes(t.Context(), want); err != nil || res.Created+res.Updated > 0 {
					t.Fatalf("imported again = %+v, %v", res, err)
				}
			}
		})
	})
}
