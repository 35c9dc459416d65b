// Package storefront serves the shop's pages to people: the catalog, products, the checkout, and the
// frame of the signed-in part. The pages get their data from the same services as the API, and are the
// same for everybody: what belongs to a person comes from the API. So each is rendered once, until
// something that it shows has changed (Kept, ADR 30).
package storefront

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/paging"
	"stoa/internal/html/locale"
	pages "stoa/internal/html/storefront"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
)

// Handlers serve the pages. All fields are required.
type Handlers struct {
	Pages *pages.Languages
	// Languages tell in which one a page is asked for.
	Languages *locale.Languages
	Kept      *Kept
	// Site returns what pages say of the shop, as it is now.
	Site func(ctx context.Context) (pages.Site, error)

	// Generations has the generations of everything that the pages show.
	Generations catalog.Generations

	Catalog  *catalog.Service
	Reviews  *review.Service
	Releases *release.Service
}

// ReadShop reads how the shop is, once for the whole request, and reports whether a theme app serves the
// shop's addresses. The handlers get the request that it returns.
func (h *Handlers) ReadShop(r *http.Request) (looked *http.Request, themeApp bool, err error) {
	now, err := h.present(r)
	if err != nil {
		return r, false, err
	}
	return r.WithContext(context.WithValue(r.Context(), presentKey{}, now)), now.ThemeApp, nil
}

type presentKey struct{}

func (h *Handlers) present(r *http.Request) (catalog.Present, error) {
	if now, ok := r.Context().Value(presentKey{}).(catalog.Present); ok {
		return now, nil
	}
	slug := r.PathValue("slug")
	if !product.ValidSlug(slug) {
		slug = ""
	}
	return h.Generations.Present(r.Context(), slug)
}

// Browse serves GET /, the catalog. It ignores invalid parts of the query, so that a shared URL always
// shows something.
func (h *Handlers) Browse(w http.ResponseWriter, r *http.Request) error {
	now, err := h.present(r)
	if err != nil {
		return err
	}
	return h.answer(w, r, http.StatusOK, key{kind: catalogPage, query: readQuery(r)}, now.List, h.catalogPage)
}

func (h *Handlers) catalogPage(ctx context.Context, k key) (p rendering, err error) {
	site, err := h.Site(ctx)
	if err != nil {
		return p, err
	}
	page, query := h.in(k, &site), k.query
	query.Language = page.Language()
	found, err := h.Catalog.List(ctx, query)
	if err != nil {
		return p, err
	}
	// Searches, categories and page numbers that find nothing are without end.
	p.oneOfMany = k.query.Search != "" || len(found.Products) == 0 && (k.query.Category != "" || k.query.Page > 1)
	p.html, err = page.Catalog(site, query, found)
	return p, err
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
	now, err := h.present(r)
	if err != nil {
		return err
	}
	if !now.OnSale {
		return h.Missing(w, r)
	}
	k := key{kind: productPage, slug: r.PathValue("slug"), reviews: number(r.URL.Query().Get("reviews"))}
	err = h.answer(w, r, http.StatusOK, k, now.Product, h.productPage)
	if errs.KindOf(err) == errs.NotFound { // since a moment ago
		return h.Missing(w, r)
	}
	return err
}

func (h *Handlers) productPage(ctx context.Context, k key) (p rendering, err error) {
	site, err := h.Site(ctx)
	if err != nil {
		return p, err
	}
	one, err := h.Catalog.Published(ctx, k.slug)
	if err != nil {
		return p, err
	}
	page := h.in(k, &site)
	shown := pages.Shown{Product: one.In(page.Language()), ReviewPage: k.reviews}
	shown.Reviews, shown.ReviewTotal, err = h.Reviews.ListShown(ctx, one.Slug, pages.ReviewsPage,
		paging.Offset(shown.ReviewPage, pages.ReviewsPage))
	if err != nil {
		return p, err
	}
	if shown.Offered, err = h.Releases.Offered(ctx, one.ID); err != nil {
		return p, err
	}
	p.oneOfMany = k.reviews > 1 && len(shown.Reviews) == 0
	p.html, err = page.Product(site, shown)
	return p, err
}

