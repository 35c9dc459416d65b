package shop

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/data/idempotency"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
)

// ListOrders serves GET /api/marketplace/orders: those of the signed-in user.
func (h *Handlers) ListOrders(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Orders     []ownOrder     `json:"orders"`
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
	wire.MarkPayments(w, h.Orders)
	web.WriteJSON(w, http.StatusOK, response{Orders: web.Items(orders, newOwnOrder), Pagination: p.Of(total)})
	return nil
}

// ownOrder is an order as its owner sees it.
type ownOrder struct {
	wire.Order

	// PaymentURL is the page at which a pending order is paid.
	PaymentURL string `json:"paymentUrl,omitempty"`

	TierName string `json:"tierName"`
	// BillingPeriod is absent if the order is paid once, ExpiresAt if the license has no end.
	BillingPeriod product.BillingPeriod `json:"billingPeriod,omitempty"`
	Renews        bool                  `json:"renews,omitempty"`
	ExpiresAt     web.Timestamp         `json:"expiresAt,omitzero"`
	// RefundableUntil is absent unless the buyer may take the order back.
	RefundableUntil web.Timestamp `json:"refundableUntil,omitzero"`
}

func newOwnOrder(o order.Listed) ownOrder {
	out := ownOrder{
		Order: wire.NewOrder(o), TierName: o.TierName, Renews: o.Renews(), ExpiresAt: web.Timestamp(o.ExpiresAt),
		RefundableUntil: web.Timestamp(o.RefundableUntil),
	}
	if o.Period.Months() > 0 {
		out.BillingPeriod = o.Period
	}
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

	in, err := web.ReadInput(w, r, order.ClaimRequest.Issues)
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

// OpenClaimLink serves POST /api/marketplace/orders/claim-link: the data that the page behind the link of
// a guest's receipt shows before it asks for a password. The token is in the body, as everywhere.
func (h *Handlers) OpenClaimLink(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Email      string `json:"email"`
		HasAccount bool   `json:"hasAccount"`
	}

	in, err := web.ReadInput(w, r, order.ClaimRequest.Issues)
	if err != nil {
		return err
	}
	email, err := h.Orders.OpenLink(r.Context(), in)
	if err != nil {
		return err
	}
	has, err := h.Accounts.HasAccount(r.Context(), email)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, response{email, has})
	return nil
}

// orderWithKey is an order with the key of its license.
type orderWithKey struct {
	ownOrder

	LicenseKey string `json:"licenseKey"`
}

// GetOrder serves GET /api/marketplace/orders/{id}: of the signed-in user.
func (h *Handlers) GetOrder(w http.ResponseWriter, r *http.Request) error {
	o, key, err := h.Orders.GetOwn(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	wire.MarkPayments(w, h.Orders)
	web.WriteJSON(w, http.StatusOK, orderWithKey{newOwnOrder(o), shownKey(r.Context(), key)})
	return nil
}

// EndSubscription serves POST /api/marketplace/orders/{id}/end-subscription: of the signed-in user.
func (h *Handlers) EndSubscription(w http.ResponseWriter, r *http.Request) error {
	o, err := h.Orders.EndSubscription(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	wire.MarkPayments(w, h.Orders)
	web.WriteJSON(w, http.StatusOK, newOwnOrder(o))
	return nil
}

// OpenPortal serves POST /api/marketplace/orders/{id}/portal: of the signed-in user.
func (h *Handlers) OpenPortal(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		URL string `json:"url"`
	}

	if err := noMembers(w, r); err != nil {
		return err
	}
	url, err := h.Orders.OpenPortal(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, response{url})
	return nil
}

// orderLookUp is the body of a look-up by key. A key must not be in an address.
type orderLookUp struct {
	LicenseKey string `json:"licenseKey"`
}

func (in orderLookUp) issues() (faults errs.Issues) {
	faults.Require("licenseKey", in.LicenseKey)
	return faults
}

// LookUpOrder serves POST /api/marketplace/orders/{id}/lookup. The answer does not name the buyer,
// because anyone who got the key from the buyer may ask too.
func (h *Handlers) LookUpOrder(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadJSON(w, r, orderLookUp.issues)
	if err != nil {
		return err
	}
	o, err := h.Orders.GetByKey(r.Context(), r.PathValue("id"), in.LicenseKey)
	if err != nil {
		return err
	}
	out := newOwnOrder(o)
	out.BillingInfo, out.OrderBill = nil, out.Anonymous()
	web.NoStore(w)
	wire.MarkPayments(w, h.Orders)
	web.WriteJSON(w, http.StatusOK, out)
	return nil
}

// noMembers refuses a body that says anything, of a request that needs none.
func noMembers(w http.ResponseWriter, r *http.Request) error {
	_, err := web.ReadOptional(w, r, func(struct{}) (faults errs.Issues) { return faults })
	return err
}

// TakeBackOrder serves POST /api/marketplace/orders/{id}/refund: of the signed-in user.
func (h *Handlers) TakeBackOrder(w http.ResponseWriter, r *http.Request) error {
	if err := noMembers(w, r); err != nil { // {"amount": 1} does not give all back
		return err
	}
	o, err := h.Orders.TakeBack(r.Context(), r.PathValue("id"), idempotency.Seed(r.Context()))
	if err != nil {
		return err
	}
	web.NoStore(w)
	wire.MarkPayments(w, h.Orders)
	web.WriteJSON(w, http.StatusOK, newOwnOrder(o))
	return nil
}
