package catalog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
	"stoa/internal/shop/product/producttest"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/trust/audit"
)

func load(t *testing.T, a *testkit.App, text string) catalog.ImportResult {
	t.Helper()
	res, err := a.Catalog.ImportBytes(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func exported(t *testing.T, a *testkit.App, format product.Format) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := a.Catalog.Export(t.Context(), &file, format, nil); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// A file that does not mention published does not change it.
func TestAnImportKeepsPublishedUnlessItSetsIt(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		with := func(field string) string { return strings.Replace(producttest.Least, "slug: a", "slug: a"+field, 1) }
		for i, step := range []struct {
			field string
			want  catalog.ImportResult
			sold  bool
		}{
			{"", catalog.ImportResult{Created: 1}, true},
			{", published: false", catalog.ImportResult{Updated: 1}, false},
			{"", catalog.ImportResult{Unchanged: 1}, false},
			{", published: null", catalog.ImportResult{Unchanged: 1}, false},
			{", trending: true", catalog.ImportResult{Updated: 1}, false},
			{", published: true", catalog.ImportResult{Updated: 1}, true},
			{", featured: true", catalog.ImportResult{Updated: 1}, true},
			{"", catalog.ImportResult{Updated: 1}, true}, // other missing fields take their default
		} {
			if got := load(t, a, with(step.field)); got != step.want {
				t.Errorf("%d: import with %q = %+v, want %+v", i, step.field, got, step.want)
			}
			p, err := a.Catalog.Get(t.Context(), "a")
			if err != nil || p.Published != step.sold || p.Featured != (step.field == ", featured: true") {
				t.Errorf("%d: after %q: published %v, featured %v, %v", i, step.field, p.Published, p.Featured, err)
			}
		}
		for _, format := range []product.Format{product.YAML, product.JSON} {
			if file := string(exported(t, a, format)); !strings.Contains(strings.ReplaceAll(file, `"`, ""), "published: true") {
				t.Errorf("the export does not say that the product is published:\n%s", file)
			}
		}
	})
}

// An export states when a product was created, which also applies to a product that
// exists already.
func TestAnImportSetsCreatedAt(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		from := testkit.New(t)
		load(t, from,
			strings.Replace(producttest.Least, "slug: a", "slug: a, createdAt: 2020-02-03T04:05:06.789Z, published: false", 1))
		load(t, a, producttest.Least)
		a.Clock.Advance(time.Hour)
		file := exported(t, from, product.YAML)
		if got := load(t, a, string(file)); got != (catalog.ImportResult{Updated: 1}) {
			t.Errorf("import = %+v", got)
		}
		if again := exported(t, a, product.YAML); !bytes.Equal(again, file) {
			t.Errorf("the export of what was imported:\n%s\nwas:\n%s", again, file)
		}
		if got := load(t, a, string(file)); got != (catalog.ImportResult{Unchanged: 1}) {
			t.Errorf("once more = %+v", got)
		}
		if got := load(t, a, producttest.Least); got != (catalog.ImportResult{Unchanged: 1}) {
			t.Errorf("without createdAt = %+v", got)
		}
	})
}

func TestAnImportIsAuditedProductByProduct(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		other := strings.TrimSuffix(
			strings.TrimPrefix(strings.Replace(producttest.Least, "slug: a", "slug: b", 1), "products: ["), "]")
		load(t, a, producttest.Least)
		load(
			t,
			a,
			strings.TrimSuffix(
				strings.Replace(producttest.Least, "slug: a", "slug: a, published: false, createdAt: 2020-01-01, featured: true",
					1),
				"]",
			)+", "+other+"]",
		)
		load(t, a, strings.TrimSuffix(producttest.Least, "]")+", "+other+"]") // a is featured no more
		load(t, a, "products: ["+other+"]")                                   // nothing

		entries, _, err := store.NewAudit(a.DB).ListEntries(t.Context(), audit.Query{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			details, err := json.Marshal(e.Details)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(e.Action, " ", string(details)))
		}
		slices.Sort(got)
		want := []string{
			`catalog.import {"created":0,"unchanged":1,"updated":1}`,
			`catalog.import {"created":1,"unchanged":0,"updated":0}`,
			`catalog.import {"created":1,"unchanged":0,"updated":1}`,
			`product.create {"published":true,"slug":"a"}`,
			`product.create {"published":true,"slug":"b"}`,
			`product.update {"fields":["featured","published","createdAt"],"published":false,"slug":"a"}`,
			`product.update {"fields":["featured"],"published":false,"slug":"a"}`,
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("audit log (-got +want):\n%s", diff)
		}
	})
}

