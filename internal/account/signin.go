package account

import (
	"context"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/trust/keyring"
)

// SignIn is the form to sign in with.
type SignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Issues returns what is wrong with in.
func (in SignIn) Issues() errs.Issues {
	var f faults
	f.Require("email", in.Email)
	f.Require("password", in.Password)
	return f.Issues
}

// Login signs a user in. It returns ErrLogin for an unknown address, a wrong password
// and an inactive user alike, and takes the same time for each; password.ErrBusy; and, for an account with a
// second factor, ErrSecondFactor with the details for SecondStep.
func (s *Service) Login(ctx context.Context, email, secret string) (Tokens, error) {
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

// candidate returns the user with that e-mail address. For an unknown address it
// returns credentials that no password fits, which cost as much to verify.
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

// verify is Hasher.Verify for a password of any length: one that is too long to be
// right costs no more than a short one. No password fits an empty hash.
func (s *Service) verify(ctx context.Context, hash, secret string) (match, outdated bool, err error) {
	if hash == "" || utf8.RuneCountInString(secret) > maxPassword {
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
	var due *errs.Error // nil: the password was all
	overdue := false    // the removal of the factors
	err = s.Store.InTx(ctx, func(tx Store) error {
		// The user is read again, now locked: a password that was changed since it was
		// verified must not open a session that the change does not end.
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
			now.PasswordHash = newHash
		}
		// Under the lock: a factor that is being switched on is either seen here, or ends this session.
		f, err := tx.SecondFactors(ctx, c.ID)
		if err != nil {
			return err
		}
		if due, overdue = nil, false; f.Any() {
			if overdue, err = s.factorResetDue(ctx, tx, c.ID); err != nil || overdue {
				return err
			}
			due, err = s.challenge(ctx, tx, now, f)
			return err
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
	if due != nil {
		return Tokens{}, due
	}
	if overdue {
		if newHash != "" {
			c.PasswordHash = newHash
		}
		if err := s.carryOutReset(ctx, c.ID); err != nil {
			return Tokens{}, err
		}
		return s.signIn(ctx, c, "")
	}
	return s.tokens(ctx, user, session, session.Refresh)
}

// newSession returns a session that begins now, with a password.
func (s *Service) newSession(userID string, key keyring.Key) Session {
	now := s.Now()
	return Session{
		ID: ids.New(), UserID: userID, CreatedAt: now, Refresh: newRefresh(key.ID, now),
		Level: 1, Methods: []string{MethodPassword}, AuthenticatedAt: now,
	}
}
