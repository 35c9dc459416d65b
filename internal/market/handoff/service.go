package handoff

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
)

// Licenses are the licenses that are handed over. *license.Service implements it.
type Licenses interface {
	// Get returns the license with that id, or license.ErrNotFound.
	Get(ctx context.Context, id string) (license.Listed, error)
	// GetByKey returns the license with that key, as its holder wrote it, or license.ErrNotFound.
	GetByKey(ctx context.Context, key string) (license.Listed, error)
}

// Trials gives trials. *order.Service implements it.
type Trials interface {
	StartTrial(ctx context.Context, slug string, r order.TrialRequest) (order.Confirmation, error)
}

// Service lets other stoas buy. All fields are required. It is safe for concurrent use.
type Service struct {
	Store     Store
	Products  order.Products
	Licenses  Licenses
	Orders    Trials
	Vault     *license.Vault
	PublicURL string // of this stoa
	Now       func() time.Time
	Log       *slog.Logger
}

// offer returns a product for sale and one of its tiers, or ErrNoProduct or ErrNoTier.
func (s *Service) offer(ctx context.Context, slug, tierID string) (p product.Product, t product.Tier, err error) {
	p, err = s.Products.Get(ctx, slug)
	if errs.KindOf(err) == errs.NotFound || err == nil && !p.Published {
		err = ErrNoProduct
	}
	if err != nil {
		return p, t, err
	}
	t, ok := p.Tier(tierID)
	if !ok || t.Unpriced {
		err = ErrNoTier
	}
	return p, t, err
}

// Begin makes a handoff. The browser pays at its CheckoutURL. The errors are VALIDATION_ERROR for what Request.Issues
// finds and for a LicenseKey that is not that of a trial of the product, ErrNoProduct and ErrNoTier.
func (s *Service) Begin(ctx context.Context, r Request) (Handoff, error) {
	if err := r.Issues().Err(); err != nil {
		return Handoff{}, err
	}
	p, tier, err := s.offer(ctx, r.ProductSlug, r.TierID)
	if err != nil {
		return Handoff{}, err
	}
	h := Handoff{
		Handoff:     order.Handoff{ID: ids.New(), ProductID: p.ID, TierID: tier.ID, CreatedAt: s.Now().UTC()},
		ProductSlug: p.Slug, Instance: r.Instance, PlatformID: r.PlatformID, ReturnURL: r.ReturnURL, SecretHash: r.SecretHash,
	}
	if r.LicenseKey != "" {
		l, err := s.Licenses.GetByKey(ctx, r.LicenseKey)
		t := l.License
		if errs.KindOf(err) == errs.NotFound || err == nil && (!t.Trial || t.ProductID != p.ID || !t.RevokedAt.IsZero()) {
			return Handoff{}, errNotTrial()
		}
		if err != nil {
			return Handoff{}, err
		}
		h.LicenseID = t.ID
	}
	return h, s.Store.Create(ctx, h)
}

func errNotTrial() error {
	var is errs.Issues
	is.Add("licenseKey", errs.CodeInvalid,
		"licenseKey must be that of a trial of the product, which was neither bought nor revoked.")
	return is.Err()
}

// CheckoutURL returns the page where a handoff is paid.
func (s *Service) CheckoutURL(h Handoff) string {
	return s.PublicURL + "/checkout/" + url.PathEscape(h.ProductSlug) + "/" + url.PathEscape(h.TierID) + "?handoff=" + h.ID
}

// Get returns a handoff, to whoever knows its id, or order.ErrHandoffUnknown.
func (s *Service) Get(ctx context.Context, id string) (h Handoff, err error) {
	if !ids.Plausible(id) {
		return h, order.ErrHandoffUnknown
	}
	h, err = s.Store.ByID(ctx, id)
	if errs.KindOf(err) == errs.NotFound {
		err = order.ErrHandoffUnknown
	}
	return h, err
}

// Claim returns the license key of a handoff to the stoa that has its secret, or no key while nothing is paid. Repeated
// within order.HandoffClaimed it returns the same.
//
// The errors are order.ErrHandoffUnknown, ErrSecret, whatever the state, and order.ErrHandoffOver, also if the license
// was revoked.
func (s *Service) Claim(ctx context.Context, id, secret string) (license.Key, error) {
	h, err := s.Get(ctx, id)
	if err != nil {
		return license.Key{}, err
	}
	if !h.opens(secret) {
		return license.Key{}, ErrSecret
	}
	now := s.Now()
	switch state, _ := h.At(now); state {
	case order.HandoffIsOpen, order.HandoffIsPending:
		return license.Key{}, nil
	case order.HandoffIsOver:
		return license.Key{}, order.ErrHandoffOver
	case order.HandoffIsPaid, order.HandoffIsClaimed:
	}
	key, err := s.keyOf(ctx, h)
	if err == nil { // recorded before it is given: a stoa that did not hear it asks again
		err = s.Store.Claim(ctx, id, now)
	}
	if err != nil {
		key = license.Key{}
	}
	return key, err
}

// keyOf returns the key of the license of a paid handoff, or order.ErrHandoffOver if that was revoked.
func (s *Service) keyOf(ctx context.Context, h Handoff) (license.Key, error) {
	l, err := s.Licenses.Get(ctx, h.Order.LicenseID)
	if err != nil {
		return license.Key{}, err
	}
	if !l.License.RevokedAt.IsZero() {
		return license.Key{}, order.ErrHandoffOver
	}
	return s.Vault.Open(l.License)
}

const (
	// kept is how long handoffs stay: longer than the longest, which is ordered and paid in the last moment.
	kept       = 60 * 24 * time.Hour
	sweepEvery = 24 * time.Hour
)

// Tend deletes handoffs that were over long ago, until ctx ends.
func (s *Service) Tend(ctx context.Context) {
	task := background.Task{Every: sweepEvery, Log: s.Log, Failed: "old handoffs cannot be deleted"}
	task.Run(ctx, func(ctx context.Context) error { return s.Store.Sweep(ctx, s.Now().Add(-kept)) })
}
