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
	type response struct {
		Success    bool    `json:"success"`
		OrderID    string  `json:"orderId"`
		LicenseKey string  `json:"licenseKey"`
		PaymentURL *string `json:"paymentUrl"` // null rather than absent (contract 3.3)
	}

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
	status := order.Paid
	if receipt.PaymentURL != "" {
		status = order.Pending
	}
	h.Count("orders", string(status))
	h.Log.InfoContext(r.Context(), "order "+string(status), slog.String("order", receipt.OrderID),
		slog.String("product", r.PathValue("slug")), slog.String("tier", in.TierID))
	out := response{Success: true, OrderID: receipt.OrderID, LicenseKey: shownKey(r.Context(), receipt.LicenseKey)}
	if receipt.PaymentURL != "" {
		out.PaymentURL = &receipt.PaymentURL
	}
	web.NoStore(w) // it contains the key
	wire.MarkPayments(w, h.Orders)
	web.WriteJSON(w, http.StatusOK, out)
	return nil
}
