package license

import (
	"context"
	"time"

	"stoa/internal/audit"
	"stoa/internal/errs"
	"stoa/internal/text"
)

// Match says whether a change may be made to a licence of that version: a
// client's If-Match. nil matches every version.
type Match func(version int64) bool

// Renewal is a number of billing periods to add to the term of a licence.
type Renewal struct {
	Periods int `json:"periods"`
	// Reference says what for, such as the id of an invoice: a licence is renewed
	// once for the same. Empty means that every call is a renewal.
	Reference string `json:"reference"`
	// Billed says that a provider collected for the period that follows the last,
	// which may have begun meanwhile: collecting takes an hour or so. Otherwise the
	// days of billing and of renewal would drift apart.
	Billed bool `json:"-"`
	// Until is the end of the period that was Billed. Zero if not known.
	Until time.Time `json:"-"`
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

// Renew adds periods to the term of a license, as License.Renew does, and returns it as it is then.
// A license that was renewed for the same reference before is returned as it is now. A term that a
// provider billed reaches the end of the billed period, whatever became of the periods before it.
//
// It returns VALIDATION_ERROR for what Renewal.Issues finds, ErrNotFound, ErrStale if match refuses
// the license's version, and the errors of License.Renew.
func (s *Service) Renew(ctx context.Context, licenseID string, r Renewal, match Match) (Listed, error) {
	if err := r.Issues().Err(); err != nil {
		return Listed{}, err
	}
	return s.change(ctx, licenseID, match, func(tx Store, l *License) (audit.Action, audit.Details, error) {
		r, now := r, s.Now() // a copy: the transaction may run again
		details := audit.Details{}
		if r.Reference != "" {
			if fresh, err := addRenewal(ctx, tx, l.ID, r.Reference, now); !fresh || err != nil {
				return "", nil, err
			}
			details["reference"] = r.Reference
		}
		if covered, err := passOver(ctx, tx, l, &r, now); covered || err != nil {
			return "", nil, err
		}
		if err := l.Renew(r, now); err != nil {
			return "", nil, err
		}
		details["periods"], details["expiresAt"] = r.Periods, l.ExpiresAt
		return audit.LicenseRenew, details, nil
	})
}

// addRenewal remembers what a licence is renewed for. It reports false if it was
// renewed for that before.
func addRenewal(ctx context.Context, tx Store, licenseID, reference string, at time.Time) (fresh bool, err error) {
	if known, err := tx.HasRenewal(ctx, licenseID, reference); known || err != nil {
		return false, err
	}
	return true, tx.AddRenewal(ctx, licenseID, reference, at)
}

// passOver adds the periods to a renewal that nobody paid before the one that was
// billed: a provider may go on to the next period when it cannot collect one, and
// what is paid works. They are remembered. It reports true if the billed period
// is one of those, paid after all, and the term of a licence that works has it.
func passOver(ctx context.Context, tx Store, l *License, r *Renewal, now time.Time) (covered bool, err error) {
	billed := l.periodUntil(r.Until)
	if billed == 0 || billed-l.Periods > maxRenewal {
		return false, nil
	}
	if billed <= l.Periods && l.RevokedAt.IsZero() {
		return tx.HasRenewal(ctx, l.ID, passedOver(l.endOf(billed)))
	}
	for period := l.Periods + 1; period < billed; period++ {
		if _, err := addRenewal(ctx, tx, l.ID, passedOver(l.endOf(period)), now); err != nil {
			return false, err
		}
		r.Periods++
	}
	return false, nil
}

// Revoke withdraws a licence for good: no instance may use it from now on.
// Doing so again changes nothing. It returns ErrNotFound, and
// ErrStale if match refuses the licence's version.
func (s *Service) Revoke(ctx context.Context, licenseID string, match Match) (Listed, error) {
	return s.change(ctx, licenseID, match, func(_ Store, l *License) (audit.Action, audit.Details, error) {
		if !l.Revoke(s.Now()) {
			return "", nil, nil
		}
		return audit.LicenseRevoke, nil, nil
	})
}

// change applies fn to a licence and records it, in one transaction that
// has locked the licence. fn returns what it did, or "" if it did nothing.
func (s *Service) change(ctx context.Context, id string, match Match, fn func(Store, *License) (audit.Action, audit.Details, error)) (Listed, error) {
	var changed Listed
	err := s.Store.InTx(ctx, func(tx Store) error {
		l, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		if match != nil && !match(l.Version) {
			return ErrStale
		}
		action, details, err := fn(tx, &l)
		if err != nil {
			return err
		}
		if action != "" {
			if err := tx.UpdateLicense(ctx, l); err != nil {
				return err
			}
			if err := tx.Record(ctx, audit.New(ctx, s.Now(), action, audit.Target{Type: "license", ID: id}, details)); err != nil {
				return err
			}
		}
		changed, err = one(ctx, tx, Query{ID: id})
		return err
	})
	if err != nil {
		return Listed{}, err
	}
	return changed, nil
}

// one returns the licence that a query wants, or ErrNotFound.
func one(ctx context.Context, tx Store, q Query) (Listed, error) {
	q.Limit = 1
	list, _, err := tx.ListLicenses(ctx, q)
	if err != nil {
		return Listed{}, err
	}
	if len(list) == 0 {
		return Listed{}, ErrNotFound
	}
	return list[0], nil
}

// passedOver is the reference of a period that nobody paid. It is stored: never change it.
func passedOver(end time.Time) string {
	return "passed over: period to " + end.UTC().Format("2 January 2006")
}
