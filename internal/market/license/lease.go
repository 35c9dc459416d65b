package license

import (
	"context"
	"fmt"
	"time"

	"stoa/internal/market/license/lease"
)

// LeaseTerms says how long leases last.
type LeaseTerms struct {
	// TTL is how long an app may use a lease without asking.
	TTL time.Duration
	// Grace is for how long after that an app may go on while it warns its user.
	// Zero is none.
	Grace time.Duration
}

// DefaultLeaseTerms outlast a week without network, and a weekend after it.
var DefaultLeaseTerms = LeaseTerms{TTL: 7 * 24 * time.Hour, Grace: 3 * 24 * time.Hour}

// Bounds of LeaseTerms. The longest together stay below KeyPurpose.Retention, so
// that a lease never outlives the published key that verifies it.
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
		return fmt.Errorf("the grace of a lease must be 0s to %s", MaxLeaseGrace)
	}
	return nil
}

// Lease is a statement for an app to keep, with which it may go on without
// network.
type Lease struct {
	Token string
	// Development says that the instance is for development.
	Development bool
	// ExpiresAt and GraceUntil are in whole seconds, and never after the end of
	// the licence's own term.
	ExpiresAt  time.Time
	GraceUntil time.Time
}

// Lease gives an instance that may use the licence with the given key now a
// lease. Everybody else is refused as by Verify; so is a licence that ends within
// the second, which no lease could be shorter than. nonce is written into the
// lease unless it is empty. Errors are those of Verify.
//
// Nothing is recorded: a lease goes on working until its end whatever happens to
// the licence meanwhile. Its terms are how long that may be.
func (s *Service) Lease(ctx context.Context, slug string, req UseRequest, nonce string) (Lease, Refusal, error) {
	grant, refusal, err := s.Verify(ctx, slug, req)
	if err != nil || refusal != Usable {
		return Lease{}, refusal, err
	}
	now := s.Now().UTC().Truncate(time.Second)
	ends, graced := s.Leases.span(now, grant.License.ExpiresAt)
	if !ends.After(now) {
		return Lease{}, Expired, nil
	}
	instanceID, _ := normalInstanceID(req.InstanceID) // Verify found it to be one
	claims := lease.Claims{
		Issuer: s.PublicURL, Subject: grant.License.ID, Product: lease.Product{ID: grant.License.ProductID, Slug: slug},
		InstanceID: instanceID, Features: grant.License.Features, LicenseType: string(grant.License.Type),
		Development: grant.Development, IssuedAt: now.Unix(), ExpiresAt: ends.Unix(), GraceUntil: graced.Unix(), Nonce: nonce,
	}
	if claims.Features == nil {
		claims.Features = []string{}
	}
	if !grant.License.ExpiresAt.IsZero() {
		claims.LicenseExpiresAt = grant.License.ExpiresAt.Unix()
	}
	key, err := s.LeaseKeys.Signer(ctx)
	if err != nil {
		return Lease{}, Usable, err
	}
	token, err := lease.Sign(key, claims)
	return Lease{Token: token, Development: grant.Development, ExpiresAt: ends, GraceUntil: graced}, Usable, err
}

// span returns until when a lease from now is valid and until when its grace
// lasts, for a licence that ends at the given time, or never if that is zero.
func (t LeaseTerms) span(now, licenseEnds time.Time) (ends, graced time.Time) {
	ends = now.Add(t.TTL)
	graced = ends.Add(t.Grace)
	if last := licenseEnds.Truncate(time.Second); !licenseEnds.IsZero() {
		ends, graced = earlier(ends, last), earlier(graced, last)
	}
	return ends, graced
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
