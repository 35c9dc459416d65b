package shop

import (
	"log/slog"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/data/idempotency"
	"stoa/internal/shop/order"
)

// StartTrial serves POST /api/marketplace/products/{slug}/trial.
func (h *Handlers) StartTrial(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Success    bool    `json:"success"`
		OrderID    string  `json:"orderId"`
		LicenseKey string  `json:"licenseKey"`
		PaymentURL *string `json:"paymentUrl"` // always null: as the answer to a purchase of what costs nothing
		Trial      bool    `json:"trial"`
	}

	in, err := web.ReadStrictly(w, r, order.TrialRequest.Issues)
	if err != nil {
		return err
	}
	in.OrderID = idempotency.Seed(r.Context())
	trial, err := h.Orders.StartTrial(r.Context(), r.PathValue("slug"), in)
	if err != nil {
		return err
	}
	h.Count("orders", "trial")
	h.Log.InfoContext(r.Context(), "trial started", slog.String("order", trial.OrderID),
		slog.String("product", r.PathValue("slug")), slog.String("tier", in.TierID))
	web.NoStore(w) // it contains the key
	web.WriteJSON(w, http.StatusOK, response{
		Success: true, OrderID: trial.OrderID, LicenseKey: shownKey(r.Context(), trial.LicenseKey), Trial: true,
	})
	return nil
}
