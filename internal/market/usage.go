package market

import (
	"context"

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
	var is issues
	if r.LicenseKey == "" {
		is.add("licenseKey", "required", "licenseKey is required.")
	}
	switch _, ok := normalInstanceID(r.InstanceID); {
	case r.InstanceID == "":
		is.add("instanceId", "required", "instanceId is required.")
	case !ok:
		is.add("instanceId", "out_of_range", "instanceId must be 1 to %d printable characters, such as a domain name.", maxInstanceID)
	}
	return is
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
// replicas, no more than MaxInstances succeed.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds,
// ErrProductNotFound, ErrLicenseUnusable for a key that is mistyped, unknown,
// another product's, expired, revoked or not paid for, and ErrTooManyInstances
// when no instance is left.
func (s *Service) Activate(ctx context.Context, slug string, req UseRequest) (Grant, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if err != nil {
		return Grant{}, err
	}
	if key == (LicenseKey{}) {
		return Grant{}, ErrLicenseUnusable
	}
	var out Grant
	err = s.Licenses.InShortTx(ctx, func(tx Licenses) error {
		u, err := tx.LicenseByKey(ctx, slug, s.Keys.Hash(key), instanceID)
		if errs.KindOf(err) == errs.NotFound {
			return ErrLicenseUnusable
		} else if err != nil {
			return err
		}
		now := s.Now()
		if err := u.CanActivate(now); err != nil {
			return err
		}
		if !u.Activated {
			if err := tx.AddInstance(ctx, u.License.ID, Activation{InstanceID: instanceID, At: now}, u.License.Churn); err != nil {
				return err
			}
			u.License.Instances, u.Activated = u.License.Instances+1, true
		}
		out = Grant{Usage: u, Key: key, Status: u.License.StatusAt(now)}
		return nil
	})
	return out, err
}

// Deactivate takes the licence with the given key away from an instance and
// returns the licence as it stands afterwards. Doing so again, or for an instance
// that never had it, succeeds and changes nothing. What is expired, revoked or
// not paid for can be deactivated as well.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds,
// ErrProductNotFound, and ErrKeyUnknown for a key that is mistyped, unknown or
// another product's.
func (s *Service) Deactivate(ctx context.Context, slug string, req UseRequest) (Grant, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if err != nil {
		return Grant{}, err
	}
	if key == (LicenseKey{}) {
		return Grant{}, ErrKeyUnknown
	}
	var out Grant
	err = s.Licenses.InShortTx(ctx, func(tx Licenses) error {
		u, err := tx.LicenseByKey(ctx, slug, s.Keys.Hash(key), instanceID)
		if errs.KindOf(err) == errs.NotFound {
			return ErrKeyUnknown
		} else if err != nil {
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
	return out, err
}

// Verify tells whether an instance may use the licence with the given key now.
// If it may not, the refusal says why and the Grant is empty.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds, and
// ErrProductNotFound.
func (s *Service) Verify(ctx context.Context, slug string, req UseRequest) (Grant, Refusal, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if err != nil {
		return Grant{}, Usable, err
	}
	if key == (LicenseKey{}) {
		return Grant{}, NotFound, nil
	}
	u, err := s.Licenses.LicenseByKey(ctx, slug, s.Keys.Hash(key), instanceID)
	if errs.KindOf(err) == errs.NotFound {
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

// readUse checks what Activate, Deactivate and Verify share. A text that is no
// licence key comes back as the zero key: the product is looked for all the same,
// because an unknown one is answered first. Of a known product nothing is asked of
// the database here.
func (s *Service) readUse(ctx context.Context, slug string, req UseRequest) (key LicenseKey, instanceID string, err error) {
	if err := errs.Validation(req.Issues()...); err != nil {
		return LicenseKey{}, "", err
	}
	if err := s.exists(ctx, slug); err != nil {
		return LicenseKey{}, "", err
	}
	key, err = ParseLicenseKey(req.LicenseKey)
	if err != nil {
		key = LicenseKey{} // no key is all zeros: the checksum forbids it
	}
	instanceID, _ = normalInstanceID(req.InstanceID)
	return key, instanceID, nil
}
