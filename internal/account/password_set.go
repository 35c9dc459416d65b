package account

import (
	"context"

	"stoa/internal/base/errs"
)

// ErrPasswordSet is returned for setting the first password of an account that has one.
var ErrPasswordSet = errs.New(errs.Conflict, "PASSWORD_SET",
	"The account has a password. Change it with the current one.")

// NewPassword is the form of a user without a password to set one.
type NewPassword struct {
	New string `json:"newPassword"`
}

// NewPasswordIssues returns what is wrong with in.
func (s *Service) NewPasswordIssues(in NewPassword) errs.Issues {
	var f faults
	f.newPassword(s, "newPassword", in.New)
	return f.Issues
}

// SetPassword gives a user who has none a password, as after a sign-in with one of ReplacePassword. It ends all of the
// user's sessions but the one named, and mails the user. The error is VALIDATION_ERROR, ErrPasswordSet, ErrNoUser,
// password.ErrBusy, or ErrToken for a session that has ended.
func (s *Service) SetPassword(ctx context.Context, userID, sessionID, next string) error {
	if err := s.NewPasswordIssues(NewPassword{New: next}).Err(); err != nil {
		return err
	}
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return noUser(err)
	}
	if c.PasswordHash != "" { // before a hash is computed for nothing
		return ErrPasswordSet
	}
	if err := s.notOwnName("newPassword", next, c.User); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	return noUser(s.inTxWithMail(ctx, func(tx Store, post poster) error {
		now, err := tx.User(ctx, userID)
		if err != nil {
			return err
		}
		if err := s.stillIn(ctx, tx, sessionID); err != nil {
			return err
		}
		if now.PasswordHash != "" { // set meanwhile
			return ErrPasswordSet
		}
		return s.choosePassword(ctx, tx, post, now, hash, next, kept{session: sessionID})
	}))
}
