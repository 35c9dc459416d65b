package market

import (
	"context"
	"errors"

	"stoa/internal/errs"
)

// UseRequest is an instance that wants to use a licence.
type UseRequest struct {
	LicenseKey string `json:"licenseKey"` // as its holder wrote it
	InstanceID string `json:"instanceId"`
}

// Issues returns what is wrong with the request. That the key is none is not
// among it: a bad key is answered like an unknown one.
func (r UseRequest) Issues() []errs.Issue {
	var is errs.Issues
	if r.LicenseKey == "" {
		is.Add("licenseKey", "required", "licenseKey is required.")
	}
	switch _, ok := normalInstanceID(r.InstanceID); {
	case r.InstanceID == "":
		is.Add("instanceId", "required", "instanceId is required.")
	case !ok:
		is.Add("instanceId", "out_of_range", "instanceId must be 1 to %d printable characters, such as a domain name, and not . or .. alone.", maxInstanceID)
	}
	return is.List()
}

// Grant is a licence in use, at one moment.
type Grant struct {
	Usage
	Key    LicenseKey
	Status LicenseStatus
}

// Activate binds an instance to the licence with the given key and returns the
// licence as it stands afterwards. Activating the same instance again succeeds
// and changes nothing. However many callers try at once, on however many
// replicas, no more than MaxInstances succeed, development instances aside.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds,
// ErrProductNotFound, ErrLicenseUnusable for a key that is mistyped, unknown,
// another product's, expired, revoked or not paid for, ErrTooManyInstances or
// ErrTooManyDevelopment when no instance is left, and ErrChurn when the licence
// moved too often.
func (s *LicenseService) Activate(ctx context.Context, slug string, req UseRequest) (Grant, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if err != nil {
		return Grant{}, orNoKey(err, ErrLicenseUnusable)
	}
	var out Grant
	err = s.Store.InShortTx(ctx, func(tx Licenses) error {
		u, err := tx.LicenseByKey(ctx, slug, s.Keys.Hash(key), instanceID)
		if err != nil {
			return err
		}
		now := s.Now()
		a := Activation{InstanceID: instanceID, Development: s.DevInstances.Match(instanceID), At: now}
		if err := u.CanActivate(a); err != nil {
			return err
		}
		if !u.Activated {
			if err := s.addInstance(ctx, tx, &u, a); err != nil {
				return err
			}
		}
		out = Grant{Usage: u, Key: key, Status: u.License.StatusAt(now)}
		return nil
	})
	return out, s.orNoLicense(ctx, slug, err, ErrLicenseUnusable)
}

// addInstance activates an instance that may be, unless the licence moved too
// often, and counts it in u.
func (s *LicenseService) addInstance(ctx context.Context, tx Licenses, u *Usage, a Activation) error {
	churn := u.License.Churn
	if !a.Development {
		var err error
		if churn, err = s.Churn.take(&u.License, a.At); err != nil {
			return err
		}
	}
	if err := tx.AddInstance(ctx, u.License.ID, a, churn); err != nil {
		return err
	}
	u.License.Churn, u.Activated = churn, true
	if a.Development {
		u.License.DevelopmentInstances++
	} else {
		u.License.Instances++
	}
	return nil
}

// Deactivate takes the licence with the given key away from an instance and
// returns the licence as it stands afterwards. Doing so again, or for an instance
// that never had it, succeeds and changes nothing. What is expired, revoked or
// not paid for can be deactivated as well.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds,
// ErrProductNotFound, and ErrKeyUnknown for a key that is mistyped, unknown or
// another product's.
func (s *LicenseService) Deactivate(ctx context.Context, slug string, req UseRequest) (Grant, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if err != nil {
		return Grant{}, orNoKey(err, ErrKeyUnknown)
	}
	var out Grant
	err = s.Store.InShortTx(ctx, func(tx Licenses) error {
		u, err := tx.LicenseByKey(ctx, slug, s.Keys.Hash(key), instanceID)
		if err != nil {
			return err
		}
		if u.Activated {
			if u.License, err = free(ctx, tx, u.License, instanceID); err != nil {
				return err
			}
			u.Activated = false
		}
		out = Grant{Usage: u, Key: key, Status: u.License.StatusAt(s.Now())}
		return nil
	})
	return out, s.orNoLicense(ctx, slug, err, ErrKeyUnknown)
}

// Verify tells whether an instance may use the licence with the given key now.
// If it may not, the refusal says why and the Grant is empty. Of a licence that
// is there, one query of the database finds everything.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds, and
// ErrProductNotFound.
func (s *LicenseService) Verify(ctx context.Context, slug string, req UseRequest) (Grant, Refusal, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	var u Usage
	if err == nil {
		u, err = s.Store.UsageByKey(ctx, slug, s.Keys.Hash(key), instanceID)
		err = s.orNoLicense(ctx, slug, err, errNoKey)
	}
	if errors.Is(err, errNoKey) {
		return Grant{}, NotFound, nil
	} else if err != nil {
		return Grant{}, Usable, err
	}
	now := s.Now()
	if r := u.RefusalAt(now); r != Usable {
		return Grant{}, r, nil
	}
	return Grant{Usage: u, Key: key, Status: u.License.StatusAt(now)}, Usable, nil
}

// errNoKey says that a text is not the key of any licence.
var errNoKey = errors.New("market: no such key")

// orNoKey returns err, but says that there is no such key in the caller's words.
func orNoKey(err, refusal error) error {
	if errors.Is(err, errNoKey) {
		return refusal
	}
	return err
}

// orNoLicense returns err, but refusal when the product has no such licence and
// ErrProductNotFound when there is no product. Transactions have ended before: it
// may ask the database.
func (s *LicenseService) orNoLicense(ctx context.Context, slug string, err, refusal error) error {
	if errs.KindOf(err) != errs.NotFound {
		return err
	}
	if err := s.Products.CheckPublic(ctx, slug); err != nil {
		return err
	}
	return refusal
}

// readUse checks what Activate, Deactivate and Verify share. It returns errNoKey
// for a text that is no licence key, after the product was looked for: an unknown
// one is answered first. Nothing is asked of the database otherwise, nor when the
// product is one this process has seen.
func (s *LicenseService) readUse(ctx context.Context, slug string, req UseRequest) (key LicenseKey, instanceID string, err error) {
	if err := errs.Validation(req.Issues()...); err != nil {
		return LicenseKey{}, "", err
	}
	if !ValidSlug(slug) {
		return LicenseKey{}, "", ErrProductNotFound
	}
	if key, err = ParseLicenseKey(req.LicenseKey); err != nil {
		if err := s.Products.CheckPublic(ctx, slug); err != nil {
			return LicenseKey{}, "", err
		}
		return LicenseKey{}, "", errNoKey
	}
	instanceID, _ = normalInstanceID(req.InstanceID)
	return key, instanceID, nil
}
