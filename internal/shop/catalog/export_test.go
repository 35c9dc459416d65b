package catalog_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/shop/product"
	"stoa/internal/shop/product/producttest"
	"stoa/internal/testkit"
)

// An export of one stoa that is imported into another, empty one creates the same
// products there, and exporting them gives the same bytes.
func TestAnExportCreatesTheSameProductsElsewhere(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, from *testkit.App) {
		to := testkit.New(t)
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			if n++; n > 15 { // each run adds to the catalog
				return
			}
			var drawn bytes.Buffer
			if err := product.WriteCatalog(&drawn, product.YAML, producttest.Catalog(t)); err != nil {
				t.Fatal(err)
			}
			if _, err := from.Catalog.ImportBytes(t.Context(), drawn.Bytes()); err != nil {
				t.Fatal(err)
			}
			exported := func(a *testkit.App, format product.Format) []byte {
				var file bytes.Buffer
				if err := a.Catalog.Export(t.Context(), &file, format, nil); err != nil {
					t.Fatal(err)
				}
				return file.Bytes()
			}
			for _, format := range []product.Format{product.YAML, product.JSON} {
				want := exported(from, format)
				if _, err := to.Catalog.ImportBytes(t.Context(), want); err != nil {
					t.Fatal(err)
				}
				if got := exported(to, format); !bytes.Equal(got, want) {
					t.Fatalf("exported again:\n%s\nwant:\n%s", got, want)
				}
				if res, err := to.Catalog.ImportBytes(t.Context(), want); err != nil || res.Created+res.Updated > 0 {
					t.Fatalf("imported again = %+v, %v", res, err)
				}
			}
		})
	})
}
