package license

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// Activate activates the license with the given key for an instance and returns the updated license.
// Activating the same instance again succeeds and changes nothing. No more than MaxInstances instances
// succeed, nor more
// development instances than the license may have, however many callers try at once on however many
// replicas.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds; product.ErrNotFound; ErrUnusable for a
// key that is mistyped, unknown, of another product, expired, revoked or unpaid; ErrTooManyInstances
// or ErrTooManyDevelopment if no seat is left; ErrTrialUsed for a trial where another one of the product was
// activated; and ErrChurn if the license moved too often.
func (s *Service) Activate(ctx context.Context, slug string, req UseRequest) (InUse, error) {
	return s.changeUse(ctx, slug, req, ErrUnusable,
		func(tx Store, u *Usage, instanceID string, now time.Time) error {
			a := Activation{InstanceID: instanceID, Development: s.DevInstances.Match(instanceID), At: now}
			if !u.Activated && !a.Development {
				var err error
				if a, err = s.asStaging(ctx, tx, u.License.ID, a); err != nil {
					return err
				}
			}
			if err := u.CanActivate(a); err != nil || u.Activated {
				return err
			}
			if err := takeTrialHost(ctx, tx, u.License, a); err != nil {
				return err
			}
			return s.addActivation(ctx, tx, u, a)
		})
}

// asStaging makes an instance that is to be activated a development instance if it is one of the staging
// addresses that a domain with a seat may have. Further ones need a seat like any instance.
func (s *Service) asStaging(ctx context.Context, tx Store, licenseID string, a Activation) (Activation, error) {
	domain, ok := s.DevInstances.StagingOf(a.InstanceID)
	if !ok {
		return a, nil
	}
	seated, addresses, err := tx.Staging(ctx, licenseID, domain)
	if err == nil && seated && addresses < stagingPerSeat {
		a.Development, a.StagingOf = true, domain
	}
	return a, err
}

// addActivation stores an activation that CanActivate allows, unless the license moved too often, and
// updates u.
func (s *Service) addActivation(ctx context.Context, tx Store, u *Usage, a Activation) error {
	churn := u.License.Churn
	if !a.Development {
		var err error
		if churn, err = s.Churn.take(&u.License, a.At); err != nil {
			return err
		}
	}
	if err := tx.AddActivation(ctx, u.License.ID, a, churn); err != nil {
		return err
	}
	u.License.Churn, u.Activated, u.Development = churn, true, a.Development
	if a.Development {
		u.License.DevelopmentInstances++
	} else {
		u.License.Instances++
	}
	return tx.Publish(ctx, u.License.Event(event.LicenseActivated, a.At))
}

// Deactivate ends the activation of the license with the given key for an instance and returns the
// updated license. Deactivating again, or an instance that was never activated, succeeds and changes
// nothing. The staging addresses of a domain are deactivated with it. An expired, revoked or
// unpaid license can be deactivated too.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds; product.ErrNotFound; and ErrKeyUnknown
// for a key that is mistyped, unknown or of another product.
func (s *Service) Deactivate(ctx context.Context, slug string, req UseRequest) (InUse, error) {
	return s.changeUse(ctx, slug, req, ErrKeyUnknown,
		func(tx Store, u *Usage, instanceID string, _ time.Time) (err error) {
			if u.Activated {
				u.License, err = s.removeActivation(ctx, tx, u.License, instanceID)
				u.Activated, u.Development = false, false
			}
			return err
		})
}

// DeactivateOwn ends the activation of a license of the user in ctx for an instance and returns the
// updated license. It returns ErrNotFound for a license of another user, and ErrNotActivated.
func (s *Service) DeactivateOwn(ctx context.Context, licenseID, instanceID string) (InUse, error) {
	var out InUse
	err := s.Store.InShortTx(ctx, func(tx Store) error {
		l, err := own(ctx, tx, licenseID)
		if err != nil {
			return err
		}
		if l, err = s.removeActivation(ctx, tx, l, instanceID); err != nil {
			return err
		}
		if reqctx.CallerFrom(ctx).Impersonator != "" {
			id, _ := normalInstanceID(instanceID)
			if err := s.record(ctx, tx, audit.LicenseDeactivate, licenseID, audit.Details{"instance": id}); err != nil {
				return err
			}
		}
		key, err := s.Vault.Open(l)
		out = newInUse(Usage{License: l}, key, s.Now())
		return err
	})
	return out, err
}

// DeactivateByID ends the activation of a license of any user for an instance, records that in the audit
// log, and returns the updated license. It returns ErrNotFound and ErrNotActivated.
func (s *Service) DeactivateByID(ctx context.Context, licenseID, instanceID string) (Listed, error) {
	var changed Listed
	err := s.Store.InTx(ctx, func(tx Store) error {
		l, err := byID(ctx, tx, licenseID)
		if err != nil {
			return err
		}
		if _, err := s.removeActivation(ctx, tx, l, instanceID); err != nil {
			return err
		}
		id, _ := normalInstanceID(instanceID)
		if err := s.record(ctx, tx, audit.LicenseDeactivate, licenseID, audit.Details{"instance": id}); err != nil {
			return err
		}
		changed, err = one(ctx, tx, Query{ID: licenseID})
		return err
	})
	return changed, err
}

// removeActivation ends the activation of a locked license for an instance and returns the updated
// license. It returns ErrNotActivated, also for a malformed instance id.
func (s *Service) removeActivation(ctx context.Context, tx Store, l License, instanceID string) (License, error) {
	id, ok := normalInstanceID(instanceID)
	if !ok {
		return License{}, ErrNotActivated
	}
	err := tx.RemoveActivation(ctx, l.ID, id)
	if errs.KindOf(err) == errs.NotFound {
		return License{}, ErrNotActivated
	} else if err != nil {
		return License{}, err
	}
	if err := tx.Publish(ctx, l.Event(event.LicenseDeactivated, s.Now())); err != nil {
		return License{}, err
	}
	// Read again: only the database knows which of the two counters went down.
	return tx.LicenseByID(ctx, l.ID)
}