// ordinaryCatalog returns a catalog of typical products, about 1.2 KB each.
func ordinaryCatalog(products int) string {
	var b strings.Builder
	b.WriteString("products:\n")
	sentence := strings.Repeat("What the product does, for whom, and why. ", 10)
	for i := range products {
		fmt.Fprintf(
			&b,
			"  - slug: p%d\n    name: Product %d\n    category: c%d\n    shortDescription: For the shop and the till.\n    "+
				"icon: /icon.svg\n",
			i,
			i,
			i%20,
		)
		fmt.Fprintf(&b, "    description: %s\n    fullDescription: %s\n    highlights: [Works offline too, Any amount]\n",
			sentence, sentence)
		b.WriteString("    features: [{title: Sell, description: Everywhere., items: [Any amount, Designs of your own]}]\n")
		b.WriteString(
			"    pricingTiers: [{id: basic, name: Basic, price: 0, currency: EUR, features: [Ten a month]}, {id: pro, name: " +
				"Pro, price: 9.90, currency: EUR, billingPeriod: monthly, maxInstances: 3}]\n",
		)
		b.WriteString("    faq: [{question: Do cards expire?, answer: Only if you say so.}]\n")
	}
	return b.String()
}

// It imports in both ways: as a file in a folder (the command line), and as bytes (the
// API). TestAnExportCreatesTheSameProductsElsewhere imports fewer products into an empty
// shop.
func TestALargeShopIsExportedAndImported(t *testing.T) {
	t.Parallel()

	products := needtest.Rounds(1000, 10_000)
	a := testkit.New(t)
	if got := load(t, a, ordinaryCatalog(products)); got.Created != products {
		t.Fatalf("import = %+v", got)
	}
	asYAML, asJSON := exported(t, a, product.YAML), exported(t, a, product.JSON)
	if min(len(asYAML), len(asJSON)) < products<<10 {
		t.Errorf("the exports have %d and %d bytes only", len(asYAML), len(asJSON))
	}
	res, err := a.Catalog.Import(t.Context(), fstest.MapFS{"c.yaml": {Data: asYAML}}, "c.yaml")
	if err != nil || res != (catalog.ImportResult{Unchanged: products}) {
		t.Errorf("Import of the file = %+v, %v", res, err)
	}
	if got := load(t, a, string(asJSON)); got != (catalog.ImportResult{Unchanged: products}) {
		t.Errorf("import of the JSON = %+v", got)
	}
}

// An export must never be a backup that cannot be restored.
func TestAnExportTooLargeToImportIsRefused(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	c := product.ReadCatalog([]byte(producttest.Least), false)
	err := c.Err()
	if err != nil {
		t.Fatal(err)
	}
	const each = 50_000
	p := c.Products[0]
	p.Detail.FullDescription = strings.Repeat("x", each)
	create := func(from, to int) {
		t.Helper()
		err := a.Catalog.Store.InTx(t.Context(), func(tx catalog.Store) (err error) {
			for i := from; i < to && err == nil; i++ {
				p.ID, p.Slug, p.CreatedAt, p.UpdatedAt = fmt.Sprint("id", i), fmt.Sprint("p", i), testkit.T0, testkit.T0
				err = tx.CreateProduct(t.Context(), p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	n := product.MaxCatalog / (each + 400)
	create(0, n)
	if file := exported(t, a, product.YAML); len(file) > product.MaxCatalog {
		t.Errorf("an export of %d bytes", len(file))
	} else if needtest.Proving() { // it takes seconds
		if got := load(t, a, string(file)); got.Unchanged != n {
			t.Errorf("import of the export = %+v", got)
		}
	}
	create(n, n+10)
	var file bytes.Buffer
	if err := a.Catalog.Export(t.Context(), &file, product.YAML, nil); errs.KindOf(err) != errs.Conflict ||
		file.Len() > 0 {
		t.Errorf("Export of more = %v, %d bytes", err, file.Len())
	}
}
