// Package storefront serves the shop's pages to people: the catalog, products, the checkout, and the
// frame of the signed-in part. The pages get their data from the same services as the API.
package storefront

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/paging"
	pages "stoa/internal/html/storefront"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
)

// Handlers serve the pages. All fields are required.
type Handlers struct {
	Pages *pages.Pages
	Site  func(ctx context.Context) pages.Site

	Catalog  *catalog.Service
	Reviews  *review.Service
	Releases *release.Service
}

// Browse serves GET /, the catalog. It ignores invalid parts of the query, so that a shared URL always
// shows something.
func (h *Handlers) Browse(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	found, err := h.Catalog.List(r.Context(), q)
	if err != nil {
		return err
	}
	return h.Pages.Catalog(h.Site(r.Context()), q, found, write(w, r, http.StatusOK))
}

// readQuery reads the query of the catalog, without its invalid parts.
func readQuery(r *http.Request) catalog.ListQuery {
	values := r.URL.Query()
	q := catalog.ListQuery{Page: number(values.Get("page")), Limit: pages.PageSize, Sort: catalog.SortFeatured}
	for _, set := range []func(q *catalog.ListQuery){
		func(q *catalog.ListQuery) { q.Sort = catalog.Sort(values.Get("sort")) },
		func(q *catalog.ListQuery) { q.Search = strings.TrimSpace(values.Get("q")) },
		func(q *catalog.ListQuery) { q.Category = values.Get("category") },
	} {
		next := q
		set(&next)
		if issues := next.Issues(); issues.Err() == nil {
			q = next
		}
	}
	return q
}

// number reads a page number; anything invalid is page 1.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 1
	}
	return n
}

// maxPage is the largest page number that pages show.
const maxPage = 1_000_000

// Product serves GET /p/{slug}. Products that are not published have no page.
func (h *Handlers) Product(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	one, err := h.Catalog.Published(ctx, r.PathValue("slug"))
	if errs.KindOf(err) == errs.NotFound {
		return h.Missing(w, r)
	} else if err != nil {
		return err
	}
	shown := pages.Shown{Product: one, ReviewPage: number(r.URL.Query().Get("reviews"))}
	shown.Reviews, shown.ReviewTotal, err = h.Reviews.ListShown(ctx, one.Slug, pages.ReviewsPage,
		paging.Offset(shown.ReviewPage, pages.ReviewsPage))
	if err != nil {
		return err
	}
	carried, ok, err := h.Releases.Of(ctx, one.ID)
	if err != nil {
		return err
	} else if ok {
		shown.Package = &carried
	}
	return h.Pages.Product(h.Site(ctx), shown, write(w, r, http.StatusOK))
}

// Checkout serves GET /checkout/{slug}/{tier}. Where nothing is for sale, the script says so.
func (h *Handlers) Checkout(w http.ResponseWriter, r *http.Request) error {
	one, err := h.Catalog.Published(r.Context(), r.PathValue("slug"))
	if errs.KindOf(err) == errs.NotFound {
		return h.App(w, r)
	} else if err != nil {
		return err
	}
	tier, ok := one.Tier(r.PathValue("tier"))
	if !ok {
		return h.App(w, r)
	}
	return h.Pages.Checkout(h.Site(r.Context()), one, tier, write(w, r, http.StatusOK))
}

// App serves the pages of the signed-in part, which its script fills.
func (h *Handlers) App(w http.ResponseWriter, r *http.Request) error {
	return h.Pages.App(h.Site(r.Context()), write(w, r, http.StatusOK))
}

// Order serves GET /orders/{id}, to which buyers also return after the payment page.
func (h *Handlers) Order(w http.ResponseWriter, r *http.Request) error {
	return h.Pages.Order(h.Site(r.Context()), r.URL.Query().Get("payment"), write(w, r, http.StatusOK))
}

// Missing answers people at the URL of a product that does not exist.
func (h *Handlers) Missing(w http.ResponseWriter, r *http.Request) error {
	return h.Pages.Missing(h.Site(r.Context()), write(w, r, http.StatusNotFound))
}

// write returns a function that sends a rendered page.
func write(w http.ResponseWriter, r *http.Request, status int) func(html []byte) error {
	return func(html []byte) error {
		header := w.Header()
		header.Set("Content-Security-Policy", pages.Policy)
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		web.WriteHTML(w, r, status, html)
		return nil
	}
}
