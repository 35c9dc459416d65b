package account

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// CreateAdmin creates a user with role ADMIN. Without a username it derives one from
// the e-mail address. It returns VALIDATION_ERROR with every fault, and ErrTaken if
// the e-mail address or the username is taken.
func (s *Service) CreateAdmin(ctx context.Context, email, username, secret string) (User, error) {
	if username == "" {
		username = usernameFor(email)
	}
	var f faults
	f.email(email)
	f.username("username", username)
	f.newPassword(s, "password", secret, email, username)
	if err := f.Err(); err != nil {
		return User{}, err
	}
	c, err := s.newUser(ctx, User{Email: email, Username: username, Role: reqctx.RoleAdmin}, secret)
	if err != nil {
		return User{}, err
	}
	err = s.Store.InTx(ctx, func(tx Store) error { return s.createAdmin(ctx, tx, c, nil) })
	if errs.KindOf(err) == errs.Conflict {
		return User{}, ErrTaken
	} else if err != nil {
		return User{}, err
	}
	return c.User, nil
}

// ErrAdminTaken says that the configured administrator's e-mail address or username
// belongs to a user who is not an administrator. Having registered with that address
// is no reason to be made one.
var ErrAdminTaken = errors.New("STOA_ADMIN_EMAIL belongs to an account that is not an active administrator: " +
	"use another address")

// ErrHalfAdmin is returned for an administrator's address without a password, or the reverse.
var ErrHalfAdmin = errors.New("STOA_ADMIN_EMAIL and STOA_ADMIN_PASSWORD must both be set")

// EnsureAdmin creates an administrator unless there is one. With an empty e-mail
// address and password it does nothing. Several replicas may call it at once.
// created reports whether this call created one.
func (s *Service) EnsureAdmin(ctx context.Context, email, secret string) (created bool, err error) {
	if email == "" && secret == "" {
		return false, nil
	}
	if has, err := s.Store.HasAdmin(ctx); err != nil || has {
		return false, err
	}
	if email == "" || secret == "" {
		return false, ErrHalfAdmin
	}
	for _, username := range []string{"", "admin-" + ids.New()[:8]} {
		_, err = s.CreateAdmin(ctx, email, username, secret)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, ErrTaken) {
			return false, fmt.Errorf("administrator from STOA_ADMIN_EMAIL: %w", err)
		}
		// Another replica was faster, or only the username is taken.
		if has, err := s.Store.HasAdmin(ctx); err != nil || has {
			return false, err
		}
	}
	return false, ErrAdminTaken
}

var notUsername = pattern(`[^\p{L}\p{N}._-]+`)

// usernameFor derives a username from the part of an e-mail address before the @.
func usernameFor(email string) string {
	name, _, _ := strings.Cut(email, "@")
	name = notUsername().ReplaceAllString(name, "-")
	if utf8.RuneCountInString(name) < 3 {
		name = "admin-" + name
	}
	if runes := []rune(name); len(runes) > 64 {
		name = string(runes[:64])
	}
	return name
}

// createAdmin stores an administrator who did not register, records it, and ends the
// set-up token in the same transaction.
func (s *Service) createAdmin(ctx context.Context, tx Store, c Credentials, details audit.Details) error {
	if err := s.createUser(ctx, tx, c); err != nil {
		return err
	}
	all := audit.Details{"email": c.Email, "role": string(c.Role)}
	maps.Copy(all, details)
	target := audit.Target{Type: "user", ID: c.ID}
	if err := tx.Record(ctx, audit.New(ctx, s.Now(), audit.UserCreate, target, all)); err != nil {
		return err
	}
	return tx.DropSetup(ctx)
}
