package shop

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
)

// ListProducts serves GET /api/marketplace/products.
func (h *Handlers) ListProducts(w http.ResponseWriter, r *http.Request) error {
	type filters struct {
		Categories []string `json:"categories"`
	}
	type response struct {
		Products   []wire.ProductItem `json:"products"`
		Pagination web.Pagination     `json:"pagination"`
		Filters    filters            `json:"filters"`
	}

	var faults errs.Issues
	q, p := wire.ReadProductFilter(r, &faults)
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	q.Language = wire.ReadLanguage(r)
	found, err := h.Catalog.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, response{
		Products: web.Items(found.Products, wire.NewProductItem), Pagination: p.Of(found.Total),
		Filters: filters{Categories: web.OrEmpty(found.Categories)},
	})
	return nil
}

// GetProduct serves GET /api/marketplace/products/{slug}.
func (h *Handlers) GetProduct(w http.ResponseWriter, r *http.Request) error {
	p, err := h.Catalog.Published(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	detail := wire.NewProductPage(p.In(wire.ReadLanguage(r)))
	offered, err := h.Releases.Offered(r.Context(), p.ID)
	if err != nil {
		return err
	}
	detail.Package = wire.NewOfferedPackage(offered)
	web.WriteJSON(w, http.StatusOK, detail)
	return nil
}
