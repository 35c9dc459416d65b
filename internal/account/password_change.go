package account

import (
	"context"
	"fmt"
	"slices"

	"stoa/internal/account/apikey"
	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// PasswordChange is a user's form to change the password.
type PasswordChange struct {
	Current string `json:"currentPassword"`
	New     string `json:"newPassword"`
	// KeepKeys are the ids of the API keys that go on. All others end.
	KeepKeys []string `json:"keepApiKeys"`
}

// PasswordChangeIssues returns what is wrong with ch.
func (s *Service) PasswordChangeIssues(ch PasswordChange) errs.Issues {
	var f faults
	f.Require("currentPassword", ch.Current)
	f.newPassword(s, "newPassword", ch.New)
	if len(ch.KeepKeys) > apikey.MaxKeys {
		f.Add("keepApiKeys", errs.CodeOutOfRange, "keepApiKeys must have %d ids or fewer.", apikey.MaxKeys)
	}
	return f.Issues
}

// ChangePassword replaces the user's password, ends all of the user's sessions but
// the one named and all API keys but those with the ids keepKeys, voids the links to reset it, and mails the user. It
// returns VALIDATION_ERROR, ErrPassword if the current password is wrong, ErrNoUser if the user no longer exists,
// password.ErrBusy, and ErrChangePassword for an internal failure, after which the old password still works.
func (s *Service) ChangePassword(
	ctx context.Context, userID, sessionID, current, next string, keepKeys ...string,
) error {
	ch := PasswordChange{Current: current, New: next, KeepKeys: keepKeys}
	if err := s.PasswordChangeIssues(ch).Err(); err != nil {
		return err
	}
	err := s.changePassword(ctx, userID, sessionID, ch)
	if errs.KindOf(err) == errs.Internal {
		return ErrChangePassword.Because(err)
	}
	return err
}

func (s *Service) changePassword(ctx context.Context, userID, sessionID string, ch PasswordChange) error {
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return noUser(err)
	}
	match, _, err := s.verify(ctx, c.PasswordHash, ch.Current)
	if err != nil {
		return err
	}
	if !match {
		return ErrPassword
	}
	if err := s.notOwnName("newPassword", ch.New, c.User); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, ch.New)
	if err != nil {
		return err
	}
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		now, err := tx.User(ctx, userID)
		if err != nil {
			return err
		}
		// Of two changes at once, the second finds that its current password no longer
		// is.
		if now.PasswordHash != c.PasswordHash {
			return ErrPassword
		}
		keys := slices.DeleteFunc(slices.Clone(ch.KeepKeys), func(id string) bool { return !apikey.IsID(id) })
		return s.choosePassword(ctx, tx, post, now, hash, ch.New, kept{sessionID, keys})
	})
	return noUser(err)
}

// choosePassword gives a user, who is locked and chose it inside a session, another password. What is kept stays.
func (s *Service) choosePassword(
	ctx context.Context, tx Store, post poster, c Credentials, hash, secret string, keep kept,
) error {
	if err := s.passwordChanged(ctx, tx, post, c, false); err != nil {
		return err
	}
	if err := s.replacePassword(ctx, tx, c.ID, hash, keep); err != nil {
		return err
	}
	return s.noteBreached(ctx, tx, post, c.User, secret)
}

// passwordChanged tells a user that there is another password, set with a link from a mail or inside a session, and
// records it.
func (s *Service) passwordChanged(
	ctx context.Context, tx Store, post poster, c Credentials, byMail bool,
) error {
	if err := post(s.letterChanged(ctx, c.User, byMail && c.ProvenAt.IsZero())); err != nil {
		return err
	}
	details := audit.Details{"email": c.Email}
	if byMail {
		details["via"] = "mail"
	}
	return s.record(ctx, tx, audit.UserChangePassword, c.ID, details)
}

// ReplacePassword sets the password of the user with that e-mail address without
// asking for the old one, and ends all of the user's sessions. It is for one sign-in,
// because somebody else knows it: see SetPassword. It returns VALIDATION_ERROR, ErrNoUser
// and password.ErrBusy.
func (s *Service) ReplacePassword(ctx context.Context, email, secret string) (User, error) {
	var f faults
	f.newPassword(s, "password", secret, email)
	if err := f.Err(); err != nil {
		return User{}, err
	}
	c, err := s.byEmail(ctx, email)
	if err != nil {
		return User{}, err
	}
	hash, err := s.Hasher.Hash(ctx, secret)
	if err != nil {
		return User{}, fmt.Errorf("account: replace password: %w", err)
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		if _, err := tx.User(ctx, c.ID); err != nil { // locked before its sessions
			return err
		}
		if err := s.replacePassword(ctx, tx, c.ID, hash, kept{}); err != nil {
			return err
		}
		if err := tx.SetPasswordOnce(ctx, c.ID); err != nil {
			return err
		}
		target := audit.Target{Type: "user", ID: c.ID}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.UserResetPassword, target, audit.Details{"email": c.Email}))
	})
	return c.User, noUser(err)
}

// kept is what goes on of what lets somebody in: a session, and API keys. The zero value is nothing.
type kept struct {
	session string
	keys    []string
}

// replacePassword stores a new password's hash and revokes what the old one gave, as
// shutOut does. Every change of a password goes through here; a new hash of the same
// password does not.
func (s *Service) replacePassword(ctx context.Context, tx Store, userID, hash string, keep kept) error {
	if err := tx.SetPassword(ctx, userID, hash); err != nil {
		return err
	}
	return s.shutOut(ctx, tx, userID, keep)
}

// shutOut ends all of a user's sessions and API keys except what is kept, and
// voids all links to reset the password, and what depends on the user's generation.
func (s *Service) shutOut(ctx context.Context, tx Store, userID string, keep kept) error {
	if err := tx.RaiseGeneration(ctx, userID); err != nil {
		return err
	}
	if err := tx.VoidResets(ctx, userID); err != nil {
		return err
	}
	if err := tx.EndKeys(ctx, userID, keep.keys, s.Now()); err != nil {
		return err
	}
	return tx.DeleteSessionsExcept(ctx, userID, keep.session)
}
