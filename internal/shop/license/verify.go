package license

import (
	"context"
	"errors"

	"stoa/internal/base/errs"
)

// Verify reports whether an instance may use the license with the given key now. If it may not, the
// refusal says why and the InUse is empty. For a license that exists it takes one database query.
//
// It returns VALIDATION_ERROR for what UseRequest.Issues finds, and product.ErrNotFound.
func (s *Service) Verify(ctx context.Context, slug string, req UseRequest) (InUse, Refusal, error) {
	key, instanceID, err := s.readUse(ctx, slug, req)
	var u Usage
	if err == nil {
		u, err = FindByHash(s.Vault, key, func(hash string) (Usage, error) {
			return s.Store.UsageByKey(ctx, slug, hash, instanceID)
		})
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
	return newInUse(u, key, now), Usable, nil
}

// Check returns why the license with the given key does not allow to use the product now, or Usable.
// Which instances are activated does not matter, and none is. A key of another product, and of a
// product that does not exist, is an UnknownKey.
func (s *Service) Check(ctx context.Context, productSlug, key string) (Refusal, error) {
	k, err := ParseKey(key)
	if err != nil {
		return UnknownKey, nil //nolint:nilerr // a typo is no failure
	}
	u, err := FindByHash(s.Vault, k, func(hash string) (Usage, error) {
		return s.Store.UsageByKey(ctx, productSlug, hash, "")
	})
	if errs.KindOf(err) == errs.NotFound {
		return UnknownKey, nil
	} else if err != nil {
		return Usable, err
	}
	return u.License.RefusalAt(s.Now()), nil
}
