package shop

import (
	"encoding/json"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/product"
)

// errNoTier is returned by routes that look at a tier. A purchase is refused in another way.
var errNoTier = errs.New(errs.NotFound, "NOT_FOUND",
	"The product has no such pricing tier. GET the product for its pricingTiers.")

// Price serves GET /api/marketplace/products/{slug}/price: what a tier costs, with a discount code or without.
func (h *Handlers) Price(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Price    json.Number `json:"price"`
		Discount json.Number `json:"discount"`
		Total    json.Number `json:"total"`
		Currency string      `json:"currency"`
	}

	q := r.URL.Query()
	code := q.Get("discountCode")
	if err := h.countCode(w, r, code); err != nil {
		return err
	}
	var faults errs.Issues
	if !faults.Require("tierId", q.Get("tierId")) {
		return faults.Err()
	}
	p, err := h.Catalog.Published(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	tier, ok := p.Tier(q.Get("tierId"))
	if !ok {
		return errNoTier
	}
	quote := discount.Quote{Off: product.Money{Currency: tier.Price.Currency}}
	if code != "" {
		if quote, err = h.Discounts.Quote(r.Context(), p.Slug, tier, code); err != nil {
			return err
		}
	}
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, response{
		tier.Price.Amount(), quote.Off.Amount(), quote.Total(tier.Price).Amount(), tier.Price.Currency,
	})
	return nil
}
