package admin_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/app/demo/goods"
	"stoa/internal/testkit"
)

// importText sends a catalog, which must be answered with the status want.
func importText(tb testing.TB, a *testkit.App, token, contentType, text string, want int) testkit.Response {
	tb.Helper()
	res := a.Do(tb, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/admin/catalog", Token: token,
		Body: text, Header: http.Header{"Content-Type": {contentType}},
	})
	if res.Status != want {
		tb.Fatalf("import = %d, want %d\n%s", res.Status, want, res.Body)
	}
	return res
}

func export(tb testing.TB, a *testkit.App, token, format string) testkit.Response {
	tb.Helper()
	return manage(tb, a, token, http.MethodGet, "/api/v1/admin/catalog?format="+format, nil, http.StatusOK)
}

// The demo's catalog moves with its pictures from one engine to the other and
// back.
func TestACatalogMovesToAnotherStoa(t *testing.T) {
	t.Parallel()

	from, to := testkit.New(t), testkit.New(t, testkit.OnPostgres)
	if _, err := from.Catalog.Import(t.Context(), goods.FS, goods.File); err != nil {
		t.Fatal(err)
	}
	ada, eve := from.Admin(t, "ada").Access, to.Admin(t, "eve").Access
	manage(t, from, ada, http.MethodPatch, managed+"/mail-courier", map[string]any{"published": false, "position": -7},
		http.StatusOK)
	file := export(t, from, ada, "yaml")
	if file.Header.Get("Content-Type") != "application/yaml" ||
		file.Header.Get("Content-Disposition") != `attachment; filename="catalog.yaml"` {
		t.Errorf("headers = %v", file.Header)
	}

	// Without the pictures, every field that needs one is named.
	bad := importText(t, to, eve, "application/yaml", string(file.Body), http.StatusBadRequest)
	if issues := bad.Get(t, "error.details.issues").([]any); len(issues) != 36 {
		t.Errorf("%d issues, want 12 icons and 24 screenshots\n%s", len(issues), bad.Body)
	}
	media, err := goods.FS.ReadDir("media")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range media {
		content, err := goods.FS.ReadFile("media/" + m.Name())
		if err != nil {
			t.Fatal(err)
		}
		upload(t, to, eve, "image/svg+xml", string(content), http.StatusCreated)
	}
	res := importText(t, to, eve, "application/yaml", string(file.Body), http.StatusOK)
	if got := fmt.Sprint(res.Get(t, "data")); got != "map[created:12 unchanged:0 updated:0]" {
		t.Errorf("import = %s", got)
	}
	if again := export(t, to, eve, "yaml"); !bytes.Equal(again.Body, file.Body) {
		t.Errorf("the export of what was imported differs:\n%s\nwas:\n%s", again.Body, file.Body)
	}
	asJSON := export(t, to, eve, "json")
	res = importText(t, from, ada, "application/json", string(asJSON.Body), http.StatusOK)
	if got := fmt.Sprint(res.Get(t, "data")); got != "map[created:0 unchanged:12 updated:0]" {
		t.Errorf("import of the JSON = %s", got)
	}
	if again := export(t, from, ada, "json"); !bytes.Equal(again.Body, asJSON.Body) {
		t.Error("the JSON export differs")
	}
}

func TestAnEmptyShopIsExported(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	for format, want := range map[string]string{
		"yaml": "products: []\n", "json": "{\n  \"products\": []\n}\n", "": "products: []\n",
	} {
		res := export(t, a, admin, format)
		if string(res.Body) != want {
			t.Errorf("%s = %q, want %q", format, res.Body, want)
		}
		importText(t, a, admin, "application/yaml", string(res.Body), http.StatusOK)
	}
	testkit.WantError(t, a.Do(t, testkit.Get(admin, "/api/v1/admin/catalog?format=xml")), http.StatusBadRequest,
		"VALIDATION_ERROR")
}

func TestAFaultyUploadImportsNothing(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "ada").Access
	good := "{slug: a, name: A, category: c, shortDescription: s, description: d, icon: /i.svg, " +
		"pricingTiers: [{id: t, name: T, price: 0, currency: EUR}]}"
	bad := strings.NewReplacer("slug: a", "slug: b", "/i.svg", "./i.svg").Replace(good)
	text := "products:\n  - " + good + "\n  - " + bad + "\n  - {slug: c, titel: t}\n"
	res := importText(t, a, admin, "text/yaml", text, http.StatusBadRequest)
	var got []string
	for _, is := range res.Get(t, "error.details.issues").([]any) {
		got = append(got, is.(map[string]any)["path"].(string))
	}
	if !slices.Contains(got, "products[1].icon") || !slices.Contains(got, "products[2].titel") ||
		!strings.Contains(res.Text(t, "error.message"), "line 4: there is no field") {
		t.Errorf("issues = %q\n%s", got, res.Body)
	}
	if list := manage(t, a, admin, http.MethodGet, managed, nil, http.StatusOK); slugsOf(t, list) != "" {
		t.Errorf("%q was imported", slugsOf(t, list))
	}
	for _, broken := range []string{"", "{", "products: [", "\xff"} {
		importText(t, a, admin, "application/yaml", broken, http.StatusBadRequest)
	}
	importText(t, a, admin, "text/plain", "products: []", http.StatusUnsupportedMediaType)
	importText(t, a, admin, "", "products: []", http.StatusUnsupportedMediaType)
	pad := "products: []\n#" + strings.Repeat("x", 32<<20-14)
	importText(t, a, admin, "application/yaml", pad, http.StatusOK)
	importText(t, a, admin, "application/yaml", pad+"x", http.StatusRequestEntityTooLarge)
}
