package license

import (
	"context"
	"fmt"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/text"
	"stoa/internal/trust/audit"
)

// Renewal is a number of billing periods to add to the term of a license.
type Renewal struct {
	Periods int `json:"periods"`
	// Reference names the reason, such as an invoice id. A license is renewed only once per reference.
	// If it is empty, every call renews.
	Reference string `json:"reference"`
	// Billed means that a provider collected the payment for the period after the last one. That period
	// may have begun already, because collecting takes an hour or so. Without Billed it would begin when
	// the payment arrives, and drift away from the billing dates.
	Billed bool `json:"-"`
	// Until is the end of the billed period, and BilledAt when it was billed. Zero if unknown.
	Until    time.Time `json:"-"`
	BilledAt time.Time `json:"-"`
	// Leeway is the license's leeway after the billed period (License.Leeway). Without Billed, the
	// license keeps what it has.
	Leeway time.Duration `json:"-"`
}

// Bounds and default of the leeway for periods that a provider renews (contract 3.7).
const (
	DefaultLeeway = 24 * time.Hour
	MaxLeeway     = 30 * 24 * time.Hour
)

// CheckLeeway returns an error unless a leeway is within its bounds.
func CheckLeeway(d time.Duration) error {
	if d < 0 || d > MaxLeeway {
		return fmt.Errorf("the leeway for renewals must be 0s to %s", MaxLeeway)
	}
	return nil
}

// maxRenewal is how many periods one renewal may add.
const maxRenewal = 120

// Issues returns what is wrong with the renewal.
func (r Renewal) Issues() errs.Issues {
	var is errs.Issues
	if r.Periods < 1 || r.Periods > maxRenewal {
		is.Add("periods", errs.CodeOutOfRange, "periods must be a whole number from 1 to %d.", maxRenewal)
	}
	if !text.Printable(r.Reference, text.Short) {
		is.Add("reference", errs.CodeOutOfRange, "reference must be at most %d printable characters.", text.Short)
	}
	return is
}

// Renew adds periods to the term of a license, as License.Renew does, and returns the updated license. If
// the license was renewed with the same reference before, nothing changes. A term that a provider billed
// reaches the end of the billed period, even if earlier periods were never paid.
//
// It returns VALIDATION_ERROR for what Renewal.Issues finds, ErrNotFound, ErrStale if match refuses
// the license's version, and the errors of License.Renew.
func (s *Service) Renew(ctx context.Context, licenseID string, r Renewal, match Match) (Listed, error) {
	if err := r.Issues().Err(); err != nil {
		return Listed{}, err
	}
	return s.update(ctx, licenseID, match, func(tx Store, l *License) (audit.Action, audit.Details, error) {
		r, now := r, s.Now() // a copy: the transaction may run again
		details := audit.Details{}
		if r.Reference != "" {
			if fresh, err := addRenewal(ctx, tx, l.ID, r.Reference, now); !fresh || err != nil {
				return "", nil, err
			}
			details["reference"] = r.Reference
		}
		if covered, err := skipUnpaid(ctx, tx, l, &r, now); covered || err != nil {
			return "", nil, err
		}
		before := l.TierID
		if err := l.Renew(r, now); err != nil {
			return "", nil, err
		}
		if l.TierID != before {
			details["from"], details["to"] = before, l.TierID
			if err := tx.Publish(ctx, l.Event(event.LicenseChanged, now)); err != nil {
				return "", nil, err
			}
		}
		details["periods"], details["expiresAt"] = r.Periods, l.ExpiresAt
		return audit.LicenseRenew, details, nil
	})
}

// Unrenewed says why a provider does not renew a license. The zero value: it will collect no more.
type Unrenewed struct {
	// Reference is the Renewal.Reference of the payment that the provider could not collect, and Until
	// the end of the period that it was for.
	Reference string
	Until     time.Time
}

// StopRenewal ends the leeway of a license, because its provider does not renew it: it expires at the end
// of its term. It reports false if that changes nothing, because there is no leeway, or because the period
// was paid or passed over since. It returns ErrNotFound.
func (s *Service) StopRenewal(ctx context.Context, licenseID string, why Unrenewed) (stopped bool, err error) {
	_, err = s.update(ctx, licenseID, nil, func(tx Store, l *License) (audit.Action, audit.Details, error) {
		stopped = false // the transaction may run again
		if over, err := why.outdated(ctx, tx, l); over || err != nil || l.Leeway == 0 {
			return "", nil, err
		}
		l.Leeway, stopped = 0, true
		return audit.LicenseUpdate, audit.Details{"leeway": "ended"}, nil
	})
	return stopped, err
}

// outdated reports whether the period that could not be collected was paid or passed over since.
func (u Unrenewed) outdated(ctx context.Context, tx Store, l *License) (bool, error) {
	if u.Reference == "" {
		return false, nil
	}
	if paid, err := tx.HasRenewal(ctx, l.ID, u.Reference); paid || err != nil {
		return paid, err
	}
	period := l.periodUntil(u.Until)
	if period == 0 {
		return false, nil
	}
	return tx.HasRenewal(ctx, l.ID, skippedReference(l.endOf(period)))
}

// addRenewal records the reference of a renewal. It reports false if it was recorded before.
func addRenewal(ctx context.Context, tx Store, licenseID, reference string, at time.Time) (fresh bool, err error) {
	if known, err := tx.HasRenewal(ctx, licenseID, reference); known || err != nil {
		return false, err
	}
	return true, tx.AddRenewal(ctx, licenseID, reference, at)
}

// skipUnpaid adds to a renewal the unpaid periods before the billed one, and records them: a provider
// may go on to the next period when it cannot collect one, and a paid period must work. It reports
// true if the billed period is such a period, paid late, that the term of a license in force already
// includes.
func skipUnpaid(ctx context.Context, tx Store, l *License, r *Renewal, now time.Time) (covered bool, err error) {
	billed := l.periodUntil(r.Until)
	if billed == 0 {
		return false, nil
	}
	if billed <= l.Periods && l.RevokedAt.IsZero() {
		return tx.HasRenewal(ctx, l.ID, skippedReference(l.endOf(billed)))
	}
	after := *l // the periods after the term may be of another length
	after.beginNext(r.BilledAt)
	if billed = after.periodUntil(r.Until); billed-after.Periods > maxRenewal {
		return false, nil
	}
	for period := after.Periods + 1; period < billed; period++ {
		if _, err := addRenewal(ctx, tx, l.ID, skippedReference(after.endOf(period)), now); err != nil {
			return false, err
		}
		r.Periods++
	}
	return false, nil
}

// skippedReference is the reference under which an unpaid period is recorded. It is stored: never
// change it.
func skippedReference(end time.Time) string {
	return "passed over: period to " + end.UTC().Format("2 January 2006")
}
