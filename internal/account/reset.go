package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/message/mail"
)

// Limits of forgotten passwords.
const (
	// ResetLife is how long a link works.
	ResetLife = 30 * time.Minute

	// Two mails to a user are at least resetPause apart, and no resetWindow has more
	// than resetsPerWindow. A request beyond that gets the same answer and sends no
	// mail, so that nobody can flood another's mailbox.
	resetPause      = time.Minute
	resetWindow     = time.Hour
	resetsPerWindow = 5
)

// ErrResetToken is returned for every token that does not work: unknown, expired,
// used, voided, or of a deactivated user.
var ErrResetToken = errs.New(errs.Invalid, "INVALID_RESET_TOKEN",
	"This link no longer works. Request a new one.")

// Reset is a link to choose a new password, sent by mail. It is open until it is
// used, ResetLife passes, the password is changed otherwise, or the user is
// deactivated.
type Reset struct {
	Hash      string // of the link's token, which is not kept
	UserID    string
	CreatedAt time.Time
}

// live reports whether the link has not expired at now.
func (r Reset) live(now time.Time) bool { return !now.After(r.CreatedAt.Add(ResetLife)) }

// Resets is the part of Store about resets.
type Resets interface {
	// CreateReset inserts an open reset. The error is an errs.Conflict if the hash is
	// taken.
	CreateReset(ctx context.Context, r Reset) error

	// OpenReset returns the reset with that hash, expired or not. The error is an
	// errs.NotFound if it does not exist or was voided. Inside InTx, with its user
	// locked first, it does not change until the transaction ends.
	OpenReset(ctx context.Context, hash string) (Reset, error)

	// CountResets counts the user's resets created after since, voided ones too.
	CountResets(ctx context.Context, userID string, since time.Time) (int, error)

	// VoidResets closes the user's open resets for good. Having none is not an error.
	VoidResets(ctx context.Context, userID string) error

	// DeleteResets deletes all users' resets created at or before until.
	DeleteResets(ctx context.Context, until time.Time) error
}

// ForgottenPassword asks for a link to choose a new password.
type ForgottenPassword struct {
	Email string `json:"email"`
}

// Issues returns what is wrong with p.
func (p ForgottenPassword) Issues() errs.Issues {
	var f faults
	f.email(p.Email)
	return f.Issues
}

// ForgotPassword mails the user with that address a link to choose a new password,
// provided the user is active and the limits above allow it. It returns
// VALIDATION_ERROR for text that is not an address. Otherwise it returns nil at once
// and looks the user up in the background, so that neither the answer nor its time
// tells whether the address has an account.
func (s *Service) ForgotPassword(ctx context.Context, email string) error {
	if err := (ForgottenPassword{Email: email}).Issues().Err(); err != nil || s.Mailer == nil {
		return err
	}
	s.Mailer.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		m, ok, err := s.composeReset(ctx, email)
		if err != nil {
			return mail.Message{}, false, fmt.Errorf("account: forgotten password: %w", err)
		}
		return m, ok, nil
	})
	return nil
}

// composeReset creates a reset and the mail with its link. It returns false if there
// is no such active user or the limits are reached.
func (s *Service) composeReset(ctx context.Context, email string) (mail.Message, bool, error) {
	c, err := s.Store.UserByEmail(ctx, Key(email))
	if err != nil {
		return mail.Message{}, false, ignore(err, errs.NotFound)
	}
	if err := s.Store.DeleteResets(ctx, s.Now().Add(-resetWindow)); err != nil {
		return mail.Message{}, false, err
	}
	token, wanted := newResetToken(), false
	err = s.Store.InTx(ctx, func(tx Store) error {
		wanted = false
		if c, err = tx.User(ctx, c.ID); err != nil || !c.Active { // locked: the limits are exact
			return ignore(err, errs.NotFound)
		}
		wanted, err = s.allowReset(ctx, tx, c.ID, token)
		return err
	})
	if err != nil || !wanted {
		return mail.Message{}, false, err
	}
	// To the address in the database, not the one that was typed: the two may differ
	// in characters that Key ignores and mail servers do not.
	return s.resetMail(c.Email, languageOf(ctx, c.User), token), true, nil
}

