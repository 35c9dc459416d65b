package catalog_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"stoa/internal/app/demo/goods"
	"stoa/internal/base/errs"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
	"stoa/internal/shop/product/producttest"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const svg = `<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg"/>`

// withIcon returns a folder with a catalog of one product, whose icon is the given file.
func withIcon(icon string, content string) fstest.MapFS {
	fsys := fstest.MapFS{
		"shop/catalog.yaml": {Data: []byte(strings.Replace(producttest.Least, "/i.svg", `"`+icon+`"`, 1))},
	}
	if content != "" {
		fsys[filepath.ToSlash(filepath.Join("shop", icon))] = &fstest.MapFile{Data: []byte(content)}
	}
	return fsys
}

func TestImportingTwiceChangesNothing(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		first, err := a.Catalog.Import(t.Context(), goods.FS, goods.File)
		if err != nil || first != (catalog.ImportResult{Created: 12}) {
			t.Fatalf("Import = %+v, %v", first, err)
		}
		if _, err := a.Orders.Purchase(t.Context(), "mail-courier",
			order.PurchaseRequest{TierID: "pro", PaymentMethod: "card"}); err != nil {
			t.Fatal(err)
		}
		before, err := a.Catalog.Published(t.Context(), "mail-courier")
		if err != nil {
			t.Fatal(err)
		}
		a.Clock.Advance(time.Hour)
		second, err := a.Catalog.Import(t.Context(), goods.FS, goods.File)
		if err != nil || second != (catalog.ImportResult{Unchanged: 12}) {
			t.Errorf("Import again = %+v, %v", second, err)
		}
		after, err := a.Catalog.Published(t.Context(), "mail-courier")
		if err != nil || !after.UpdatedAt.Equal(before.UpdatedAt) || after.DownloadCount != before.DownloadCount {
			t.Errorf("after = %v, %d downloads, %v; want %v, %d", after.UpdatedAt, after.DownloadCount, err, before.UpdatedAt,
				before.DownloadCount)
		}
	})
}

func TestImportUpdatesWhatChangedAndDeletesNothing(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)

	two := `{currency: EUR, ` + strings.TrimSuffix(
		producttest.Least,
		"]",
	) + `, {slug: b, name: B, category: c, shortDescription: s, description: d, icon: /i.svg, pricingTiers: [{id: t, ` +
		`name: T, price: 1}]}]}`
	load := func(text string) catalog.ImportResult {
		t.Helper()
		res, err := a.Catalog.Import(t.Context(), fstest.MapFS{"c.yaml": {Data: []byte(text)}}, "c.yaml")
		if err != nil {
			t.Fatal(err)
		}
		a.Clock.Advance(time.Minute)
		return res
	}
	load(two)
	before, err := a.Catalog.Published(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got := load(strings.Replace(two, "name: A", "name: Z",
		1)); got != (catalog.ImportResult{Updated: 1, Unchanged: 1}) {
		t.Errorf("with one change = %+v", got)
	}
	after, err := a.Catalog.Published(t.Context(), "a")
	if err != nil || after.ID != before.ID || after.Name != "Z" ||
		!after.UpdatedAt.Equal(before.UpdatedAt.Add(time.Minute)) ||
		!after.CreatedAt.Equal(before.CreatedAt) {
		t.Errorf("after = %+v, %v", after, err)
	}
	if got := load(producttest.Least); got != (catalog.ImportResult{Updated: 1}) {
		t.Errorf("with the other left out = %+v", got)
	}
	if _, err := a.Catalog.Published(t.Context(), "b"); err != nil {
		t.Errorf("the product left out is gone: %v", err)
	}
}

func TestAFaultyCatalogImportsNothing(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)

	fsys := fstest.MapFS{
		"c.yaml": {Data: []byte(strings.TrimSuffix(producttest.Least, "]") + `, {slug: b, icon: ./missing.svg}]`)},
	}
	_, err := a.Catalog.Import(t.Context(), fsys, "c.yaml")
	if got := strings.Join(producttest.Faults(t, err), "|"); !strings.Contains(got, "products[1].name required") ||
		!strings.Contains(got, "products[1].icon bad_media") {
		t.Errorf("faults = %s", got)
	}
	if page, err := a.Catalog.List(t.Context(),
		catalog.ListQuery{Page: 1, Limit: 1, Sort: catalog.SortFeatured}); err != nil ||
		page.Total != 0 {
		t.Errorf("%d products were imported, %v", page.Total, err)
	}
	fsys["large.yaml"] = &fstest.MapFile{
		Data: []byte(producttest.Least + "\n" + strings.Repeat("#", product.MaxCatalog-len(producttest.Least))),
	}
	if _, err := a.Catalog.Import(t.Context(), fsys, "large.yaml"); strings.Join(producttest.Faults(t, err),
		"|") != " out_of_range" {
		t.Errorf("a file that is too large = %v", err)
	}
	if _, err := a.Catalog.Import(t.Context(), fsys, "nope.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file = %v", err)
	}
}

