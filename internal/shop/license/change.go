package license

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/text"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// Change is what an administrator changes about a license. Nil fields leave it as it is.
type Change struct {
	Features     *[]string
	MaxInstances *int
	// ExpiresAt is the end of the term. Perpetual removes the end, and ExpiresAt is ignored. No special
	// time means "perpetual": a client that sends the zero time of its language does not mean for ever.
	ExpiresAt *time.Time
	Perpetual bool
}

// maxFeatures is how many features an administrator may give a license. A tier has fewer. Together with
// text.Short it keeps a lease below the 256 KiB that its readers accept (sdk).
const maxFeatures = 200

// Issues returns what is wrong with the change.
func (ch Change) Issues() errs.Issues {
	var is errs.Issues
	if ch.Features != nil {
		if len(*ch.Features) > maxFeatures {
			is.Add("features", errs.CodeOutOfRange, "features must be at most %d.", maxFeatures)
		}
		for i, f := range *ch.Features {
			if f == "" || !text.Printable(f, text.Short) {
				is.Add(fmt.Sprintf("features[%d]", i), errs.CodeOutOfRange,
					"features[%d] must be 1 to %d printable characters.", i, text.Short)
			}
		}
	}
	if n := ch.MaxInstances; n != nil && (*n < 1 || *n > product.MaxInstances) {
		is.Add("maxInstances", errs.CodeOutOfRange,
			"maxInstances must be a whole number from 1 to %d.", product.MaxInstances)
	}
	if e := ch.ExpiresAt; e != nil && !ch.Perpetual && (e.UTC().Year() < 1970 || e.UTC().Year() > lastYear) {
		is.Add("expiresAt", errs.CodeOutOfRange, "expiresAt must be in the years 1970 to %d.", lastYear)
	}
	return is
}

// apply changes l and returns what changed, for the audit log.
func (ch Change) apply(l *License) audit.Details {
	details := audit.Details{}
	if f := ch.Features; f != nil && !slices.Equal(*f, l.Features) {
		l.Features = *f
		details["features"] = len(*f)
	}
	if n := ch.MaxInstances; n != nil && *n != l.MaxInstances {
		details["maxInstances"] = map[string]int{"from": l.MaxInstances, "to": *n}
		l.MaxInstances = *n
	}
	if e, given := ch.end(); given && !e.Equal(l.ExpiresAt) {
		details["expiresAt"] = map[string]string{"from": dateText(l.ExpiresAt), "to": dateText(e)}
		l.EndAt(e)
	}
	return details
}

// end returns the new end of the term, in the precision of licenses, and whether the change has one.
func (ch Change) end() (end time.Time, given bool) {
	switch {
	case ch.Perpetual:
		return time.Time{}, true
	case ch.ExpiresAt != nil:
		return ch.ExpiresAt.UTC().Truncate(time.Millisecond), true
	}
	return time.Time{}, false
}

// dateText formats a time for the audit log. Zero is "never".
func dateText(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

// Change changes what a license allows and returns the updated license. If MaxInstances becomes less than
// the number of activated instances, these stay activated and new ones are refused. A change without
// effect does not change the version.
//
// It returns VALIDATION_ERROR for what Change.Issues finds, ErrNotFound, ErrStale if match refuses the
// license's version, and ErrRevoked.
func (s *Service) Change(ctx context.Context, id string, ch Change, match Match) (Listed, error) {
	if err := ch.Issues().Err(); err != nil {
		return Listed{}, err
	}
	return s.update(ctx, id, match, func(_ Store, l *License) (audit.Action, audit.Details, error) {
		details := ch.apply(l)
		switch {
		case len(details) == 0:
			return "", nil, nil
		case !l.RevokedAt.IsZero():
			return "", nil, ErrRevoked
		}
		return audit.LicenseUpdate, details, nil
	})
}

// Revoke withdraws a license for good: from now on no instance may use it. Revoking it again changes
// nothing. It returns ErrNotFound, and ErrStale if match refuses the license's version.
func (s *Service) Revoke(ctx context.Context, licenseID string, match Match) (Listed, error) {
	return s.update(ctx, licenseID, match, func(_ Store, l *License) (audit.Action, audit.Details, error) {
		if !l.Revoke(s.Now()) {
			return "", nil, nil
		}
		return audit.LicenseRevoke, nil, nil
	})
}

// Match reports whether a license of that version may be changed: it is a client's If-Match. A nil
// Match accepts every version.
type Match func(version int64) bool

// changeFunc changes a license. It returns the action and details for the audit log, or "" if it
// changed nothing.
type changeFunc func(tx Store, l *License) (audit.Action, audit.Details, error)

// eventOf are the events of changes. Other changes cause none.
var eventOf = map[audit.Action]event.Type{
	audit.LicenseRevoke: event.LicenseRevoked,
	audit.LicenseRenew:  event.LicenseRenewed,
}

// update applies change to a license and records it in the audit log, in one transaction that has locked
// the license. It returns the updated license.
func (s *Service) update(ctx context.Context, id string, match Match, change changeFunc) (Listed, error) {
	var changed Listed
	err := s.Store.InTx(ctx, func(tx Store) error {
		l, err := byID(ctx, tx, id)
		if err != nil {
			return err
		}
		if match != nil && !match(l.Version) {
			return ErrStale
		}
		action, details, err := change(tx, &l)
		if err != nil {
			return err
		}
		if action != "" {
			if err := tx.UpdateLicense(ctx, l); err != nil {
				return err
			}
			if err := s.record(ctx, tx, action, id, details); err != nil {
				return err
			}
			if t, told := eventOf[action]; told {
				if err := tx.Publish(ctx, l.Event(t, s.Now())); err != nil {
					return err
				}
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

// record adds what happened to a license to the audit log.
func (s *Service) record(
	ctx context.Context, tx Store, action audit.Action, licenseID string, details audit.Details,
) error {
	target := audit.Target{Type: "license", ID: licenseID}
	return tx.Record(ctx, audit.New(ctx, s.Now(), action, target, details))
}
