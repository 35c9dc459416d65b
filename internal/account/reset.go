package account

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"time"

	"stoa/internal/errs"
	"stoa/internal/linktoken"
	"stoa/internal/mail"
)

// Limits of forgotten passwords.
const (
	// ResetLife is how long a link works after it was made.
	ResetLife = 30 * time.Minute

	// resetPause lies between two mails to a user at least, and of any
	// resetWindow resetsPerWindow are sent at most. Who asks for more gets the
	// same answer and no mail: a mailbox is not to be flooded by somebody else.
	resetPause      = time.Minute
	resetWindow     = time.Hour
	resetsPerWindow = 5
)

// ErrResetToken is returned for every token that resets no password: unknown,
// expired, used, voided, or of a user who is shut out.
var ErrResetToken = errs.New(errs.Invalid, "INVALID_RESET_TOKEN", "This link no longer works. Request a new one.")

// Reset is a mail with a link to choose a new password. It is open until it is
// used, ResetLife passes, or anything else changes the user's password or shuts
// the user out.
type Reset struct {
	Hash      string // of the link's token, which is not kept
	UserID    string
	CreatedAt time.Time
}

// live reports whether the link still works at now, as far as time goes.
func (r Reset) live(now time.Time) bool { return !now.After(r.CreatedAt.Add(ResetLife)) }

// Resets is what Service needs to know about resets from the database.
type Resets interface {
	// CreateReset inserts an open reset. It returns an errs.Conflict error when
	// the hash is taken.
	CreateReset(ctx context.Context, r Reset) error

	// OpenReset returns the reset with that hash, expired or not. It returns an
	// errs.NotFound error when there is none, or when it was voided. Inside InTx,
	// with its user locked first, it stays as it is until the transaction ends.
	OpenReset(ctx context.Context, hash string) (Reset, error)

	// CountResets counts the user's resets created after since, void ones too.
	CountResets(ctx context.Context, userID string, since time.Time) (int, error)

	// VoidResets closes the user's open resets for good. That there are none is
	// not an error.
	VoidResets(ctx context.Context, userID string) error

	// DeleteResets deletes all users' resets created at or before until.
	DeleteResets(ctx context.Context, until time.Time) error
}

// Outbox is how Service sends mail; *mail.Queue is one.
type Outbox interface {
	// Post has compose make a message, and sends it, both in the background and
	// after the request, whose ctx it does not end with. It returns at once. A
	// message may get lost.
	Post(ctx context.Context, compose mail.Compose)
}

// ForgottenPassword is what somebody says who forgot a password.
type ForgottenPassword struct {
	Email string `json:"email"`
}

// Issues returns what is wrong with p.
func (p ForgottenPassword) Issues() []errs.Issue {
	var f faults
	f.email(p.Email)
	return f.List()
}

// ForgotPassword mails the user with that address a link to choose a new
// password, if there is an active user, and not more often than the limits
// above allow. It returns VALIDATION_ERROR for what is no address, and otherwise
// nil, at once: whether there is such a user is looked up in the background, so
// that neither the answer nor its time tells.
func (s *Service) ForgotPassword(ctx context.Context, email string) error {
	if err := errs.Validation(ForgottenPassword{Email: email}.Issues()...); err != nil || s.Outbox == nil {
		return err
	}
	s.Outbox.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		m, ok, err := s.composeReset(ctx, email)
		if err != nil {
			return mail.Message{}, false, fmt.Errorf("account: forgotten password: %w", err)
		}
		return m, ok, nil
	})
	return nil
}

// composeReset makes a reset and the mail with its link. It returns false when
// there is nobody to mail it to, or the limits are reached.
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
		now := s.Now()
		lately, err1 := tx.CountResets(ctx, c.ID, now.Add(-resetPause))
		inWindow, err2 := tx.CountResets(ctx, c.ID, now.Add(-resetWindow))
		if err1 != nil || err2 != nil || lately > 0 || inWindow >= resetsPerWindow {
			return firstOf(err1, err2)
		}
		wanted = true
		return tx.CreateReset(ctx, Reset{Hash: linktoken.Hash(token), UserID: c.ID, CreatedAt: now})
	})
	if err != nil || !wanted {
		return mail.Message{}, false, err
	}
	// To the address in the database, not the one that was typed: the two may
	// differ in characters that mail servers tell apart and Key does not.
	return s.resetMail(c.Email, token), true, nil
}

func firstOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// newResetToken returns 256 random bits.
func newResetToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// PasswordReset is what somebody says who has a link to choose a new password.
type PasswordReset struct {
	Token string `json:"token"`
	New   string `json:"newPassword"`
}

