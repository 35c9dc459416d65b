package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/errs"
)

// The set-up link lets whoever operates the platform make its first
// administrator in a browser: a random token that works once, and only while
// there is no administrator. The database knows its hash, so all replicas accept
// it, and nobody who reads the database can use it.

// OpenSetup makes a new set-up token, which takes the place of any before it. It
// returns "" when there is an administrator.
func (s *Service) OpenSetup(ctx context.Context) (token string, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		token = ""
		has, err := tx.HasAdmin(ctx)
		if err != nil || has {
			return err
		}
		token = rand.Text()
		return tx.PutSetup(ctx, setupHash(token))
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// setupHash is what the database keeps of a token. The token is 130 random bits:
// nothing slower is needed.
func setupHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Setup is what the first administrator says.
type Setup struct {
	Token    string `json:"token"`
	Email    string `json:"email"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// SetupIssues returns what is wrong with in.
func (s *Service) SetupIssues(in Setup) []errs.Issue {
	var f faults
	f.Require("token", in.Token)
	f.email(in.Email)
	f.username("username", in.Username)
	f.newPassword(s.Policy, "password", in.Password, in.Email, in.Username)
	return f.List()
}

// SetUp makes the first administrator and signs it in. Of several calls at once,
// on whichever replica, one succeeds.
//
// It returns VALIDATION_ERROR with every fault, ErrSetup for any token that does
// not work (any more), ErrTaken as Register does, and password.ErrBusy. After an
// error the token works as it did.
func (s *Service) SetUp(ctx context.Context, in Setup) (Tokens, error) {
	if err := errs.Validation(s.SetupIssues(in)...); err != nil {
		return Tokens{}, err
	}
	hash := setupHash(in.Token)
	// First without a lock: nobody is to keep the hasher busy with tokens that do
	// not work.
	if ok, err := s.canSetUp(ctx, s.Store, hash); err != nil {
		return Tokens{}, err
	} else if !ok {
		return Tokens{}, ErrSetup
	}
	c, err := s.newUser(ctx, User{Email: in.Email, Username: in.Username, Role: caller.RoleAdmin}, in.Password)
	if err != nil {
		return Tokens{}, err
	}
	return s.createSignedIn(ctx, c, func(tx Store) error {
		// Taking the token decides who is first; the others wait here and find it
		// gone.
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
		// Nobody is signed in yet: whoever holds the link acts as who it makes.
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
