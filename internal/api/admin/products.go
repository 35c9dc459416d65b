package admin

import (
	"net/http"
	"net/url"
	"slices"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
)

// managedItem is a product as administrators' lists show it: the fields of a
// catalog (docs/catalog.md), so that what was read can be sent back, and what
// stoa adds to them. Its rating and counts are those of the catalog.
type managedItem struct {
	wire.Product

	Published bool        `json:"published"`
	Position  int         `json:"position"`
	Shown     shownCounts `json:"shown"`
}

// shownCounts are what the shop shows: the figures of the catalog and what has
// been added since.
type shownCounts struct {
	Rating        float64 `json:"rating"`
	ReviewCount   int     `json:"reviewCount"`
	DownloadCount int     `json:"downloadCount"`
}

// managedProduct is a product with all of its fields.
type managedProduct struct {
	managedItem
	wire.ProductDetail

	Translations map[string]product.Translation `json:"translations,omitempty"`
	// Lacks is what keeps a draft from being published.
	Lacks   []errs.Issue         `json:"lacks,omitempty"`
	Package *wire.ManagedPackage `json:"package,omitempty"`
}

func newManagedItem(p product.Product) managedItem {
	item := managedItem{
		Product: wire.NewProduct(p), Published: p.Published, Position: p.Position,
		Shown: shownCounts{Rating: p.Rating, ReviewCount: p.ReviewCount, DownloadCount: p.DownloadCount},
	}
	item.Rating, item.ReviewCount, item.DownloadCount = p.RatingBase, p.ReviewBase, p.DownloadBase
	return item
}

func newManagedProduct(p product.Product) managedProduct {
	return managedProduct{
		managedItem: newManagedItem(p), ProductDetail: wire.NewProductDetail(p.Detail),
		Translations: wire.NewTranslations(p.Translations), Lacks: p.Lacks(),
	}
}

// ListProducts serves GET /api/v1/admin/products.
func (h *Handlers) ListProducts(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q", "published", "category", "featured", "trending", "sort")
	q, p := wire.ReadProductFilter(r, &faults)
	faults.Merge(q.Issues()) // here, because an answer names the fault of published last
	q.Shelf = catalog.AnyShelf
	if published := web.ReadBool(r, "published", &faults); published != nil {
		q.Shelf = catalog.Drafts
		if *published {
			q.Shelf = catalog.OnSale
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	products, total, err := h.Catalog.Find(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteList(w, p, products, total, newManagedItem)
	return nil
}

// CreateProduct serves POST /api/v1/admin/products.
func (h *Handlers) CreateProduct(w http.ResponseWriter, r *http.Request) error {
	doc, err := web.ReadDocument(w, r)
	if err != nil {
		return err
	}
	p, err := h.Catalog.Create(r.Context(), doc)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/admin/products/"+url.PathEscape(p.Slug))
	return h.writeProduct(w, r, http.StatusCreated, p)
}

// GetProduct serves GET /api/v1/admin/products/{slug}.
func (h *Handlers) GetProduct(w http.ResponseWriter, r *http.Request) error {
	p, err := h.Catalog.Get(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	return h.writeProduct(w, r, http.StatusOK, p)
}

// PreviewProduct serves GET /api/v1/admin/products/{slug}/preview: a product as buyers see
// it, or would if it were published; in the language that the address names.
func (h *Handlers) PreviewProduct(w http.ResponseWriter, r *http.Request) error {
	p, err := h.Catalog.Get(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	p.Detail.Tiers = slices.DeleteFunc(p.Detail.Tiers, func(t product.Tier) bool { return t.ID == "" || t.Unpriced })
	page := wire.NewProductPage(p.In(wire.ReadLanguage(r)))
	offered, err := h.Releases.Offered(r.Context(), p.ID)
	if err != nil {
		return err
	}
	page.Package = wire.NewOfferedPackage(offered)
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, page)
	return nil
}

// ChangeProduct serves PATCH /api/v1/admin/products/{slug}.
func (h *Handlers) ChangeProduct(w http.ResponseWriter, r *http.Request) error {
	doc, err := web.ReadDocument(w, r)
	if err != nil {
		return err
	}
	p, err := h.Catalog.Update(r.Context(), r.PathValue("slug"), doc, web.IfMatchText(r))
	if err != nil {
		return err
	}
	return h.writeProduct(w, r, http.StatusOK, p)
}

// DeleteProduct serves DELETE /api/v1/admin/products/{slug}.
func (h *Handlers) DeleteProduct(w http.ResponseWriter, r *http.Request) error {
	if err := h.Catalog.Delete(r.Context(), r.PathValue("slug"), web.IfMatchText(r)); err != nil {
		return err
	}
	web.WriteDone(w, "The product is deleted.")
	return nil
}

// writeProduct answers with a product and the package that it carries.
func (h *Handlers) writeProduct(w http.ResponseWriter, r *http.Request, status int, p product.Product) error {
	managed := newManagedProduct(p)
	if carried, ok, err := h.Releases.Of(r.Context(), p.ID); err != nil {
		return err
	} else if ok {
		shown := wire.NewManagedPackage(carried)
		managed.Package = &shown
	}
	web.SetETag(w, web.Tag(p.Revision()))
	web.WriteData(w, status, managed)
	return nil
}