// PasswordResetIssues returns what is wrong with in.
func (s *Service) PasswordResetIssues(in PasswordReset) []errs.Issue {
	var f faults
	f.Require("token", in.Token)
	f.newPassword(s.Policy, "newPassword", in.New)
	return f.List()
}

// ResetPassword sets a new password for the user whom the token was mailed to,
// and ends all of the user's sessions and other links. Of several calls with one
// token, on whichever replica, one succeeds.
//
// It returns VALIDATION_ERROR with every fault, ErrResetToken, and
// password.ErrBusy. After an error but ErrResetToken the token works as it did.
func (s *Service) ResetPassword(ctx context.Context, token, next string) error {
	if err := errs.Validation(s.PasswordResetIssues(PasswordReset{Token: token, New: next})...); err != nil {
		return err
	}
	// First without a lock: nobody is to keep the hasher busy with tokens that do
	// not work.
	r, err := s.usableReset(ctx, s.Store, linktoken.Hash(token))
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
	var user User
	err = s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, r.UserID) // before its resets and sessions: see Store
		if errs.KindOf(err) == errs.NotFound || err == nil && !c.Active {
			return ErrResetToken
		} else if err != nil {
			return err
		}
		if _, err := s.usableReset(ctx, tx, r.Hash); err != nil {
			return err
		}
		user = c.User
		return s.replacePassword(ctx, tx, c.ID, hash, "")
	})
	if err != nil {
		return err
	}
	s.postChanged(ctx, user)
	return nil
}

// usableReset returns the reset with that hash, or ErrResetToken.
func (s *Service) usableReset(ctx context.Context, st Store, hash string) (Reset, error) {
	r, err := st.OpenReset(ctx, hash)
	if errs.KindOf(err) == errs.NotFound || err == nil && !r.live(s.Now()) {
		return Reset{}, ErrResetToken
	}
	return r, err
}

// replacePassword stores a new password's hash and takes away what the old one
// gave: all sessions but one, which may be none, and the links in all mails.
// Every change of a password goes through here, except the new hash of an old
// one.
func (s *Service) replacePassword(ctx context.Context, tx Store, userID, hash, keepSession string) error {
	if err := tx.SetPassword(ctx, userID, hash); err != nil {
		return err
	}
	return s.shutOut(ctx, tx, userID, keepSession)
}

// shutOut ends all of a user's sessions but one, which may be none, and voids
// the links in all mails.
func (s *Service) shutOut(ctx context.Context, tx Store, userID, keepSession string) error {
	if err := tx.VoidResets(ctx, userID); err != nil {
		return err
	}
	return tx.DeleteSessionsExcept(ctx, userID, keepSession)
}

// resetMail is the mail with a link. The token is in the fragment, which
// browsers do not send to servers, and so neither logs nor Referer headers hold
// it (spec A, Authentication 7).
func (s *Service) resetMail(to, token string) mail.Message {
	return mail.Message{
		To:      to,
		Subject: "Choose a new password",
		Text: "Someone requested a new password for the account with the e-mail address\n" + to + " at " + s.site() + ".\n\n" +
			"Open this link within 30 minutes to choose one. It works once:\n\n" +
			s.PublicURL + "/reset-password#" + token + "\n\n" +
			"If it was not you, ignore this mail: the password does not change, and only\nyou have this link. Do not pass it on.\n",
	}
}

// postChanged tells a user that the password was changed. The mail has no link:
// who did not change it should not learn to follow one.
func (s *Service) postChanged(ctx context.Context, u User) {
	if s.Outbox == nil {
		return
	}
	at := s.Now().UTC().Format("2 January 2006, 15:04 UTC")
	s.Outbox.Post(ctx, func(context.Context) (mail.Message, bool, error) {
		return mail.Message{
			To:      u.Email,
			Subject: "Your password was changed",
			Text: "The password of the account with the e-mail address\n" + u.Email + " at " + s.site() + " was changed on " + at + ".\n\n" +
				"If it was you, you need not do anything.\n\n" +
				"If it was not you, someone else may have access to your account. Open the site\nas you always do, not from a mail, choose \"forgotten password\" to set a new\npassword, and tell the operators of the site.\n",
		}, true, nil
	})
}

// site names this platform in mails.
func (s *Service) site() string {
	if u, err := url.Parse(s.PublicURL); err == nil && u.Host != "" {
		return u.Host
	}
	return "this platform"
}
