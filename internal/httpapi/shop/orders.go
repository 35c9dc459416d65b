package shop

import (
	"net/http"

	"stoa/internal/httpapi/web"
	"stoa/internal/httpapi/wire"
	"stoa/internal/market/order"
)

// ListOrders serves GET /api/marketplace/orders: those of the signed-in user.
func (h *Handlers) ListOrders(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Orders     []wire.Order   `json:"orders"`
		Pagination web.Pagination `json:"pagination"`
	}

	p, err := web.OnlyPage(r)
	if err != nil {
		return err
	}
	orders, total, err := h.Orders.ListOwn(r.Context(), p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.NoStore(w)
	wire.TellPayments(w, h.Orders)
	web.WriteJSON(w, http.StatusOK, response{Orders: web.Items(orders, newOwnOrder), Pagination: p.Of(total)})
	return nil
}

func newOwnOrder(o order.Listed) wire.Order {
	out := wire.NewOrder(o)
	if o.Status() == order.Pending {
		out.PaymentURL = o.PaymentURL
	}
	return out
}

// RequestClaim serves POST /api/marketplace/orders/claim-request. The answer is
// the same whether there is anything to claim or not.
func (h *Handlers) RequestClaim(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	}

	h.Orders.RequestClaim(r.Context())
	web.WriteJSON(w, http.StatusAccepted, response{
		true, "If orders were placed without an account with your e-mail address, " +
			"a mail with a link is on its way. The link works for one hour.",
	})
	return nil
}

// ClaimOrders serves POST /api/marketplace/orders/claim.
func (h *Handlers) ClaimOrders(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Claimed int `json:"claimed"`
	}

	in, err := web.ReadJSON(w, r, order.ClaimRequest.Issues)
	if err != nil {
		return err
	}
	n, err := h.Orders.Claim(r.Context(), in)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, response{n})
	return nil
}
