package account

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
)

// Registration is the form of a new user.
type Registration struct {
	Email        string `json:"email"`
	Username     string `json:"username"`
	Password     string `json:"password"`
	ReferralCode string `json:"referralCode"` // optional
}

// RegistrationIssues returns what is wrong with r.
func (s *Service) RegistrationIssues(r Registration) errs.Issues {
	var f faults
	f.email(r.Email)
	f.username("username", r.Username)
	f.newPassword(s, "password", r.Password, r.Email, r.Username)
	f.referral("referralCode", r.ReferralCode)
	return f.Issues
}

// Register creates a user with role USER and signs it in. It returns
// REGISTRATION_CLOSED, VALIDATION_ERROR with every fault, ErrTaken if the e-mail address or the username
// is taken, and password.ErrBusy.
func (s *Service) Register(ctx context.Context, r Registration) (Tokens, error) {
	if err := s.RegistrationAllowed(); err != nil {
		return Tokens{}, err
	}
	if err := s.RegistrationIssues(r).Err(); err != nil {
		return Tokens{}, err
	}
	u := User{Email: r.Email, Username: r.Username, Role: reqctx.RoleUser, Referral: r.ReferralCode}
	c, err := s.newUser(ctx, u, r.Password)
	if err != nil {
		return Tokens{}, err
	}
	return s.createSignedIn(ctx, c, r.Password, func(tx Store, post poster) error {
		if err := s.createUser(ctx, tx, c); err != nil {
			return err
		}
		if err := s.askProof(ctx, tx, c, post); err != nil {
			return err
		}
		return s.announce(ctx, tx, event.UserRegistered, c.ID)
	})
}

// createUser is CreateUser, and refuses an address that another user had until lately with a conflict, too.
func (s *Service) createUser(ctx context.Context, tx Store, c Credentials) error {
	if err := tx.CreateUser(ctx, c); err != nil {
		return err
	}
	// After it is created: see moveEmail.
	held, err := tx.HasHeld(ctx, c.ID, Key(c.Email), s.Now())
	if err == nil && held {
		err = ErrEmailTaken
	}
	return err
}

// createSignedIn calls create, which stores the user with that password, and opens the user's first
// session, both in one transaction. It returns ErrTaken if the e-mail address or the
// username is taken.
func (s *Service) createSignedIn(
	ctx context.Context, c Credentials, secret string, create func(tx Store, post poster) error,
) (Tokens, error) {
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	session := s.newSession(ctx, c.User, key)
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		if err := create(tx, post); err != nil {
			return err
		}
		if err := s.noteBreached(ctx, tx, post, c.User, secret); err != nil {
			return err
		}
		return s.openFirst(ctx, tx, session)
	})
	if errs.KindOf(err) == errs.Conflict {
		return Tokens{}, ErrTaken
	} else if err != nil {
		return Tokens{}, err
	}
	return s.tokens(ctx, c.User, session, session.Refresh)
}

// newUser returns u ready to be stored: active, with an id and the password's hash.
func (s *Service) newUser(ctx context.Context, u User, secret string) (Credentials, error) {
	hash, err := s.Hasher.Hash(ctx, secret)
	if err != nil {
		return Credentials{}, err
	}
	u.ID, u.Active, u.CreatedAt = ids.New(), true, s.Now()
	return Credentials{User: u, PasswordHash: hash}, nil
}