// allowReset creates a reset with that token for a user who is locked. It returns false if the limits are reached.
func (s *Service) allowReset(ctx context.Context, tx Store, userID, token string) (bool, error) {
	now := s.Now()
	lately, err1 := tx.CountResets(ctx, userID, now.Add(-resetPause))
	inWindow, err2 := tx.CountResets(ctx, userID, now.Add(-resetWindow))
	if err1 != nil || err2 != nil || lately > 0 || inWindow >= resetsPerWindow {
		return false, cmp.Or(err1, err2)
	}
	return true, tx.CreateReset(ctx, Reset{Hash: ids.HashLinkToken(token), UserID: userID, CreatedAt: now})
}

// newResetToken returns 256 random bits.
func newResetToken() string { return randomText(32) }

// randomText returns so many random bytes, for a cookie or an address.
func randomText(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// PasswordReset is a new password and the token of the link that permits it.
type PasswordReset struct {
	Token string `json:"token"`
	New   string `json:"newPassword"`
}

// PasswordResetIssues returns what is wrong with in.
func (s *Service) PasswordResetIssues(in PasswordReset) errs.Issues {
	var f faults
	f.Require("token", in.Token)
	f.newPassword(s, "newPassword", in.New)
	return f.Issues
}

// ResetPassword sets a new password for the user to whom the token was mailed, and
// ends all of the user's sessions and other links. The address is proven then; if it was not
// before, whatever else lets somebody in is removed (reclaim). Of several calls with one token,
// on any replicas, one succeeds.
//
// It returns VALIDATION_ERROR with every fault, ErrResetToken, and
// password.ErrBusy. After any error but ErrResetToken the token still works.
func (s *Service) ResetPassword(ctx context.Context, token, next string) error {
	if err := s.PasswordResetIssues(PasswordReset{Token: token, New: next}).Err(); err != nil {
		return err
	}
	// First without a lock, so that tokens that do not work cannot keep the hasher
	// busy.
	r, err := s.usableReset(ctx, s.Store, ids.HashLinkToken(token))
	if err != nil {
		return err
	}
	owner, err := s.Store.User(ctx, r.UserID)
	if err == nil {
		err = s.notOwnName("newPassword", next, owner.User)
	}
	if err := ignore(err, errs.NotFound); err != nil { // deleted meanwhile: found out below
		return err
	}
	hash, err := s.Hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, r.UserID) // before its resets and sessions: see Store
		if errs.KindOf(err) == errs.NotFound || err == nil && !c.Active {
			return ErrResetToken
		} else if err != nil {
			return err
		}
		if _, err := s.usableReset(ctx, tx, r.Hash); err != nil {
			return err
		}
		if err := s.passwordChanged(ctx, tx, post, c, true); err != nil {
			return err
		}
		if !c.ProvenAt.IsZero() {
			if err := s.replacePassword(ctx, tx, c.ID, hash, kept{}); err != nil {
				return err
			}
			return s.noteBreached(ctx, tx, post, c.User, next)
		}
		if _, err := s.provenOutside(ctx, tx, c); err != nil {
			return err
		}
		if err := tx.SetPassword(ctx, c.ID, hash); err != nil {
			return err
		}
		return s.noteBreached(ctx, tx, post, c.User, next)
	})
}

// usableReset returns the reset with that hash, or ErrResetToken.
func (s *Service) usableReset(ctx context.Context, st Store, hash string) (Reset, error) {
	r, err := st.OpenReset(ctx, hash)
	if errs.KindOf(err) == errs.NotFound || err == nil && !r.live(s.Now()) {
		return Reset{}, ErrResetToken
	}
	return r, err
}
