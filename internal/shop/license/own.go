package license

import (
	"context"

	"stoa/internal/base/reqctx"
)

// Owned is a license as its owner sees it.
type Owned struct {
	Listed

	Key    Key
	Status Status
}

// ListOwn returns one page of the licenses of the user in ctx, newest first, with their keys, and how
// many there are on all pages.
func (s *Service) ListOwn(ctx context.Context, limit, offset int) ([]Owned, int, error) {
	user := reqctx.CallerFrom(ctx).UserID
	if user == "" {
		return nil, 0, nil // a query without a user is for all licenses
	}
	listed, total, err := s.Store.ListLicenses(ctx, Query{UserID: user, Limit: limit, Offset: offset})
	if err != nil {
		return nil, 0, err
	}
	list := make([]Owned, len(listed))
	for i, l := range listed {
		if list[i], err = s.owned(l); err != nil {
			return nil, 0, err
		}
	}
	return list, total, nil
}

// GetOwn returns a license of the user in ctx, or ErrNotFound.
func (s *Service) GetOwn(ctx context.Context, id string) (Owned, error) {
	if _, err := own(ctx, s.Store, id); err != nil {
		return Owned{}, err
	}
	l, err := s.Get(ctx, id)
	if err != nil {
		return Owned{}, err
	}
	return s.owned(l)
}

func (s *Service) owned(l Listed) (Owned, error) {
	key, err := s.Vault.Open(l.License)
	return Owned{Listed: l, Key: key, Status: l.License.StatusAt(s.Now())}, err
}

// ListOwnActivations returns one page of the activations of a license of the user in ctx, oldest first,
// and how many there are on all pages. It returns ErrNotFound for a license of another user.
func (s *Service) ListOwnActivations(
	ctx context.Context, licenseID string, limit, offset int,
) ([]Activation, int, error) {
	if _, err := own(ctx, s.Store, licenseID); err != nil {
		return nil, 0, err
	}
	return s.Store.ListActivations(ctx, licenseID, limit, offset)
}

// own returns a license of the user in ctx, or ErrNotFound.
func own(ctx context.Context, st Store, id string) (License, error) {
	l, err := byID(ctx, st, id)
	if user := reqctx.CallerFrom(ctx).UserID; err == nil && (user == "" || l.UserID != user) {
		return License{}, ErrNotFound
	}
	return l, err
}
