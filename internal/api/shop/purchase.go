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
	if in.DiscountCode != "" {
		if err := h.Limits.CountAddress(w, r, limit.Discount); err != nil {
			return err
		}
	}
	in.OrderID = idempotency.Seed(r.Context())
	receipt, err := h.Orders.Purchase(r.Context(), r.PathValue("slug"), in)
	if errors.Is(err, order.ErrPaymentRefused) {
		// The buyer sees the error too, but only the operator can fix it.
		h.Log.WarnContext(r.Context(), "payment refused by the provider", slog.Any("err", err))
	}
	if err != nil {
		return err
	}
	h.placed(r, receipt, slog.String("product", r.PathValue("slug")), slog.String("tier", in.TierID))
	wire.MarkPayments(w, h.Orders)
	writeConfirmation(w, r, receipt)
	return nil
}

// placed counts an order, and logs what it is for.
func (h *Handlers) placed(r *http.Request, c order.Confirmation, of ...slog.Attr) {
	status := order.Paid
	if c.PaymentURL != "" {
		status = order.Pending
	}
	h.Count("orders", string(status))
	h.Log.LogAttrs(r.Context(), slog.LevelInfo, "order "+string(status), append([]slog.Attr{slog.String("order", c.OrderID)}, of...)...)
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
