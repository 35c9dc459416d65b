package license

import (
	"time"
)

// Type says whether a license ends.
type Type string

// The license types (contract 3.7).
const (
	Perpetual    Type = "perpetual"
	Subscription Type = "subscription"
)

// Status is where a license is in its life.
type Status string

// A license expires when its term ends; renewing it makes it active again. Revocation is final
// (contract 3.7).
const (
	StatusActive  Status = "active"
	StatusExpired Status = "expired"
	StatusRevoked Status = "revoked"
)

// License is the right to run one product on a limited number of instances.
//
// A purchase or an administrator creates it. Instances are counted by distinct instance id, so
// activating one again costs nothing. Features and MaxInstances are copied from the tier when the
// license is created.
type License struct {
	ID        string
	ProductID string
	TierID    string
	UserID    string // reqctx.Anonymous when nobody was signed in, reqctx.Deleted once the account is

	// KeyHash finds the license by its key. KeySealed is the key itself, encrypted, to be shown to
	// its owner again.
	KeyHash   string
	KeySealed string
	// KeyTail is the last group of the key. Stores keep it for searches and do not
	// return it.
	KeyTail string

	Type     Type
	Features []string

	// MaxInstances is the number of seats: how many instances may be activated, not counting
	// development instances.
	MaxInstances int

	// Paid is false while the order waits for its payment.
	Paid bool

	// ExpiresAt is the end of the term. Zero means the license is perpetual. It is Months times
	// Periods after Anchor, by the calendar: counting from the anchor, a term that began on the 31st
	// returns to the 31st after a February. After a change of plan it may be some months later than that.
	ExpiresAt time.Time
	// Trial says that the license was given to try the product, and not bought since (contract 3.18). It has
	// neither Months nor Leeway.
	Trial bool
	// Months is the length of a billing period. Zero means the license cannot be renewed.
	Months  int
	Anchor  time.Time
	Periods int
	// Leeway is how long the license goes on after ExpiresAt, because a payment provider renews it and
	// needs a while to collect. It is zero if no provider renews it, or if the provider said that it will
	// not.
	Leeway time.Duration

	// Ends says that nothing renews the license any more: its subscription was ended, and what is paid
	// runs out.
	Ends bool

	// Next is the plan that begins when the license is renewed. Until then it keeps its tier and its seats.
	Next Next

	// RevokedAt is when the license was revoked. Zero means it was not.
	RevokedAt time.Time
	CreatedAt time.Time

	// Instances and DevelopmentInstances count the activated instances; Churn is the state of the
	// limit on new ones (ChurnLimit). Store.AddActivation and Store.RemoveActivation maintain them;
	// UpdateLicense does not touch them.
	Instances            int
	DevelopmentInstances int
	Churn                time.Time

	// Version grows by one with every UpdateLicense, from 1.
	Version int64

	// Demo says that a made-up sale sold the license. Subscribers hear nothing about it. It never
	// changes.
	Demo bool
}

// Usage is a license and whether one instance is activated, both read at the same moment.
type Usage struct {
	License   License
	Activated bool
	// Development says that the instance is activated as a development instance.
	Development bool
}

// StatusAt returns the status at time t. It is computed rather than stored, so a license never expires
// late. A license that a provider renews is active for Leeway beyond its term.
func (l *License) StatusAt(t time.Time) Status {
	switch {
	case !l.RevokedAt.IsZero():
		return StatusRevoked
	case !l.ExpiresAt.IsZero() && !t.Before(l.usableUntil()):
		return StatusExpired
	}
	return StatusActive
}

// usableUntil returns when the license expires: at the end of its term and its leeway. It is zero for a
// perpetual license.
func (l *License) usableUntil() time.Time {
	if l.ExpiresAt.IsZero() {
		return time.Time{}
	}
	return l.ExpiresAt.Add(l.Leeway)
}

// Refusal says why a license may not be used. The zero value means that it may.
type Refusal string

// The refusals of contract 3.11. If several apply, the answer is the first of revoked, unpaid, expired
// and not activated.
const (
	Usable       Refusal = ""
	UnknownKey   Refusal = "not_found"
	Revoked      Refusal = "revoked"
	Expired      Refusal = "expired"
	Unpaid       Refusal = "unpaid"
	NotActivated Refusal = "not_activated"
)

// RefusalAt returns why no instance may use the license at time t, or Usable.
func (l *License) RefusalAt(t time.Time) Refusal {
	switch status := l.StatusAt(t); {
	case status == StatusRevoked:
		return Revoked
	case !l.Paid:
		return Unpaid
	case status == StatusExpired:
		return Expired
	}
	return Usable
}

// CanActivate returns nil if the instance of a, which u describes, may be activated. Otherwise it
// returns ErrUnusable, ErrTooManyInstances or ErrTooManyDevelopment.
func (u *Usage) CanActivate(a Activation) error {
	switch {
	case u.License.RefusalAt(a.At) != Usable:
		return ErrUnusable
	case u.Activated:
		return nil
	case a.Development && u.License.DevelopmentInstances >= developmentPerSeat*u.License.MaxInstances:
		return ErrTooManyDevelopment
	case !a.Development && u.License.Instances >= u.License.MaxInstances:
		return ErrTooManyInstances
	}
	return nil
}

// RefusalAt returns why the instance may not use the license at time t, or Usable.
func (u *Usage) RefusalAt(t time.Time) Refusal {
	if r := u.License.RefusalAt(t); r != Usable {
		return r
	}
	if !u.Activated {
		return NotActivated
	}
	return Usable
}
