package license

import (
	"context"
	"errors"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// UseRequest names a license, by its key, and the instance that uses it.
type UseRequest struct {
	LicenseKey string `json:"licenseKey"` // as its holder wrote it
	InstanceID string `json:"instanceId"`
}

// Issues returns what is wrong with the request. A malformed key is not an issue: it is answered like
// an unknown one.
func (r UseRequest) Issues() errs.Issues {
	var is errs.Issues
	if r.LicenseKey == "" {
		is.Add("licenseKey", errs.CodeRequired, "licenseKey is required.")
	}
	switch _, ok := normalInstanceID(r.InstanceID); {
	case r.InstanceID == "":
		is.Add("instanceId", errs.CodeRequired, "instanceId is required.")
	case !ok:
		is.Add("instanceId", errs.CodeOutOfRange,
			"instanceId must be 1 to %d printable characters, such as a domain name, and not . or .. alone.",
			maxInstanceID)
	}
	return is
}

// InUse is a license that an instance uses, and its status at that moment.
type InUse struct {
	Usage
	Key    Key
	Status Status
}

func newInUse(u Usage, key Key, now time.Time) InUse {
	return InUse{Usage: u, Key: key, Status: u.License.StatusAt(now)}
}

// changeUse applies fn to the license with the given key, in one transaction that has locked the license,
// and returns the license as fn left it. If there is no such license, the error is noSuchKey.
func (s *Service) changeUse(
	ctx context.Context, slug string, req UseRequest, noSuchKey error,
	fn func(tx Store, u *Usage, instanceID string, now time.Time) error,
) (InUse, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	if errors.Is(err, errNoKey) {
		return InUse{}, noSuchKey
	} else if err != nil {
		return InUse{}, err
	}
	var out InUse
	err = s.Store.InShortTx(ctx, func(tx Store) error {
		u, err := FindByHash(s.Vault, key, func(hash string) (Usage, error) {
			return tx.LicenseByKey(ctx, slug, hash, instanceID)
		})
		if err != nil {
			return err
		}
		now := s.Now()
		if err := fn(tx, &u, instanceID, now); err != nil {
			return err
		}
		out = newInUse(u, key, now)
		return nil
	})
	return out, s.orNoLicense(ctx, slug, err, noSuchKey)
}

// errNoKey means that a text cannot be the key of any license.
var errNoKey = errors.New("license: no such key")

// readUse checks a request to use a license. It returns errNoKey for a malformed key, but only after
// checking that the product exists: an unknown product is reported first. With a well-formed key it
// does not query the database.
func (s *Service) readUse(ctx context.Context, slug string, req UseRequest) (key Key, instanceID string, err error) {
	if err := req.Issues().Err(); err != nil {
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

// orNoLicense replaces a not-found error of the store with noSuchKey, or with product.ErrNotFound if
// there is no such product. It may query the database, so call it after the transaction.
func (s *Service) orNoLicense(ctx context.Context, slug string, err, noSuchKey error) error {
	if errs.KindOf(err) != errs.NotFound {
		return err
	}
	if err := s.Products.CheckPublic(ctx, slug); err != nil {
		return err
	}
	return noSuchKey
}
