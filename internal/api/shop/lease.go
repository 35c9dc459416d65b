package shop

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/shop/license"
)

// Lease serves GET /api/marketplace/products/{slug}/license/lease: a lease with which the app may run
// without a network (contract 3.12). The answer is signed, and refusals are those of Verify.
func (h *Handlers) Lease(w http.ResponseWriter, r *http.Request) error {
	return h.signed(w, r, h.lease)
}

func (h *Handlers) lease(w http.ResponseWriter, r *http.Request, use license.UseRequest, nonce string) error {
	type granted struct {
		Valid       bool          `json:"valid"`
		Development bool          `json:"development,omitempty"`
		Trial       bool          `json:"trial,omitempty"`
		Lease       string        `json:"lease"`
		ExpiresAt   web.Timestamp `json:"expiresAt"`
		GraceUntil  web.Timestamp `json:"graceUntil"`
	}

	lease, refusal, err := h.Licenses.Lease(r.Context(), r.PathValue("slug"), use, nonce)
	if err != nil {
		return err
	}
	if refusal != license.Usable {
		refuse(w, refusal)
		return nil
	}
	web.WriteJSON(w, http.StatusOK, granted{
		Valid: true, Development: lease.Development, Trial: lease.Trial, Lease: lease.Token,
		ExpiresAt: web.Timestamp(lease.ExpiresAt), GraceUntil: web.Timestamp(lease.GraceUntil),
	})
	return nil
}
