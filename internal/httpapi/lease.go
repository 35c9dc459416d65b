package httpapi

import (
	"net/http"

	"stoa/internal/market"
)

// leaseLicense serves GET /api/marketplace/products/{slug}/license/lease: a
// statement with which the app may go on without network (CONTRACT 3). Who may
// not use the licence is refused as by verifyLicense.
func (s *Server) leaseLicense(w http.ResponseWriter, r *http.Request, use market.UseRequest, nonce string) error {
	type granted struct {
		Valid      bool      `json:"valid"`
		Lease      string    `json:"lease"`
		ExpiresAt  timestamp `json:"expiresAt"`
		GraceUntil timestamp `json:"graceUntil"`
	}

	lease, refusal, err := s.Market.Lease(r.Context(), r.PathValue("slug"), use, nonce)
	if err != nil {
		return err
	}
	if refusal != market.Usable {
		refuse(w, refusal)
		return nil
	}
	writeJSON(w, http.StatusOK, granted{Valid: true, Lease: lease.Token, ExpiresAt: timestamp(lease.ExpiresAt), GraceUntil: timestamp(lease.GraceUntil)})
	return nil
}