// Checkout serves GET /checkout/{slug}/{tier}. Where nothing is for sale, the script says so.
func (h *Handlers) Checkout(w http.ResponseWriter, r *http.Request) error {
	k := key{kind: checkoutPage, slug: r.PathValue("slug"), tier: r.PathValue("tier")}
	err := h.ofShop(w, r, http.StatusOK, k, h.checkoutPage)
	if errs.KindOf(err) == errs.NotFound {
		return h.App(w, r)
	}
	return err
}

func (h *Handlers) checkoutPage(ctx context.Context, k key) (p rendering, err error) {
	site, err := h.Site(ctx)
	if err != nil {
		return p, err
	}
	one, err := h.Catalog.Published(ctx, k.slug)
	if err != nil {
		return p, err
	}
	page := h.in(k, &site)
	one = one.In(page.Language())
	tier, ok := one.Tier(k.tier)
	if !ok {
		return p, product.ErrNotFound
	}
	p.html, err = page.Checkout(site, one, tier)
	return p, err
}

// App serves the pages of the signed-in part, which its script fills.
func (h *Handlers) App(w http.ResponseWriter, r *http.Request) error {
	return h.ofShop(w, r, http.StatusOK, key{kind: appPage},
		h.frame(func(p *pages.Pages, site pages.Site, _ key) ([]byte, error) {
			return p.App(site)
		}))
}

// Order serves GET /orders/{id}, to which buyers also return after the payment page.
func (h *Handlers) Order(w http.ResponseWriter, r *http.Request) error {
	k := key{kind: orderPage}
	switch payment := r.URL.Query().Get("payment"); payment {
	case "success", "cancelled":
		k.payment = payment
	}
	return h.ofShop(w, r, http.StatusOK, k, h.frame(func(p *pages.Pages, site pages.Site, k key) ([]byte, error) {
		return p.Order(site, k.payment)
	}))
}

// Missing answers people at the URL of a product that does not exist.
func (h *Handlers) Missing(w http.ResponseWriter, r *http.Request) error {
	return h.ofShop(w, r, http.StatusNotFound, key{kind: missingPage},
		h.frame(func(p *pages.Pages, site pages.Site, _ key) ([]byte, error) { return p.Missing(site) }))
}

// frame returns a function that renders a page which shows nothing but the shop's settings.
func (h *Handlers) frame(page func(p *pages.Pages, site pages.Site, k key) ([]byte, error)) render {
	return func(ctx context.Context, k key) (p rendering, err error) {
		site, err := h.Site(ctx)
		if err != nil {
			return p, err
		}
		p.html, err = page(h.in(k, &site), site, k)
		return p, err
	}
}

// in returns what writes the page of k: in the shop's language if the request named none. It tells the
// site what the page's address names.
func (h *Handlers) in(k key, site *pages.Site) *pages.Pages {
	site.Languages = h.Languages.Offered()
	if k.named {
		site.Named = k.language
	}
	return h.Pages.In(cmp.Or(k.language, site.Language))
}

// ofShop answers with a page that shows no downloads.
func (h *Handlers) ofShop(w http.ResponseWriter, r *http.Request, status int, k key, draw render) error {
	now, err := h.present(r)
	if err != nil {
		return err
	}
	return h.answer(w, r, status, k, now.Shop, draw)
}

// answer sends the page of k as of a generation.
func (h *Handlers) answer(
	w http.ResponseWriter, r *http.Request, status int, k key, now catalog.Generation, draw render,
) error {
	k.language, k.named = h.Languages.Of(r)
	page, err := h.Kept.get(r.Context(), k, now, draw)
	if err != nil {
		return err
	}
	web.VaryByLanguage(w)
	header := w.Header()
	header.Set("Content-Security-Policy", pages.Policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	web.WritePage(w, r, status, page)
	return nil
}
