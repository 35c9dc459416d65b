package account

import (
	"context"
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// KeyStore is the part of Store about API keys. Package apikey has the rest.
type KeyStore interface {
	// KeyHolder returns a key, revoked or not, with the state of its user, in one query, or an errs.NotFound error.
	KeyHolder(ctx context.Context, id string) (apikey.Holder, error)

	// EndKeys revokes the user's keys, but for those with the ids to keep. Having none is not an error.
	EndKeys(ctx context.Context, userID string, keep []string, at time.Time) error
}

// ErrKey is returned for an API key that does not work, whatever the reason.
var ErrKey = errs.New(errs.Unauthenticated, "UNAUTHORIZED", "The API key is invalid, or has expired or been revoked.")

// byKey is Authenticate for API keys. It asks the database at most once, and not at all about what no stoa makes.
func (s *Service) byKey(ctx context.Context, raw string) (reqctx.Caller, error) {
	kind, id, ok := apikey.Parse(raw)
	if !ok {
		return reqctx.Caller{}, ErrKey
	}
	h, err := s.keyHolder(ctx, id)
	if errs.KindOf(err) == errs.NotFound {
		return reqctx.Caller{}, ErrKey
	} else if err != nil {
		return reqctx.Caller{}, err
	}
	who, ok := h.Caller(raw, kind, s.Now())
	if !ok {
		return reqctx.Caller{}, ErrKey
	}
	s.KeyUses.Note(ctx, h.Key)
	return who, nil
}

// keyHolder is Store.KeyHolder, from memory where that may be, as alive is for sessions.
func (s *Service) keyHolder(ctx context.Context, id string) (apikey.Holder, error) {
	if s.Live == nil {
		return s.Store.KeyHolder(ctx, id)
	}
	name := "key " + id // as the rows about it say
	if known, ok := s.Live.Get(name); ok && known.Key != nil {
		return *known.Key, nil
	}
	mark := s.Live.Mark() // before asking
	h, err := s.Store.KeyHolder(ctx, id)
	switch {
	case err == nil:
		s.Live.Put(mark, name, h.Key.UserID, Alive{Key: &h}, RoleRow(h.Role)...)
	case errs.KindOf(err) == errs.NotFound:
		s.Live.Forget(name)
	}
	return h, err
}
