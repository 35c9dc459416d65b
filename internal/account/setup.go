package account

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// The set-up link lets the operator create the first administrator in a browser. It
// holds a random token that works once, and only while there is no administrator.
// The database keeps its hash: all replicas accept it, and nobody who reads the
// database can use it.

// OpenSetup creates a set-up token, which replaces any before it. It returns "" if
// there is an administrator.
func (s *Service) OpenSetup(ctx context.Context) (token string, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		token = ""
		has, err := tx.HasAdmin(ctx)
		if err != nil || has {
			return err
		}
		token = ids.NewLinkToken()
		return tx.PutSetup(ctx, ids.HashLinkToken(token))
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// Setup is the first administrator's form.
type Setup struct {
	Token    string `json:"token"`
	Email    string `json:"email"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// SetupIssues returns what is wrong with in.
func (s *Service) SetupIssues(in Setup) errs.Issues {
	var f faults
	f.Require("token", in.Token)
	f.email(in.Email)
	f.username("username", in.Username)
	f.newPassword(s, "password", in.Password, in.Email, in.Username)
	return f.Issues
}

// SetUp creates the first administrator and signs in. Of several calls at once, on
// any replicas, one succeeds.
//
// It returns VALIDATION_ERROR with every fault, ErrSetup for a token that does not
// work (any more), ErrTaken like Register, and password.ErrBusy. After an error the
// token still works.
func (s *Service) SetUp(ctx context.Context, in Setup) (Tokens, error) {
	if err := s.SetupIssues(in).Err(); err != nil {
		return Tokens{}, err
	}
	hash := ids.HashLinkToken(in.Token)
	// First without a lock, so that tokens that do not work cannot keep the hasher
	// busy.
	if ok, err := s.canSetUp(ctx, s.Store, hash); err != nil {
		return Tokens{}, err
	} else if !ok {
		return Tokens{}, ErrSetup
	}
	c, err := s.newUser(ctx, User{Email: in.Email, Username: in.Username, Role: reqctx.RoleAdmin}, in.Password)
	if err != nil {
		return Tokens{}, err
	}
	return s.createSignedIn(ctx, c, in.Password, func(tx Store, _ poster) error {
		// Whoever takes the token is first; the others wait here and find it gone.
		if err := tx.TakeSetup(ctx, hash); errs.KindOf(err) == errs.NotFound {
			return ErrSetup
		} else if err != nil {
			return err
		}
		if has, err := tx.HasAdmin(ctx); err != nil {
			return err
		} else if has {
			return ErrSetup
		}
		// Nobody is signed in yet: the new administrator counts as the actor.
		as := audit.As(ctx, audit.Actor{Kind: audit.User, ID: c.ID})
		return s.createAdmin(as, tx, c, audit.Details{"via": "setup"})
	})
}

func (s *Service) canSetUp(ctx context.Context, st Store, hash string) (bool, error) {
	ok, err := st.HasSetup(ctx, hash)
	if err != nil || !ok {
		return false, err
	}
	has, err := st.HasAdmin(ctx)
	return !has, err
}

// NeedsSetup reports whether there is no administrator.
func (s *Service) NeedsSetup(ctx context.Context) (bool, error) {
	has, err := s.Store.HasAdmin(ctx)
	return !has, err
}
