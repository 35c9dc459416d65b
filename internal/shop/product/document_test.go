package product_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stoa/internal/app/demo/goods"
	"stoa/internal/shop/product"
	"stoa/internal/shop/product/producttest"
)

func TestAMinimalCatalogIsRead(t *testing.T) {
	t.Parallel()

	c, err := product.ParseCatalog([]byte(producttest.Least))
	if err != nil {
		t.Fatal(err)
	}
	want := product.Product{
		Slug: "a", Name: "A", Category: "c", ShortDescription: "s", Description: "d", Icon: "/i.svg", Published: true,
		Pricing: product.Pricing{Type: product.Free},
		Detail: product.Detail{
			FullDescription: "d",
			Tiers:           []product.Tier{{ID: "t", Name: "T", Price: product.Money{Currency: "EUR"}, MaxInstances: 1}},
		},
	}
	if diff := cmp.Diff(c.Products, []product.Product{want}); diff != "" {
		t.Errorf("products (-got +want):\n%s", diff)
	}
}

func TestAJSONCatalogIsReadLikeYAML(t *testing.T) {
	t.Parallel()

	const text = `{"currency": "EUR", "products": [{"slug": "a", "name": "A", "category": "c", "shortDescription": "s", "description": "d",
		"icon": "/i.svg", "rating": 4.5, "featured": true, "comparison": null, "pricingTiers": [{"id": "t", "name": "T", "price": 9.90}]}]}`
	if !json.Valid([]byte(text)) {
		t.Fatal("the test is not JSON")
	}
	c, err := product.ParseCatalog([]byte(text))
	if err != nil ||
		c.Products[0].Pricing != (product.Pricing{Type: product.Paid, Price: product.Money{Minor: 990, Currency: "EUR"}}) ||
		!c.Products[0].Featured {
		t.Errorf("ParseCatalog = %+v, %v", c.Products, err)
	}
}

