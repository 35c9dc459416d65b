package market

import (
	"errors"
	"log/slog"
	"net/http"

	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/data/idempotency"
	"stoa/internal/market/handoff"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// BeginHandoff serves POST /api/market/v1/handoffs.
func (h *Handlers) BeginHandoff(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		HandoffID   string        `json:"handoffId"`
		CheckoutURL string        `json:"checkoutUrl"`
		ExpiresAt   web.Timestamp `json:"expiresAt"`
	}

	in, err := web.ReadInput(w, r, handoff.Request.Issues)
	if err != nil {
		return err
	}
	made, err := h.Handoffs.Begin(r.Context(), in)
	if err != nil {
		return err
	}
	_, end := made.At(h.Handoffs.Now())
	web.NoStore(w)
	web.WriteJSON(w, http.StatusCreated, response{made.ID, h.Handoffs.CheckoutURL(made), web.Timestamp(end)})
	return nil
}

// GetHandoff serves GET /api/market/v1/handoffs/{id}.
func (h *Handlers) GetHandoff(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Instance    string             `json:"instance"`
		ProductSlug string             `json:"productSlug"`
		TierID      string             `json:"tierId"`
		ReturnURL   string             `json:"returnUrl"`
		State       order.HandoffState `json:"state"`
		ExpiresAt   web.Timestamp      `json:"expiresAt"`
	}

	found, err := h.Handoffs.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	state, end := found.At(h.Handoffs.Now())
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, response{
		found.Instance, found.ProductSlug, found.TierID, found.ReturnURL, state, web.Timestamp(end),
	})
	return nil
}

// ClaimHandoff serves POST /api/market/v1/handoffs/{id}/claim.
func (h *Handlers) ClaimHandoff(w http.ResponseWriter, r *http.Request) error {
	type request struct {
		Secret string `json:"secret"`
	}

	in, err := web.ReadJSON(w, r, func(in request) (is errs.Issues) {
		is.Require("secret", in.Secret)
		return is
	})
	if err != nil {
		return err
	}
	key, err := h.Handoffs.Claim(r.Context(), r.PathValue("id"), in.Secret)
	if errors.Is(err, handoff.ErrSecret) {
		if limited := h.Limits.CountAddress(w, r, limit.HandoffSecret); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	web.NoStore(w) // it may contain the key
	if key.None() {
		web.WriteJSON(w, http.StatusAccepted, struct{}{})
		return nil
	}
	web.WriteJSON(w, http.StatusOK, newGivenKey(key))
	return nil
}

// StartTrial serves POST /api/market/v1/trials.
func (h *Handlers) StartTrial(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadInput(w, r, handoff.TrialRequest.Issues)
	if err != nil {
		return err
	}
	in.OrderID = idempotency.Seed(r.Context())
	key, err := h.Handoffs.StartTrial(r.Context(), in)
	if err != nil {
		return err
	}
	h.Count("orders", "trial")
	h.Log.InfoContext(r.Context(), "trial started for another stoa", slog.String("product", in.ProductSlug),
		slog.String("tier", in.TierID), slog.String("instance", in.Instance))
	web.NoStore(w) // it contains the key
	web.WriteJSON(w, http.StatusCreated, newGivenKey(key))
	return nil
}

// givenKey is a license key for another stoa.
type givenKey struct {
	LicenseKey string `json:"licenseKey"`
}

func newGivenKey(key license.Key) givenKey { return givenKey{key.Reveal()} }
