package extension

import (
	"context"
	"errors"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
)

// shownLicense is the license of a package on the wire (contract 9.7).
type shownLicense struct {
	Market     string            `json:"market"`
	Product    string            `json:"product"`
	Bundle     *string           `json:"bundle"`  // the slug of the bundle whose license it is, or null
	KeyTail    *string           `json:"keyTail"` // null for those who may not read licenses
	Instance   string            `json:"instance"`
	State      entitlement.State `json:"state"`
	Reason     *string           `json:"reason"`
	Tier       string            `json:"tier"`
	ExpiresAt  *web.Timestamp    `json:"expiresAt"`
	GraceUntil web.Timestamp     `json:"graceUntil"`
	CheckedAt  *web.Timestamp    `json:"checkedAt"`
}

// showLicense returns the license l that decides about a package of a kind.
func (h *Handlers) showLicense(ctx context.Context, kind extension.Kind, l entitlement.License) *shownLicense {
	state, reason := l.At(h.Now())
	shown := &shownLicense{
		Market: l.Market, Product: l.Product, Instance: l.Instance, State: state, Reason: orNull(string(reason)),
		Tier: l.Tier, ExpiresAt: web.OrNull(web.Timestamp(l.TermEnds)), GraceUntil: web.Timestamp(l.GraceUntil),
		CheckedAt: web.OrNull(web.Timestamp(l.CheckedAt)),
	}
	if l.Kind != kind {
		shown.Bundle = &l.Slug
	}
	if reqctx.CallerFrom(ctx).May(permission.ReadLicenses) {
		shown.KeyTail = &l.KeyTail
	}
	return shown
}

// licenseOf returns the license of a package, or nil.
func (h *Handlers) licenseOf(ctx context.Context, kind extension.Kind, slug string) (*shownLicense, error) {
	l, err := h.Entitlements.Deciding(ctx, kind, slug)
	if errors.Is(err, entitlement.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return h.showLicense(ctx, kind, l), nil
}

// CheckLicense serves POST /api/v1/admin/extensions/{kind}/{slug}/license/check.
func (h *Handlers) CheckLicense(w http.ResponseWriter, r *http.Request) error {
	if err := h.checkKind(r); err != nil {
		return err
	}
	return h.checkLicense(w, r, kindOf(r))
}

// CheckPluginLicense serves POST /api/v1/admin/plugins/{slug}/license/check.
func (h *Handlers) CheckPluginLicense(w http.ResponseWriter, r *http.Request) error {
	return h.checkLicense(w, r, extension.Plugin)
}

func (h *Handlers) checkLicense(w http.ResponseWriter, r *http.Request, kind extension.Kind) error {
	l, err := h.Entitlements.Deciding(r.Context(), kind, r.PathValue("slug"))
	if err != nil {
		return err
	}
	if l, err = h.Entitlements.Check(r.Context(), l.Kind, l.Slug); err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, h.showLicense(r.Context(), kind, l))
	return nil
}
