package httpapi

import (
	"errors"
	"log/slog"
	"net/http"

	"stoa/internal/idempotency"
	"stoa/internal/market"
)

// listProducts serves GET /api/marketplace/products.
func (s *Server) listProducts(w http.ResponseWriter, r *http.Request) error {
	type filters struct {
		Categories []string `json:"categories"`
	}
	type response struct {
		Products   []productItem `json:"products"`
		Pagination pagination    `json:"pagination"`
		Filters    filters       `json:"filters"`
	}

	q, at, err := readListQuery(r)
	if err != nil {
		return err
	}
	found, err := s.Market.List(r.Context(), q)
	if err != nil {
		return err
	}
	out := response{
		Products:   make([]productItem, 0, len(found.Products)),
		Pagination: at.of(found.Total),
		Filters:    filters{Categories: orEmpty(found.Categories)},
	}
	for _, p := range found.Products {
		out.Products = append(out.Products, toProductItem(p))
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// readListQuery reads the parameters of the product list. An empty filter counts
// as absent, as forms send it.
func readListQuery(r *http.Request) (market.ListQuery, page, error) {
	var is issues
	q, at := readProductFilter(r, &is)
	return q, at, is.err()
}

// readProductFilter reads the parameters that all lists of products have, and
// notes what is wrong.
func readProductFilter(r *http.Request, is *issues) (market.ListQuery, page) {
	v := r.URL.Query()
	at := readPage(r, is)
	q := market.ListQuery{
		Page: at.Number, Limit: at.Limit,
		Category: v.Get("category"), Search: v.Get("q"), Sort: market.SortFeatured,
		Featured: readBoolean(r, "featured", is), Trending: readBoolean(r, "trending", is),
	}
	if sort := v.Get("sort"); sort != "" {
		q.Sort = market.Sort(sort)
	}
	is.merge(q.Issues())
	return q, at
}

// readBoolean reads a parameter that is true, false or absent, and notes what is
// wrong.
func readBoolean(r *http.Request, name string, is *issues) *bool {
	switch text := r.URL.Query().Get(name); text {
	case "":
	case "true", "false":
		b := text == "true"
		return &b
	default:
		is.add(name, "wrong_type", "%s must be true or false.", name)
	}
	return nil
}

// getProduct serves GET /api/marketplace/products/{slug}.
func (s *Server) getProduct(w http.ResponseWriter, r *http.Request) error {
	p, err := s.Market.Get(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, toProductDetail(p))
	return nil
}

// purchaseProduct serves POST /api/marketplace/products/{slug}/purchase.
func (s *Server) purchaseProduct(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Success    bool    `json:"success"`
		OrderID    string  `json:"orderId"`
		LicenseKey string  `json:"licenseKey"`
		PaymentURL *string `json:"paymentUrl"` // null rather than absent (CONTRACT 3)
	}

	in, err := readJSON(w, r, market.PurchaseRequest.Issues)
	if err != nil {
		return err
	}
	in.OrderID = idempotency.Seed(r.Context())
	receipt, err := s.Market.Purchase(r.Context(), r.PathValue("slug"), in)
	if errors.Is(err, market.ErrPaymentRefused) {
		// The buyer sees that it was; only the operator can mend it.
		s.Log.WarnContext(r.Context(), "payment refused by the provider", slog.Any("err", err))
	}
	if err != nil {
		return err
	}
	out := response{Success: true, OrderID: receipt.OrderID, LicenseKey: receipt.LicenseKey.Reveal()}
	if receipt.PaymentURL != "" {
		out.PaymentURL = &receipt.PaymentURL
	}
	noStore(w) // it holds the key
	writeJSON(w, http.StatusOK, out)
	return nil
}

// activateLicense serves POST /api/marketplace/products/{slug}/activate.
func (s *Server) activateLicense(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, market.UseRequest.Issues)
	if err != nil {
		return err
	}
	grant, err := s.Market.Activate(r.Context(), r.PathValue("slug"), in)
	if err != nil {
		return err
	}
	writeLicense(w, grant)
	return nil
}