// For example, two replicas start with --demo on one database.
func TestImportsAtOnceAreOneImport(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			total catalog.ImportResult
		)
		for range 4 {
			wg.Go(func() {
				res, err := a.Catalog.Import(t.Context(), goods.FS, goods.File)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				total.Created += res.Created
				total.Updated += res.Updated
				total.Unchanged += res.Unchanged
			})
		}
		wg.Wait()
		if total != (catalog.ImportResult{Created: 12, Unchanged: 36}) {
			t.Errorf("all together = %+v", total)
		}
	})
}

func TestMediaIsCheckedAndKept(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)

	png, jpg, webp := testkit.PNG(1, 1), testkit.JPEG(1, 1), testkit.WebP(1, 1)
	for _, tt := range []struct{ name, icon, content, want string }{
		{"SVG", "./i.svg", svg, ".svg"},
		{"PNG", "./media/i.PNG", png, ".png"},
		{"JPEG", "./i.jpeg", jpg, ".jpg"},
		{"WebP", "./i.webp", webp, ".webp"},
		{"the largest", "./i.png", png + strings.Repeat("x", 2<<20-len(png)), ".png"},
		{"one byte more", "./i.png", png + strings.Repeat("x", 2<<20-len(png)+1), ""},
		{"missing", "./none.svg", "", ""},
		{"a folder", "./.", "", ""},
		{"outside of the folder", "./../i.svg", svg, ""},
		{"far outside", "./../../../etc/passwd", "", ""},
		{"absolute after all", ".//etc/passwd", "", ""},
		{"another type", "./i.gif", "GIF89a", ""},
		{"a page", "./i.html", "<html/>", ""},
		{"another content", "./i.png", svg, ""},
		{"HTML as SVG", "./i.svg", `<html xmlns="http://www.w3.org/1999/xhtml"/>`, ""},
		{"SVG without its namespace", "./i.svg", `<svg/>`, ""},
		{"broken SVG", "./i.svg", `<svg xmlns="http://www.w3.org/2000/svg">`, ""},
		{"SVG with entities", "./i.svg", `<!DOCTYPE svg [<!ENTITY a "a">]><svg xmlns="http://www.w3.org/2000/svg"/>`, ""},
		{"empty", "./i.svg", " ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			app := a
			if tt.want != "" {
				app = testkit.New(t) // the others store nothing
			}
			_, err := app.Catalog.Import(t.Context(), withIcon(tt.icon, tt.content), "shop/catalog.yaml")
			if tt.want == "" {
				if got := strings.Join(producttest.Faults(t, err), "|"); got != "products[0].icon bad_media" {
					t.Errorf("faults = %q (%v)", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p, err := app.Catalog.Published(t.Context(), "a")
			if err != nil || !strings.HasPrefix(p.Icon, "/media/") || !strings.HasSuffix(p.Icon, tt.want) {
				t.Errorf("icon = %q, %v", p.Icon, err)
			}
		})
	}
}

// A link in the catalog's folder must not lead out of it.
func TestMediaIsNotReadThroughLinks(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)

	dir := t.TempDir()
	inside := filepath.Join(dir, "shop")
	if err := errors.Join(
		os.Mkdir(inside, 0o700),
		os.WriteFile(filepath.Join(dir, "secret.svg"), []byte(svg), 0o600),
		os.Symlink("../secret.svg", filepath.Join(inside, "i.svg")),
		os.WriteFile(filepath.Join(inside, "c.yaml"), []byte(strings.Replace(producttest.Least, "/i.svg", "./i.svg", 1)),
			0o600),
	); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = a.Catalog.Import(t.Context(), root.FS(), "c.yaml")
	if errs.KindOf(err) != errs.Invalid {
		t.Errorf("Import = %v, want it refused", err)
	}
}
