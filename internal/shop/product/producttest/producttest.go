// Package producttest makes products and catalogs for tests. Only test files may import it.
package producttest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// Least is a catalog of one product with the required fields only.
const Least = `products: [{slug: a, name: A, category: c, shortDescription: s, description: d, icon: /i.svg, ` +
	`pricingTiers: [{id: t, name: T, price: 0, currency: EUR}]}]`

// currencies include every possible number of decimals.
var currencies = []string{"EUR", "USD", "JPY", "KWD", "CLF", "ISK", "UYW", "ZWG"}

// line draws a short printable text, as a catalog may contain.
func line(limit int) *rapid.Generator[string] {
	odd := rapid.SampledFrom([]string{
		"true", "~", "null", "1", "1.50", "2026-01-31", "- a", "a: b", "# a", "\"", "'", "{", "[x]", "&a", "*a", "!!int 1",
		"%", "@", "`", "|", ">", "<<", "=",
		" a", "a ", "é", "\u00a0", "\u2028", "\ufeff", "\ufffd", "\ufffe", "\U0001f600", "\\n", "a #b", "a:", "?", "-",
		"---", "...", ",", "yes", "0x1f", "0o7", ".inf", "<b>&amp;</b>", "\u200b",
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
			return !unicode.IsSpace(r) && r != '\u2800' &&
				!unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
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
		gaps := rapid.SampledFrom([]string{
			"\n", "\n\n", "\n  ", " \n", "\t\n", "\n- ", "\n# ", "\n\u2028\n", "\u2028",
			" \u2029 ", "\u2028\u2028", "\t", "\n---\n", "\n...\n", "\n\t",
		})
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

func drawMoney(t *rapid.T, low int64) product.Money {
	return product.Money{
		Minor:    rapid.OneOf(rapid.Int64Range(low, 200_000), rapid.Int64Range(low, 1_000_000_000_000)).Draw(t, "minor"),
		Currency: rapid.SampledFrom(currencies).Draw(t, "currency"),
	}
}

var periods = []product.BillingPeriod{"", product.Monthly, product.Yearly, product.OneTime}

// drawProduct draws any product that a catalog can describe.
func drawProduct(t *rapid.T, slug string) product.Product {
	ids := rapid.SliceOfNDistinct(line(100), 1, 4, rapid.ID[string]).Draw(t, "tier ids")
	d := product.Detail{
		FullDescription: paragraph().Draw(t, "fullDescription"),
		Features: list(t, "features", 0, 2, rapid.Custom(func(t *rapid.T) product.FeatureSection {
			return product.FeatureSection{
				Title:       line(200).Draw(t, "title"),
				Description: maybe(t, "description", paragraph()),
				Items:       list(t, "items", 0, 3, line(200)),
			}
		})),
		FAQ: list(t, "faq", 0, 2, rapid.Custom(func(t *rapid.T) product.Question {
			return product.Question{Question: paragraph().Draw(t, "question"), Answer: paragraph().Draw(t, "answer")}
		})),
	}
	for _, id := range ids {
		d.Tiers = append(d.Tiers, product.Tier{
			ID:           id,
			Name:         line(200).Draw(t, "name"),
			Description:  maybe(t, "description", paragraph()),
			Price:        drawMoney(t, 0),
			Period:       rapid.SampledFrom(periods).Draw(t, "period"),
			Features:     list(t, "features", 0, 2, line(200)),
			Highlighted:  rapid.Bool().Draw(t, "highlighted"),
			MaxInstances: rapid.SampledFrom([]int{1, 2, 1_000_000}).Draw(t, "maxInstances"),
		})
	}
	ratings := rapid.OneOf(rapid.Float64Range(0, 5), rapid.SampledFrom([]float64{0, 4.5, 5}))
	pictures := rapid.SampledFrom([]string{"/a.png", "https://example.com/a?b=c#d"})
	p := product.Product{
		Slug:             slug,
		Name:             line(200).Draw(t, "name"),
		Category:         line(200).Draw(t, "category"),
		ShortDescription: line(200).Draw(t, "short"),
		Description:      paragraph().Draw(t, "description"),
		Icon:             "/icon.svg",
		Screenshots:      list(t, "screenshots", 0, 2, pictures),
		Highlights:       list(t, "highlights", 0, 3, line(200)),
		RatingBase:       ratings.Draw(t, "rating"),
		ReviewBase:       rapid.IntRange(0, 1_000_000_000).Draw(t, "reviewCount"),
		DownloadBase:     rapid.IntRange(0, 1_000_000_000).Draw(t, "downloadCount"),
		Featured:         rapid.Bool().Draw(t, "featured"),
		Trending:         rapid.Bool().Draw(t, "trending"),
		Published:        rapid.Bool().Draw(t, "published"),
		Position:         rapid.IntRange(-1_000_000, 1_000_000).Draw(t, "position"),
		CreatedAt:        time.UnixMilli(rapid.Int64Range(0, 253402300799999).Draw(t, "createdAt")).UTC(),
		Detail:           d,
	}
	if !p.Published && rapid.Bool().Draw(t, "half done") {
		undo(t, &p)
	}
	p.Pricing = drawPricing(t, p.Detail.Tiers)
	if rapid.Bool().Draw(t, "same description") {
		p.Detail.FullDescription = p.Description
	}
	if rapid.Bool().Draw(t, "comparison") && p.Detail.Tiers != nil {
		p.Detail.Comparison = drawComparison(t, ids)
	}
	p.Detail.RefundDays = rapid.IntRange(0, 60).Draw(t, "refund days")
	for _, tag := range []string{"de", "de-AT", "pt-BR", "no"} {
		if rapid.IntRange(0, 3).Draw(t, tag) == 0 {
			if p.Translations == nil {
				p.Translations = make(map[string]product.Translation)
			}
			p.Translations[tag] = drawTranslation(t, p.Detail)
		}
	}
	return p
}

// drawTranslation draws a translation, which says something at least.
func drawTranslation(t *rapid.T, d product.Detail) product.Translation {
	out := product.Translation{
		Name:             line(200).Draw(t, "name"),
		ShortDescription: maybe(t, "short", line(200)),
		Description:      maybe(t, "description", paragraph()),
		FullDescription:  maybe(t, "fullDescription", paragraph()),
		Highlights:       list(t, "highlights", 0, 2, line(200)),
		Features:         d.Features,
		FAQ:              d.FAQ,
	}
	for _, tier := range d.Tiers {
		if rapid.Bool().Draw(t, "tier") {
			if out.Tiers == nil {
				out.Tiers = make(map[string]product.TierWords)
			}
			out.Tiers[tier.ID] = product.TierWords{
				Name: line(200).Draw(t, "name"), Description: maybe(t, "description", paragraph()),
				Features: list(t, "features", 0, 2, line(200)),
			}
		}
	}
	if d.Comparison != nil && len(d.Comparison.Rows) > 0 {
		table := new(product.TableWords)
		for _, row := range d.Comparison.Rows {
			words := product.RowWords{Feature: line(200).Draw(t, "feature"), Values: make(map[string]string)}
			for _, id := range d.Comparison.Columns {
				if _, ok := row.Values[id].(string); ok {
					words.Values[id] = line(200).Draw(t, "value")
				}
			}
			table.Rows = append(table.Rows, words)
		}
		out.Comparison = table
	}
	return out
}

// undo takes from a draft some of what it needs to be published.
func undo(t *rapid.T, p *product.Product) {
	for _, text := range []*string{&p.Category, &p.ShortDescription, &p.Icon} {
		if rapid.Bool().Draw(t, "gone") {
			*text = ""
		}
	}
	if rapid.Bool().Draw(t, "no tiers") {
		p.Detail.Tiers = nil
	}
	for i := range p.Detail.Tiers {
		if tier := &p.Detail.Tiers[i]; rapid.Bool().Draw(t, "unpriced") {
			tier.Unpriced, tier.Price.Minor = true, 0
			tier.Price.Currency = rapid.SampledFrom([]string{"", "EUR"}).Draw(t, "currency")
		}
	}
	for i := range p.Detail.FAQ {
		p.Detail.FAQ[i].Answer = ""
	}
}

// drawPricing draws the price of the cheapest tier, which is the default, or another one.
func drawPricing(t *rapid.T, tiers []product.Tier) product.Pricing {
	switch rapid.IntRange(0, 2).Draw(t, "pricing") {
	case 0:
		return product.Pricing{Type: product.Free}
	case 1:
		return product.Pricing{Type: product.Paid, Price: drawMoney(t, 1)}
	}
	out := product.Pricing{Type: product.Free}
	for _, tier := range tiers {
		if tier.Price.Minor > 0 && (out.Type == product.Free || tier.Price.Rank() < out.Price.Rank()) {
			out = product.Pricing{Type: product.Paid, Price: tier.Price}
		}
	}
	return out
}

func drawComparison(t *rapid.T, ids []string) *product.Comparison {
	c := &product.Comparison{
		Columns: ids[:rapid.IntRange(0, len(ids)).Draw(t, "columns")],
		Rows:    []product.ComparisonRow{},
	}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		row := product.ComparisonRow{Feature: line(200).Draw(t, "feature"), Values: make(map[string]any)}
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

// Catalog draws up to three products that a catalog can describe, in the order of their slugs.
func Catalog(t *rapid.T) []product.Product {
	slugs := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9]{1,4}(-[a-z0-9]{1,3})?`), 0, 3,
		rapid.ID[string]).Draw(t, "slugs")
	slices.Sort(slugs)
	var products []product.Product
	for _, slug := range slugs {
		products = append(products, drawProduct(t, slug))
	}
	return products
}

// Faults returns the issues of a VALIDATION_ERROR, each as "path code".
func Faults(tb testing.TB, err error) []string {
	tb.Helper()
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || e.Code != errs.CodeValidation {
		tb.Fatalf("error = %v, want VALIDATION_ERROR", err)
	}
	var out []string
	for _, i := range e.Details["issues"].([]errs.Issue) {
		out = append(out, i.Path+" "+i.Code)
	}
	return out
}
