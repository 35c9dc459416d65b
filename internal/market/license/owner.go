package license

import (
	"context"
	"fmt"

	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
)

// Owned is a licence as its owner sees it.
type Owned struct {
	Listed

	Key    Key
	Status Status
}

// ListOwn returns one page of the licences of the user in ctx, the newest
// first, with their keys, and how many there are on all pages.
func (s *Service) ListOwn(ctx context.Context, limit, offset int) ([]Owned, int, error) {
	listed, total, err := s.Store.ListLicenses(ctx, Query{UserID: caller.From(ctx).UserID, Limit: limit, Offset: offset})
	if err != nil {
		return nil, 0, err
	}
	now := s.Now()
	list := make([]Owned, len(listed))
	for i, l := range listed {
		key, err := s.openKey(l.License)
		if err != nil {
			return nil, 0, err
		}
		list[i] = Owned{Listed: l, Key: key, Status: l.License.StatusAt(now)}
	}
	return list, total, nil
}

func (s *Service) openKey(l License) (Key, error) {
	key, err := s.Vault.Open(l.KeySealed, l.ID)
	if err != nil {
		return key, fmt.Errorf("market: key of licence %s: %w", l.ID, err)
	}
	return key, nil
}

// ListOwnActivations returns one page of the instances of a licence of the user in
// ctx, the longest activated first, and how many there are on all pages. It
// returns ErrNotFound for a licence that is not the user's.
func (s *Service) ListOwnActivations(ctx context.Context, licenseID string, limit, offset int) ([]Activation, int, error) {
	if _, err := s.own(ctx, s.Store, licenseID); err != nil {
		return nil, 0, err
	}
	return s.Store.ListInstances(ctx, licenseID, limit, offset)
}

// FreeOwnInstance takes a licence of the user in ctx away from an instance, and returns
// the licence as it stands afterwards. It returns ErrNotFound for a licence
// that is not the user's, and ErrNotActivated.
func (s *Service) FreeOwnInstance(ctx context.Context, licenseID, instanceID string) (InUse, error) {
	var out InUse
	err := s.Store.InShortTx(ctx, func(tx Store) error {
		l, err := s.own(ctx, tx, licenseID)
		if err != nil {
			return err
		}
		if l, err = free(ctx, tx, l, instanceID); err != nil {
			return err
		}
		key, err := s.openKey(l)
		out = InUse{Usage: Usage{License: l}, Key: key, Status: l.StatusAt(s.Now())}
		return err
	})
	return out, err
}

// own returns a licence of the user in ctx, or ErrNotFound.
func (s *Service) own(ctx context.Context, tx Store, id string) (License, error) {
	l, err := byID(ctx, tx, id)
	if who := caller.From(ctx).UserID; err == nil && (who == "" || l.UserID != who) {
		return License{}, ErrNotFound
	}
	return l, err
}

// byID returns the licence with that id, or ErrNotFound.
func byID(ctx context.Context, tx Store, id string) (License, error) {
	if !cuid2.Plausible(id) {
		return License{}, ErrNotFound
	}
	l, err := tx.LicenseByID(ctx, id)
	if errs.KindOf(err) == errs.NotFound {
		return License{}, ErrNotFound
	}
	return l, err
}

// free takes a locked licence away from an instance, and returns it as it stands
// afterwards. It returns ErrNotActivated for what could be no instance, too.
func free(ctx context.Context, tx Store, l License, instanceID string) (License, error) {
	id, ok := normalInstanceID(instanceID)
	if !ok {
		return License{}, ErrNotActivated
	}
	err := tx.RemoveInstance(ctx, l.ID, id)
	if errs.KindOf(err) == errs.NotFound {
		return License{}, ErrNotActivated
	} else if err != nil {
		return License{}, err
	}
	// Which counter went down is known to the database only.
	return tx.LicenseByID(ctx, l.ID)
}
