package license

import (
	"context"
	"fmt"
	"time"

	"stoa/internal/shop/license/lease"
)

// LeaseTerms says how long leases last.
type LeaseTerms struct {
	// TTL is how long an app may run on a lease without contacting the shop.
	TTL time.Duration
	// Grace is how much longer it may run while it warns its user. It may be zero.
	Grace time.Duration
}

// DefaultLeaseTerms cover a week without network, and a long weekend after it.
var DefaultLeaseTerms = LeaseTerms{TTL: 7 * 24 * time.Hour, Grace: 3 * 24 * time.Hour}

// Bounds of LeaseTerms. The two maxima together stay below KeyPurpose.Retention, so no lease outlives
// the published key that verifies it.
const (
	MinLeaseTTL   = time.Minute
	MaxLeaseTTL   = 365 * 24 * time.Hour
	MaxLeaseGrace = 30 * 24 * time.Hour
)

// Check returns an error unless the terms are within their bounds.
func (t LeaseTerms) Check() error {
	switch {
	case t.TTL < MinLeaseTTL || t.TTL > MaxLeaseTTL:
		return fmt.Errorf("a lease must last %s to %s", MinLeaseTTL, MaxLeaseTTL)
	case t.Grace < 0 || t.Grace > MaxLeaseGrace:
		return fmt.Errorf("the grace period of a lease must be 0s to %s", MaxLeaseGrace)
	}
	return nil
}

// Lease is a signed statement with which an app may run without network.
type Lease struct {
	Token string
	// Development says that the instance is a development instance.
	Development bool
	// Trial says that the license is a trial.
	Trial bool
	// ExpiresAt and GraceUntil are whole seconds, and never later than the license expires.
	ExpiresAt  time.Time
	GraceUntil time.Time
}

// Lease returns a lease for an instance that may use the license with the given key. It refuses what
// Verify refuses, with the same errors, and as expired a license that ends within the second: no lease
// is shorter than that. The lease contains nonce unless it is empty.
//
// Nothing is recorded. A lease stays valid until it ends, whatever happens to the license meanwhile;
// LeaseTerms bounds that time.
func (s *Service) Lease(ctx context.Context, slug string, req UseRequest, nonce string) (Lease, Refusal, error) {
	use, refusal, err := s.Verify(ctx, slug, req)
	if err != nil || refusal != Usable {
		return Lease{}, refusal, err
	}
	l := use.License
	now := s.Now().UTC().Truncate(time.Second)
	ends, graceEnds := s.Leases.span(now, l.usableUntil())
	if !ends.After(now) {
		return Lease{}, Expired, nil
	}
	instanceID, _ := normalInstanceID(req.InstanceID) // Verify checked it
	claims := lease.Claims{
		Issuer:  s.PublicURL,
		Subject: l.ID, Product: lease.Product{ID: l.ProductID, Slug: slug},
		InstanceID: instanceID, Features: l.Features, LicenseType: string(l.Type),
		Development: use.Development, Trial: l.Trial, IssuedAt: now.Unix(), ExpiresAt: ends.Unix(),
		GraceUntil: graceEnds.Unix(), Tier: l.TierID, Nonce: nonce,
	}
	if claims.Features == nil {
		claims.Features = []string{}
	}
	if !l.ExpiresAt.IsZero() {
		claims.LicenseExpiresAt = l.ExpiresAt.Unix()
	}
	key, err := s.LeaseKeys.Signer(ctx)
	if err != nil {
		return Lease{}, Usable, err
	}
	token, err := lease.Sign(key, claims)
	return Lease{Token: token, Development: use.Development, Trial: l.Trial, ExpiresAt: ends, GraceUntil: graceEnds},
		Usable, err
}

// span returns when a lease that begins now ends, and when its grace period ends. licenseEnds is when
// the license expires; zero means that it is perpetual.
func (t LeaseTerms) span(now, licenseEnds time.Time) (ends, graceEnds time.Time) {
	ends = now.Add(t.TTL)
	graceEnds = ends.Add(t.Grace)
	if last := licenseEnds.Truncate(time.Second); !licenseEnds.IsZero() {
		ends, graceEnds = earlier(ends, last), earlier(graceEnds, last)
	}
	return ends, graceEnds
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
