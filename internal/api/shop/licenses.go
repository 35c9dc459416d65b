package shop

import (
	"context"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/license"
)

// licenseInfo is a license as the API shows it (contract 3.7).
type licenseInfo struct {
	ID               string         `json:"id"`
	ProductID        string         `json:"productId"`
	LicenseKey       string         `json:"licenseKey"`
	Type             license.Type   `json:"type"`
	Status           license.Status `json:"status"`
	Features         []string       `json:"features"`
	MaxInstances     int            `json:"maxInstances"`
	CurrentInstances int            `json:"currentInstances"`
	ExpiresAt        web.Timestamp  `json:"expiresAt,omitzero"`
	CreatedAt        web.Timestamp  `json:"createdAt"`
}

// shownKey returns a key as the caller of a request may see it: staff who act as its owner may not use it. It is empty
// for no key.
func shownKey(ctx context.Context, key license.Key) string {
	if key.None() {
		return ""
	}
	if reqctx.CallerFrom(ctx).Impersonator != "" {
		return key.Masked()
	}
	return key.Reveal()
}

func newLicenseInfo(ctx context.Context, g license.InUse) licenseInfo {
	l := g.License
	return licenseInfo{
		ID: l.ID, ProductID: l.ProductID, LicenseKey: shownKey(ctx, g.Key),
		Type: l.Type, Status: g.Status, Features: web.OrEmpty(l.Features),
		MaxInstances: l.MaxInstances, CurrentInstances: l.Instances,
		ExpiresAt: web.Timestamp(l.ExpiresAt), CreatedAt: web.Timestamp(l.CreatedAt),
	}
}

// ownLicense is a license as its owner sees it.
type ownLicense struct {
	licenseInfo

	ProductSlug          string `json:"productSlug"`
	ProductName          string `json:"productName"`
	TierID               string `json:"tierId"`
	TierName             string `json:"tierName"`
	OrderID              string `json:"orderId,omitempty"`
	Paid                 bool   `json:"paid"`
	DevelopmentInstances int    `json:"developmentInstances"`
	Ends                 bool   `json:"ends,omitempty"`
	Trial                bool   `json:"trial,omitempty"`
	// Next is absent unless a change begins with the next period.
	Next *wire.NextPlan `json:"next,omitempty"`
}

func newOwnLicense(ctx context.Context, l license.Owned) ownLicense {
	return ownLicense{
		licenseInfo: newLicenseInfo(ctx, license.InUse{
			Usage: license.Usage{License: l.License}, Key: l.Key, Status: l.Status,
		}),
		ProductSlug: l.ProductSlug, ProductName: l.ProductName,
		TierID: l.License.TierID, TierName: l.TierName, OrderID: l.OrderID, Ends: l.License.Ends, Trial: l.License.Trial,
		Next: wire.NewNextPlan(l.License), Paid: l.License.Paid, DevelopmentInstances: l.License.DevelopmentInstances,
	}
}

// ListLicenses serves GET /api/marketplace/licenses: those of the signed-in user.
func (h *Handlers) ListLicenses(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Licenses   []ownLicense   `json:"licenses"`
		Pagination web.Pagination `json:"pagination"`
	}

	p, err := web.OnlyPage(r)
	if err != nil {
		return err
	}
	found, total, err := h.Licenses.ListOwn(r.Context(), p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.NoStore(w)
	shown := func(l license.Owned) ownLicense { return newOwnLicense(r.Context(), l) }
	web.WriteJSON(w, http.StatusOK, response{Licenses: web.Items(found, shown), Pagination: p.Of(total)})
	return nil
}

// GetLicense serves GET /api/marketplace/licenses/{id}: of the signed-in user.
func (h *Handlers) GetLicense(w http.ResponseWriter, r *http.Request) error {
	l, err := h.Licenses.GetOwn(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteJSON(w, http.StatusOK, newOwnLicense(r.Context(), l))
	return nil
}
