package httpapi

import (
	"net/http"

	"stoa/internal/market"
)

// managedLicense is a licence as administrators see it: without its key.
type managedLicense struct {
	ID                   string               `json:"id"`
	ProductID            string               `json:"productId"`
	ProductSlug          string               `json:"productSlug"`
	ProductName          string               `json:"productName"`
	TierID               string               `json:"tierId"`
	UserID               string               `json:"userId"`
	Type                 market.LicenseType   `json:"type"`
	Status               market.LicenseStatus `json:"status"`
	Paid                 bool                 `json:"paid"`
	Features             []string             `json:"features"`
	MaxInstances         int                  `json:"maxInstances"`
	CurrentInstances     int                  `json:"currentInstances"`
	DevelopmentInstances int                  `json:"developmentInstances"`
	PeriodMonths         int                  `json:"periodMonths,omitempty"`
	ExpiresAt            timestamp            `json:"expiresAt,omitzero"`
	RevokedAt            timestamp            `json:"revokedAt,omitzero"`
	CreatedAt            timestamp            `json:"createdAt"`
}

func (s *Server) toManagedLicense(listed market.ListedLicense) managedLicense {
	l := listed.License
	return managedLicense{
		ID: l.ID, ProductID: l.ProductID, ProductSlug: listed.ProductSlug, ProductName: listed.ProductName, TierID: l.TierID, UserID: l.UserID,
		Type: l.Type, Status: l.StatusAt(s.Now()), Paid: l.Paid, Features: orEmpty(l.Features), MaxInstances: l.MaxInstances,
		CurrentInstances: l.Instances, DevelopmentInstances: l.DevelopmentInstances, PeriodMonths: l.Months,
		ExpiresAt: timestamp(l.ExpiresAt), RevokedAt: timestamp(l.RevokedAt), CreatedAt: timestamp(l.CreatedAt),
	}
}

func (s *Server) writeManagedLicense(w http.ResponseWriter, l market.ListedLicense) {
	w.Header().Set("ETag", etag(l.License.Version))
	w.Header().Set("Cache-Control", "no-store")
	writeData(w, http.StatusOK, s.toManagedLicense(l))
}

// revokeLicense serves POST /api/v1/admin/licenses/{id}/revoke.
func (s *Server) revokeLicense(w http.ResponseWriter, r *http.Request) error {
	l, err := s.Market.RevokeLicense(r.Context(), r.PathValue("id"), market.Match(ifMatch(r)))
	if err != nil {
		return err
	}
	s.writeManagedLicense(w, l)
	return nil
}