// What is sent to the API may stand in a catalog: the nearest currency holds.
func TestTheNearestCurrencyHolds(t *testing.T) {
	t.Parallel()

	const text = `{"currency": "EUR", "products": [
		{"slug": "a", "name": "A", "category": "c", "shortDescription": "s", "description": "d", "icon": "/i.svg", "currency": "USD",
			"pricingTiers": [{"id": "t", "name": "T", "price": 1}, {"id": "u", "name": "U", "price": 2, "currency": "JPY"}]},
		{"slug": "b", "name": "B", "category": "c", "shortDescription": "s", "description": "d", "icon": "/i.svg",
			"pricingTiers": [{"id": "t", "name": "T", "price": 1}]}]}`
	c, err := product.ParseCatalog([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.Products[0].Detail.Tiers, c.Products[1].Detail.Tiers
	if got := a[0].Price.Currency + a[1].Price.Currency + b[0].Price.Currency; got != "USDJPYEUR" {
		t.Errorf("currencies = %s", got)
	}
}

func TestEveryFaultOfACatalogIsReported(t *testing.T) {
	t.Parallel()

	const text = `
currency: EUR
extra: 1
products:
  - slug: Not A Slug
    name: 2024
    title: typo
    category: c
    category: d
    shortDescription: [s]
    icon: ../i.svg
    screenshots: ./a.svg
    rating: 5.1
    reviewCount: -1
    downloadCount: many
    featured: maybe
    createdAt: yesterday
    highlights: [ok, 1, ""]
    pricing: {type: paid}
    features: [{title: t}]
    faq: [{question: q, anwser: a}]
    pricingTiers:
      - {id: t, name: T, price: 1.999}
      - {id: t, name: T, price: cheap, billingPeriod: weekly, maxInstances: 0}
      - {id: u, name: U, price: 1, currency: ABC}
    comparison: {columns: [t, x], rows: [{feature: f, values: {u: true, t: 1}}]}
  - just a text
  - {slug: b, name: B, category: c, shortDescription: s, description: d, icon: /i.svg, pricing: {type: free, price: 1}, pricingTiers: []}
  - {slug: b, name: B, category: c, shortDescription: s, description: d, icon: /i.svg, pricing: {type: cheap}, pricingTiers: [{id: t, name: T, price: 0}]}
`
	_, err := product.ParseCatalog([]byte(text))
	want := []string{
		"extra unknown_field",
		"products[0].title unknown_field", "products[0].category duplicate", "products[0].description required",
		"products[0].name wrong_type", "products[0].shortDescription wrong_type",
		"products[0].highlights[1] wrong_type", "products[0].highlights[2] out_of_range",
		"products[0].reviewCount out_of_range", "products[0].downloadCount wrong_type", "products[0].featured wrong_type",
		"products[0].createdAt wrong_type",
		"products[0].slug invalid", "products[0].rating out_of_range", "products[0].icon bad_media",
		"products[0].screenshots wrong_type",
		"products[0].features[0].items required",
		"products[0].pricingTiers[0].price out_of_range",
		"products[0].pricingTiers[1].price wrong_type", "products[0].pricingTiers[1].maxInstances out_of_range",
		"products[0].pricingTiers[1].id duplicate", "products[0].pricingTiers[1].billingPeriod unknown_value",
		"products[0].pricingTiers[2].currency unknown_value",
		"products[0].faq[0].anwser unknown_field", "products[0].faq[0].answer required",
		"products[0].comparison.columns[1] unknown_value", "products[0].comparison.rows[0].values.u unknown_value",
		"products[0].comparison.rows[0].values.t wrong_type",
		"products[0].pricing.price required",
		"products[1] wrong_type",
		"products[2].pricingTiers required", "products[2].pricing.price out_of_range",
		"products[3].pricing.type unknown_value", "products[3].slug duplicate",
	}
	if diff := cmp.Diff(producttest.Faults(t, err), want); diff != "" {
		t.Errorf("faults (-got +want):\n%s", diff)
	}
	if !strings.Contains(err.Error(), `line 7: there is no field "title" here`) {
		t.Errorf("the message has no line number: %v", err)
	}
}

func TestInvalidFilesAreRefused(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct{ text, want string }{
		"empty":          {"", " malformed"},
		"only a comment": {"# nothing\n", " malformed"},
		"a list":         {"[]", " wrong_type"},
		"no products":    {"currency: EUR", "products required"},
		"bad YAML":       {"products: [", " malformed"},
		"two documents":  {producttest.Least + "\n---\n" + producttest.Least, " malformed"},
		"an alias":       {"x: &a {}\nproducts: *a", "x unknown_field|products wrong_type"},
		"no currency": {
			strings.Replace(producttest.Least, ", currency: EUR", ", ", 1),
			"products[0].pricingTiers[0].currency required",
		},
		"too large": {strings.Repeat("#", 32<<20+1), " out_of_range"},
		"a NUL in a text": {
			strings.Replace(producttest.Least, "description: d,", `description: "\0",`, 1),
			"products[0].description out_of_range",
		},
		"a year too early": {
			strings.Replace(producttest.Least, "name: A,", "name: A, createdAt: 1969-01-01,", 1),
			"products[0].createdAt out_of_range",
		},
		"a huge count": {strings.Replace(producttest.Least, "name: A,", "name: A, reviewCount: 99999999999999999999,",
			1), "products[0].reviewCount out_of_range"},
		"a line in a name": {
			strings.Replace(producttest.Least, "name: A,", `name: "A\nB",`, 1),
			"products[0].name out_of_range",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := product.ParseCatalog([]byte(tt.text))
			if got := strings.Join(producttest.Faults(t, err), "|"); got != tt.want {
				t.Errorf("faults = %q, want %q", got, tt.want)
			}
		})
	}
}

// The example in the documentation and the demo are valid catalogs.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()

	doc, err := os.ReadFile("../../../docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/catalog.md has no YAML example")
	}
	if _, err := product.ParseCatalog([]byte(example)); err != nil {
		t.Errorf("docs/catalog.md: %v", err)
	}
	demo, err := goods.FS.ReadFile(goods.File)
	if err != nil {
		t.Fatal(err)
	}
	c, err := product.ParseCatalog(demo)
	if err != nil || len(c.Products) != 12 {
		t.Errorf("demo: %d products, %v", len(c.Products), err)
	}
}

func FuzzParseCatalog(f *testing.F) {
	f.Add(producttest.Least)
	f.Add("products:\n  - {slug: a, comparison: {columns: [t], rows: [{feature: f, values: {t: true}}]}}")
	f.Add("&a [*a]")
	f.Add(string(twoTiers(`{"DE-at": {"name": "A", "tiers": {"t": {"features": ["f"]}}, "comparison": {"rows": [{"values": {"t": "x"}}, {}]}}}`)))
	f.Add(string(twoTiers(`{"de": {"faq": [{}], "comparison": {"columns": [], "rows": [[], {"values": {"t": false}}]}}, "x": {"tiers": {"": 1}}}`)))
	f.Add(`{"products":[{"icon":"./x.svg","rating":1e999,"createdAt":"2026-01-01"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := product.ParseCatalog([]byte(text))
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		for _, p := range c.Products {
			if p.Slug == "" || seen[p.Slug] || len(p.Detail.Tiers) == 0 || !(p.RatingBase >= 0 && p.RatingBase <= 5) {
				t.Errorf("a bad product was accepted: %+v", p)
			}
			seen[p.Slug] = true
			for tag := range p.Translations {
				if product.LanguageTag(tag) != tag || p.In(tag).Name == "" {
					t.Errorf("a bad translation was accepted: %q: %+v", tag, p)
				}
			}
		}
		for _, format := range []product.Format{product.YAML, product.JSON} {
			var text bytes.Buffer
			if err := product.WriteCatalog(&text, format, c.Products); err != nil {
				t.Fatal(err)
			}
			again, err := product.ParseCatalog(text.Bytes())
			if err != nil {
				t.Fatalf("a catalog written as %s is refused: %v\n%s", format, err, text.Bytes())
			}
			if diff := cmp.Diff(again.Products, c.Products, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-got +want):\n%s", format, diff)
			}
		}
	})
}
