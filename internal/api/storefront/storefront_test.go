package storefront_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa/internal/api/storefront"
	"stoa/internal/api/web"
	"stoa/internal/html/locale"
	pages "stoa/internal/html/storefront"
	"stoa/internal/html/wording"
	"stoa/internal/store"
	"stoa/internal/testkit"
)

// handlers serve the pages of a.
func handlers(tb testing.TB, a *testkit.App) *storefront.Handlers {
	tb.Helper()
	built, err := wording.Built()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := pages.New(built.Words, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return &storefront.Handlers{
		Pages: p, Kept: storefront.NewKept(), Generations: store.NewShopGeneration(a.DB),
		Languages: locale.New(built.Tags, nil),
		Site:      func(context.Context) (pages.Site, error) { return pages.Site{Name: "Acme"}, nil },
		Catalog:   a.Catalog, Reviews: a.Reviews, Releases: a.Releases,
	}
}

// Addresses that anybody can make up take memory from one another only.
func TestForgedAddressesAreNotKeptAmongPages(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	h := handlers(t, a)
	visit := func(serve web.HandlerFunc, query string, values ...string) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+query, nil)
		for i := 0; i < len(values); i += 2 {
			r.SetPathValue(values[i], values[i+1])
		}
		if err := serve(httptest.NewRecorder(), r); err != nil {
			t.Errorf("%s %v: %v", query, values, err)
		}
	}
	for _, query := range []string{"", "?category=other", "?sort=name"} {
		visit(h.Browse, query)
	}
	visit(h.Product, "", "slug", "mail-pack")
	visit(h.Product, "", "slug", "nothing")
	visit(h.Checkout, "", "slug", "mail-pack", "tier", "once")
	visit(h.App, "")
	visit(h.Order, "")
	want, _ := h.Kept.Counts()
	if want != 8 {
		t.Errorf("%d pages of 8 are kept", want)
	}
	const each = 20
	for i := range each {
		forged := fmt.Sprint("forged", i)
		for _, query := range []string{"?sort=" + forged, "?utm=" + forged, "?page=" + forged, "?page=0", "?lang=" + forged} {
			visit(h.Browse, query) // the front page
		}
		for _, query := range []string{"?q=" + forged, "?category=" + forged, fmt.Sprint("?page=", i+2)} {
			visit(h.Browse, query)
		}
		visit(h.Product, "?reviews="+forged, "slug", "mail-pack") // the same page
		visit(h.Product, fmt.Sprint("?reviews=", i+2), "slug", "mail-pack")
		visit(h.Product, "", "slug", forged)
		visit(h.Product, "", "slug", "No "+forged)
		visit(h.Checkout, "", "slug", "mail-pack", "tier", forged)
		visit(h.Checkout, "", "slug", forged, "tier", "once")
		visit(h.Order, "?payment="+forged)
	}
	if got, many := h.Kept.Counts(); got != want || many != 4*each {
		t.Errorf("%d pages are kept and %d others, want %d and %d", got, many, want, 4*each)
	}
}
