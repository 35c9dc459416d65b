package license

import (
	"context"
	"errors"

	"stoa/internal/errs"
	"stoa/internal/market/product"
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

// InUse is a licence in use, at one moment.
type InUse struct {
	Usage
	Key    Key
	Status Status
}

// Activate binds an instance to the licence with the given key and returns the
// licence as it stands afterwards. Activating the same instance again succeeds
// and changes nothing. However many callers try at once, on however many
// replicas, no more than MaxInstances succeed, development instances aside, and
// no more of those than there may be.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds,
// ErrNotFound, ErrUnusable for a key that is mistyped, unknown,
// another product's, expired, revoked or not paid for, ErrTooManyInstances or
// ErrTooManyDevelopment when no instance is left, and ErrChurn when the licence
// moved too often.
func (s *Service) Activate(ctx context.Context, slug string, req UseRequest) (InUse, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if err != nil {
		return InUse{}, orNoKey(err, ErrUnusable)
	}
	var out InUse
	err = s.Store.InShortTx(ctx, func(tx Store) error {
		u, err := tx.LicenseByKey(ctx, slug, s.Vault.Hash(key), instanceID)
		if err != nil {
			return err
		}
		now := s.Now()
		a := Activation{InstanceID: instanceID, Development: s.DevInstances.Match(instanceID), At: now}
		if !u.Activated && !a.Development {
			if a, err = s.asStaging(ctx, tx, u.License.ID, a); err != nil {
				return err
			}
		}
		if err := u.CanActivate(a); err != nil {
			return err
		}
		if !u.Activated {
			if err := s.addInstance(ctx, tx, &u, a); err != nil {
				return err
			}
		}
		out = InUse{Usage: u, Key: key, Status: u.License.StatusAt(now)}
		return nil
	})
	return out, s.orNoLicense(ctx, slug, err, ErrUnusable)
}

// asStaging makes an instance that is to be activated a development instance if it
// is one of the staging addresses that a domain with a seat may have. Further ones
// need a seat like any instance.
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

// addInstance activates an instance that may be, unless the licence moved too
// often, and counts it in u.
func (s *Service) addInstance(ctx context.Context, tx Store, u *Usage, a Activation) error {
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
	u.License.Churn, u.Activated, u.Development = churn, true, a.Development
	if a.Development {
		u.License.DevelopmentInstances++
	} else {
		u.License.Instances++
	}
	return nil
}

// Deactivate takes the licence with the given key away from an instance and
// returns the licence as it stands afterwards. Doing so again, or for an instance
// that never had it, succeeds and changes nothing. The staging addresses of a
// domain go with it. What is expired, revoked or
// not paid for can be deactivated as well.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds,
// ErrNotFound, and ErrKeyUnknown for a key that is mistyped, unknown or
// another product's.
func (s *Service) Deactivate(ctx context.Context, slug string, req UseRequest) (InUse, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if err != nil {
		return InUse{}, orNoKey(err, ErrKeyUnknown)
	}
	var out InUse
	err = s.Store.InShortTx(ctx, func(tx Store) error {
		u, err := tx.LicenseByKey(ctx, slug, s.Vault.Hash(key), instanceID)
		if err != nil {
			return err
		}
		if u.Activated {
			if u.License, err = free(ctx, tx, u.License, instanceID); err != nil {
				return err
			}
			u.Activated, u.Development = false, false
		}
		out = InUse{Usage: u, Key: key, Status: u.License.StatusAt(s.Now())}
		return nil
	})
	return out, s.orNoLicense(ctx, slug, err, ErrKeyUnknown)
}

// Verify tells whether an instance may use the licence with the given key now.
// If it may not, the refusal says why and the InUse is empty. Of a licence that
// is there, one query of the database finds everything.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds, and
// ErrNotFound.
func (s *Service) Verify(ctx context.Context, slug string, req UseRequest) (InUse, Refusal, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	var u Usage
	if err == nil {
		u, err = s.Store.UsageByKey(ctx, slug, s.Vault.Hash(key), instanceID)
		err = s.orNoLicense(ctx, slug, err, errNoKey)
	}
	if errors.Is(err, errNoKey) {
		return InUse{}, UnknownKey, nil
	} else if err != nil {
		return InUse{}, Usable, err
	}
	now := s.Now()
	if r := u.RefusalAt(now); r != Usable {
		return InUse{}, r, nil
	}
	return InUse{Usage: u, Key: key, Status: u.License.StatusAt(now)}, Usable, nil
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
// ErrNotFound when there is no product. Transactions have ended before: it
// may ask the database.
func (s *Service) orNoLicense(ctx context.Context, slug string, err, refusal error) error {
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
func (s *Service) readUse(ctx context.Context, slug string, req UseRequest) (key Key, instanceID string, err error) {
	if err := errs.Validation(req.Issues()...); err != nil {
		return Key{}, "", err
	}
	if !product.ValidSlug(slug) {
		return Key{}, "", product.ErrNotFound
	}
	if key, err = ParseKey(req.LicenseKey); err != nil {
		if err := s.Products.CheckPublic(ctx, slug); err != nil {
			return Key{}, "", err
		}
		return Key{}, "", errNoKey
	}
	instanceID, _ = normalInstanceID(req.InstanceID)
	return key, instanceID, nil
}
