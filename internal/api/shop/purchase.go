package shop

import (
	"errors"
	"log/slog"
	"net/http"

	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/data/idempotency"
	"stoa/internal/shop/order"
)

// Purchase serves POST /api/marketplace/products/{slug}/purchase.
func (h *Handlers) Purchase(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, order.PurchaseRequest.Issues)
	if err != nil {
		return err
	}
	if err := h.countCode(w, r, in.DiscountCode); err != nil {
		return err
	}
	in.OrderID = idempotency.Seed(r.Context())
	receipt, err := h.Orders.Purchase(r.Context(), r.PathValue("slug"), in)
	if err != nil {
		return h.refused(r, err)
	}
	h.placed(r, receipt, slog.String("product", r.PathValue("slug")), slog.String("tier", in.TierID))
	wire.MarkPayments(w, h.Orders)
	writeConfirmation(w, r, receipt)
	return nil
}

// countCode counts a request with a discount code against the limit of its address.
func (h *Handlers) countCode(w http.ResponseWriter, r *http.Request, code string) error {
	if code == "" {
		return nil
	}
	return h.Limits.CountAddress(w, r, limit.Discount)
}

// refused returns the error of an order that was not placed. It logs a payment that the provider refused: the buyer
// sees the error too, but only the operator can fix it.
func (h *Handlers) refused(r *http.Request, err error) error {
	if errors.Is(err, order.ErrPaymentRefused) {
		h.Log.WarnContext(r.Context(), "payment refused by the provider", slog.Any("err", err))
	}
	return err
}

// placed counts an order, and logs what it is for.
func (h *Handlers) placed(r *http.Request, c order.Confirmation, of ...slog.Attr) {
	status := order.Paid
	if c.PaymentURL != "" {
		status = order.Pending
	}
	h.Count("orders", string(status))
	h.Log.LogAttrs(r.Context(), slog.LevelInfo, "order "+string(status),
		append([]slog.Attr{slog.String("order", c.OrderID)}, of...)...)
}

// writeConfirmation answers with what a buyer needs of an order.
func writeConfirmation(w http.ResponseWriter, r *http.Request, c order.Confirmation) {
	type response struct {
		Success    bool    `json:"success"`
		OrderID    string  `json:"orderId"`
		LicenseKey string  `json:"licenseKey"`
		PaymentURL *string `json:"paymentUrl"` // null rather than absent (contract 3.3)
	}

	out := response{Success: true, OrderID: c.OrderID, LicenseKey: shownKey(r.Context(), c.LicenseKey)}
	if c.PaymentURL != "" {
		out.PaymentURL = &c.PaymentURL
	}
	web.NoStore(w) // it contains the key
	web.WriteJSON(w, http.StatusOK, out)
}
