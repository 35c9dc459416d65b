package httpapi

import (
	"encoding/json"
	"net/http"

	"stoa/internal/market"
)

// orderInfo is an order as its owner sees it (CONTRACT 3, Order).
type orderInfo struct {
	ID            string              `json:"id"`
	ProductID     string              `json:"productId"`
	ProductSlug   string              `json:"productSlug"`
	ProductName   string              `json:"productName"`
	TierID        string              `json:"tierId"`
	UserID        string              `json:"userId"`
	PaymentMethod string              `json:"paymentMethod"`
	BillingInfo   *market.BillingInfo `json:"billingInfo,omitempty"`
	Amount        json.Number         `json:"amount"`
	Currency      string              `json:"currency"`
	Status        market.OrderStatus  `json:"status"`
	LicenseID     string              `json:"licenseId"`
	CreatedAt     timestamp           `json:"createdAt"`
	PaymentURL    string              `json:"paymentUrl,omitempty"` // of a pending one, for its owner
}

func toOrderInfo(o market.OwnedOrder) orderInfo {
	return orderInfo{
		ID: o.ID, ProductID: o.ProductID, ProductSlug: o.ProductSlug, ProductName: o.ProductName, TierID: o.TierID, UserID: o.UserID,
		PaymentMethod: o.PaymentMethod, BillingInfo: o.Billing, Amount: o.Amount.Amount(), Currency: o.Amount.Currency,
		Status: o.Status(), LicenseID: o.LicenseID, CreatedAt: timestamp(o.CreatedAt),
	}
}

// listOrders serves GET /api/marketplace/orders.
func (s *Server) listOrders(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Orders     []orderInfo `json:"orders"`
		Pagination pagination  `json:"pagination"`
	}

	var is issues
	at := readPage(r, &is)
	if err := is.err(); err != nil {
		return err
	}
	orders, total, err := s.Market.ListOrders(r.Context(), at.Limit, at.offset())
	if err != nil {
		return err
	}
	out := response{Orders: make([]orderInfo, len(orders)), Pagination: at.of(total)}
	for i, o := range orders {
		out.Orders[i] = toOrderInfo(o)
		if o.Status() == market.OrderPending {
			out.Orders[i].PaymentURL = o.PaymentURL
		}
	}
	noStore(w)
	writeJSON(w, http.StatusOK, out)
	return nil
}

// requestClaim serves POST /api/marketplace/orders/claim-request. The answer is
// the same whether there is anything to claim or not.
func (s *Server) requestClaim(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	}

	s.Market.RequestClaim(r.Context())
	writeJSON(w, http.StatusAccepted, response{true, "If orders were placed without an account with your e-mail address, a mail with a link is on its way. The link works for one hour."})
	return nil
}

// claimOrders serves POST /api/marketplace/orders/claim.
func (s *Server) claimOrders(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Claimed int `json:"claimed"`
	}

	in, err := readJSON(w, r, market.ClaimRequest.Issues)
	if err != nil {
		return err
	}
	n, err := s.Market.ClaimOrders(r.Context(), in)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, response{n})
	return nil
}
