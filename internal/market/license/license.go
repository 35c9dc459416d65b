package license

import (
	"strings"
	"time"

	"stoa/internal/text"
)

// Type says whether a licence ends.
type Type string

// The licence types of spec A.
const (
	Perpetual    Type = "perpetual"
	Subscription Type = "subscription"
)

// Status is where a licence is in its life.
type Status string

// A licence becomes expired when its term ends, which renewal undoes, and
// revoked when it is withdrawn, which nothing undoes (CONTRACT 3).
const (
	StatusActive  Status = "active"
	StatusExpired Status = "expired"
	StatusRevoked Status = "revoked"
)

// License is the right to run one product on a limited number of instances.
//
// A purchase creates it. Instances are counted by distinct instance id, so
// activating the same one again costs nothing. Features and MaxInstances are the
// tier's at the time of the purchase.
type License struct {
	ID        string
	ProductID string
	TierID    string
	UserID    string // caller.Anonymous when nobody was signed in

	// KeyHash finds the licence by its key; KeySealed is the key itself, encrypted,
	// for the owner's page.
	KeyHash   string
	KeySealed string

	Type     Type
	Features []string

	// MaxInstances is how many distinct instances may be activated, development
	// instances aside.
	MaxInstances int

	// Paid is false while the order waits for its payment.
	Paid bool

	// ExpiresAt is the end of the term. Zero means that there is none. It is Months
	// times Periods after Anchor, by the calendar: counted from one day, a term that
	// began on the 31st comes back to the 31st after a February.
	ExpiresAt time.Time
	// Months is the length of one billing period. Zero means that there is none to
	// renew by.
	Months  int
	Anchor  time.Time
	Periods int

	// RevokedAt is when the licence was withdrawn. Zero means that it was not.
	RevokedAt time.Time
	CreatedAt time.Time

	// Instances and DevelopmentInstances are how many are activated, Churn is the
	// state of the limit on new ones (churn). AddInstance and RemoveInstance of
	// Store keep them; UpdateLicense leaves them alone.
	Instances            int
	DevelopmentInstances int
	Churn                time.Time

	// Version grows by one with every UpdateLicense, from 1.
	Version int64
}

// Usage is a licence and one instance that was asked about, at one moment.
type Usage struct {
	License   License
	Activated bool // the instance has the licence
	// Development says that the instance is activated as a development instance.
	Development bool
}

// StatusAt returns the status at time t. It is worked out whenever it is read,
// so that a licence is never expired too late.
func (l *License) StatusAt(t time.Time) Status {
	switch {
	case !l.RevokedAt.IsZero():
		return StatusRevoked
	case !l.ExpiresAt.IsZero() && !t.Before(l.ExpiresAt):
		return StatusExpired
	}
	return StatusActive
}

// Refusal says why a licence may not be used. The zero value is none.
type Refusal string

// The refusals of CONTRACT 3. A revoked licence is revoked whatever else it is.
const (
	Usable       Refusal = ""
	UnknownKey   Refusal = "not_found"
	Revoked      Refusal = "revoked"
	Expired      Refusal = "expired"
	Unpaid       Refusal = "unpaid"
	NotActivated Refusal = "not_activated"
)

// RefusalAt returns why the licence may not be used at time t by any instance.
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

// CanActivate returns nil if the instance asked about, which is a's, may use the
// licence then, and otherwise ErrUnusable, ErrTooManyInstances or
// ErrTooManyDevelopment.
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

// RefusalAt returns why the instance asked about may not use the licence at time
// t, if it may not.
func (u *Usage) RefusalAt(t time.Time) Refusal {
	if r := u.License.RefusalAt(t); r != Usable {
		return r
	}
	if !u.Activated {
		return NotActivated
	}
	return Usable
}

// maxInstanceID is the length of the longest instance id in characters: that of
// a domain name (CONTRACT 3).
const maxInstanceID = 253

// normalInstanceID returns an instance id as it is counted, and false if it is
// none.
func normalInstanceID(s string) (string, bool) {
	trimmed := strings.TrimSpace(s)
	// Checked before it is lower-cased, which hides what is not UTF-8.
	if trimmed == "" || !text.Printable(trimmed, maxInstanceID) {
		return "", false
	}
	// Browsers take these two out of an address, percent-encoded too: nobody could
	// free such an instance (WHATWG URL, single- and double-dot segments).
	if trimmed == "." || trimmed == ".." {
		return "", false
	}
	return strings.ToLower(trimmed), true
}
