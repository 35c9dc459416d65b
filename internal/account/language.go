package account

import (
	"context"

	"stoa/internal/base/errs"
)

// Language returns the language that a user chose for pages and mails, a tag; empty for none. The error is ErrNoUser.
func (s *Service) Language(ctx context.Context, userID string) (string, error) {
	tag, err := s.Store.Language(ctx, userID)
	return tag, orNoUser(err)
}

// ChooseLanguage keeps the language that a user chose for pages and mails; an empty tag takes the choice back. Callers
// see to it that there is such a language. The error is ErrNoUser.
func (s *Service) ChooseLanguage(ctx context.Context, userID, tag string) error {
	return orNoUser(s.Store.SetLanguage(ctx, userID, tag))
}

func orNoUser(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrNoUser
	}
	return err
}
