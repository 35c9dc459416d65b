package market

import (
	"strings"
	"time"
)

// LicenseType says whether a licence ends.
type LicenseType string

// The licence types of spec A.
const (
	Perpetual    LicenseType = "perpetual"
	Subscription LicenseType = "subscription"
)

// LicenseStatus is where a licence is in its life.
type LicenseStatus string

// A licence becomes expired when its term ends, which renewal undoes, and
// revoked when it is withdrawn, which nothing undoes (CONTRACT 3).
const (
	LicenseActive  LicenseStatus = "active"
	LicenseExpired LicenseStatus = "expired"
	LicenseRevoked LicenseStatus = "revoked"
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

	Type     LicenseType
	Features []string

	// MaxInstances is how many distinct instances may be activated.
	MaxInstances int

	// Paid is false while the order waits for its payment.
	Paid bool

	// ExpiresAt is the end of the term. Zero means that there is none.
	ExpiresAt time.Time
	// RevokedAt is when the licence was withdrawn. Zero means that it was not.
	RevokedAt time.Time
	CreatedAt time.Time
}

// Usage is a licence and its activations, at one moment.
type Usage struct {
	License   License
	Instances int  // activated
	Activated bool // the instance that was asked about is one of them
}

// StatusAt returns the status at time t. It is worked out whenever it is read,
// so that a licence is never expired too late.
func (l *License) StatusAt(t time.Time) LicenseStatus {
	switch {
	case !l.RevokedAt.IsZero():
		return LicenseRevoked
	case !l.ExpiresAt.IsZero() && !t.Before(l.ExpiresAt):
		return LicenseExpired
	}
	return LicenseActive
}

// Refusal says why a licence may not be used. The zero value is none.
type Refusal string

// The refusals of CONTRACT 3. A revoked licence is revoked whatever else it is.
const (
	Usable       Refusal = ""
	NotFound     Refusal = "not_found"
	Revoked      Refusal = "revoked"
	Expired      Refusal = "expired"
	Unpaid       Refusal = "unpaid"
	NotActivated Refusal = "not_activated"
)

// RefusalAt returns why the licence may not be used at time t by any instance.
func (l *License) RefusalAt(t time.Time) Refusal {
	switch status := l.StatusAt(t); {
	case status == LicenseRevoked:
		return Revoked
	case !l.Paid:
		return Unpaid
	case status == LicenseExpired:
		return Expired
	}
	return Usable
}

// CanActivate returns nil if the instance asked about may use the licence at
// time t, and otherwise ErrLicenseUnusable or ErrTooManyInstances.
func (u *Usage) CanActivate(t time.Time) error {
	switch {
	case u.License.RefusalAt(t) != Usable:
		return ErrLicenseUnusable
	case u.Activated:
		return nil
	case u.Instances >= u.License.MaxInstances:
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

// Term returns the type of a licence bought at a time in a tier of that billing
// period, and the end of its term by the calendar: a month from the 31st of
// January ends on the last day of February.
func Term(period BillingPeriod, at time.Time) (LicenseType, time.Time) {
	switch period {
	case Monthly:
		return Subscription, addMonths(at.UTC(), 1)
	case Yearly:
		return Subscription, addMonths(at.UTC(), 12)
	case OneTime:
	}
	return Perpetual, time.Time{}
}

// addMonths is t with the month n later, on the same day, or the month's last if
// it has no such day. time.AddDate would run over into the next month.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

// maxInstanceID is the length of the longest instance id in characters: that of
// a domain name (CONTRACT 3).
const maxInstanceID = 253

// normalInstanceID returns an instance id as it is counted, and false if it is
// none.
func normalInstanceID(s string) (string, bool) {
	trimmed := strings.TrimSpace(s)
	// Checked before it is lower-cased, which hides what is not UTF-8.
	if trimmed == "" || !printable(trimmed, maxInstanceID) {
		return "", false
	}
	return strings.ToLower(trimmed), true
}
