package account

import (
	"context"

	"stoa/internal/errs"
)

// PasswordChange is what a user says who wants another password.
type PasswordChange struct {
	Current string `json:"currentPassword"`
	New     string `json:"newPassword"`
}

// PasswordChangeIssues returns what is wrong with ch.
func (s *Service) PasswordChangeIssues(ch PasswordChange) []errs.Issue {
	var f faults
	f.Require("currentPassword", ch.Current)
	f.newPassword(s.Policy, "newPassword", ch.New)
	return f.List()
}

// ChangePassword replaces the password of the user, ends all of the user's
// sessions but the one named, voids the links that would reset it, and mails the
// user. It returns VALIDATION_ERROR, ErrPassword when the current password is
// wrong, ErrNoUser when there is no such user any more, password.ErrBusy, and
// ErrChangePassword when it failed for a reason of ours; then the old password
// still works.
func (s *Service) ChangePassword(ctx context.Context, userID, sessionID, current, next string) error {
	if err := errs.Validation(s.PasswordChangeIssues(PasswordChange{Current: current, New: next})...); err != nil {
		return err
	}
	err := s.changePassword(ctx, userID, sessionID, current, next)
	if errs.KindOf(err) == errs.Internal {
		return ErrChangePassword.Because(err)
	}
	return err
}

func (s *Service) changePassword(ctx context.Context, userID, sessionID, current, next string) error {
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return noUser(err)
	}
	match, _, err := s.verify(ctx, c.PasswordHash, current)
	if err != nil {
		return err
	}
	if !match {
		return ErrPassword
	}
	if err := s.notOwnName("newPassword", next, c.User); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		now, err := tx.User(ctx, userID)
		if err != nil {
			return err
		}
		// Of two changes at once the second finds that its current password is
		// not the current one any more.
		if now.PasswordHash != c.PasswordHash {
			return ErrPassword
		}
		return s.replacePassword(ctx, tx, userID, hash, sessionID)
	})
	if err != nil {
		return noUser(err)
	}
	s.postChanged(ctx, c.User)
	return nil
}

func noUser(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrNoUser
	}
	return err
}
