package account

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"stoa/internal/account/token"
	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/keyring"
)

// Registration is what somebody who registers says.
type Registration struct {
	Email        string `json:"email"`
	Username     string `json:"username"`
	Password     string `json:"password"`
	ReferralCode string `json:"referralCode"` // optional
}

// RegistrationIssues returns what is wrong with r.
func (s *Service) RegistrationIssues(r Registration) []errs.Issue {
	var f faults
	f.email(r.Email)
	f.username("username", r.Username)
	f.newPassword(s.Policy, "password", r.Password, r.Email, r.Username)
	f.referral("referralCode", r.ReferralCode)
	return f.List()
}

// Register creates a user with role USER and signs it in. It returns
// VALIDATION_ERROR with every fault, ErrTaken when the e-mail address or the
// username is somebody's already, and password.ErrBusy.
func (s *Service) Register(ctx context.Context, r Registration) (Tokens, error) {
	if err := errs.Validation(s.RegistrationIssues(r)...); err != nil {
		return Tokens{}, err
	}
	c, err := s.newUser(ctx, User{Email: r.Email, Username: r.Username, Role: caller.RoleUser, Referral: r.ReferralCode}, r.Password)
	if err != nil {
		return Tokens{}, err
	}
	return s.createSignedIn(ctx, c, func(tx Store) error { return tx.CreateUser(ctx, c) })
}

// createSignedIn creates a user, by create, and the user's first session in one
// transaction. It returns ErrTaken when the e-mail address or the username is
// somebody's already.
func (s *Service) createSignedIn(ctx context.Context, c Credentials, create func(tx Store) error) (Tokens, error) {
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	session := s.newSession(c.ID, key)
	err = s.Store.InTx(ctx, func(tx Store) error {
		if err := create(tx); err != nil {
			return err
		}
		return tx.CreateSession(ctx, session)
	})
	if errs.KindOf(err) == errs.Conflict {
		return Tokens{}, ErrTaken
	} else if err != nil {
		return Tokens{}, err
	}
	return s.tokens(ctx, c.User, session, session.Refresh)
}

// newUser completes a user who is to be created.
func (s *Service) newUser(ctx context.Context, u User, secret string) (Credentials, error) {
	hash, err := s.Hasher.Hash(ctx, secret)
	if err != nil {
		return Credentials{}, err
	}
	u.ID, u.Active, u.CreatedAt = cuid2.New(), true, s.Now()
	return Credentials{User: u, PasswordHash: hash}, nil
}

// newSession returns a session that begins now.
func (s *Service) newSession(userID string, key keyring.Key) Session {
	now := s.Now()
	return Session{ID: cuid2.New(), UserID: userID, CreatedAt: now, Refresh: newRefresh(key.ID, now)}
}

// SignIn is what somebody who signs in says.
type SignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Issues returns what is wrong with in.
func (in SignIn) Issues() []errs.Issue {
	var f faults
	f.Require("email", in.Email)
	f.Require("password", in.Password)
	return f.List()
}

// Login signs a user in. It returns VALIDATION_ERROR when a field is missing,
// ErrLogin for an unknown address, a wrong password and an inactive user alike
// and in the same time, and password.ErrBusy.
func (s *Service) Login(ctx context.Context, email, secret string) (Tokens, error) {
	if err := errs.Validation(SignIn{Email: email, Password: secret}.Issues()...); err != nil {
		return Tokens{}, err
	}
	c, err := s.candidate(ctx, email)
	if err != nil {
		return Tokens{}, err
	}
	match, outdated, err := s.verify(ctx, c.PasswordHash, secret)
	if err != nil {
		return Tokens{}, err
	}
	if !match || !c.Active {
		return Tokens{}, ErrLogin
	}
	newHash := ""
	if outdated {
		if newHash, err = s.Hasher.Hash(ctx, secret); err != nil {
			return Tokens{}, err
		}
	}
	return s.signIn(ctx, c, newHash)
}

// candidate returns the user with that e-mail address, or nobody, whose hash
// fits no password: checking it costs the same.
func (s *Service) candidate(ctx context.Context, email string) (Credentials, error) {
	nobody := Credentials{PasswordHash: s.Hasher.Dummy()}
	if !validEmail(email) {
		return nobody, nil
	}
	c, err := s.Store.UserByEmail(ctx, Key(email))
	if errs.KindOf(err) == errs.NotFound {
		return nobody, nil
	}
	return c, err
}

// verify is Hasher.Verify for a password that may be longer than any can be,
// which costs no more than a short one.
func (s *Service) verify(ctx context.Context, hash, secret string) (match, outdated bool, err error) {
	if utf8.RuneCountInString(secret) > maxPassword {
		hash, secret = s.Hasher.Dummy(), ""
	}
	return s.Hasher.Verify(ctx, hash, secret)
}

// signIn opens a session for a user whose password was just verified. newHash,
// unless empty, replaces the password's hash.
func (s *Service) signIn(ctx context.Context, c Credentials, newHash string) (Tokens, error) {
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	session := s.newSession(c.ID, key)
	var user User
	err = s.Store.InTx(ctx, func(tx Store) error {
		// The user is looked at again, now locked: a password that was changed
		// since it was verified must not open a session that the change does not
		// end.
		now, err := tx.User(ctx, c.ID)
		if err != nil {
			return err
		}
		if !now.Active || now.PasswordHash != c.PasswordHash {
			return ErrLogin
		}
		if newHash != "" {
			if err := tx.SetPassword(ctx, c.ID, newHash); err != nil {
				return err
			}
		}
		if err := tx.DeleteExpired(ctx, c.ID, s.Now()); err != nil {
			return err
		}
		user = now.User
		return tx.CreateSession(ctx, session)
	})
	if errs.KindOf(err) == errs.NotFound {
		return Tokens{}, ErrLogin
	} else if err != nil {
		return Tokens{}, err
	}
	return s.tokens(ctx, user, session, session.Refresh)
}

// tokens returns a token set for a session: an access token of this moment and
// the session's refresh token r.
func (s *Service) tokens(ctx context.Context, u User, session Session, r Refresh) (Tokens, error) {
	signer, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	now := s.Now().Truncate(time.Second)
	access, err := token.Sign(signer, token.Access, token.Claims{
		UserID: u.ID, Email: u.Email, Role: string(u.Role), SessionID: session.ID, ID: newTokenID(), IssuedAt: now, ExpiresAt: now.Add(AccessLife),
	})
	if err != nil {
		return Tokens{}, err
	}
	// The key that was current when r was issued, so that it comes out the same.
	key, err := s.key(ctx, r.KeyID)
	if errors.Is(err, token.ErrInvalid) {
		return Tokens{}, ErrRefresh // the key was withdrawn, and r with it
	} else if err != nil {
		return Tokens{}, err
	}
	refresh, err := token.Sign(key, token.Refresh, session.claims(r))
	return Tokens{User: u, Access: access, Refresh: refresh}, err
}
