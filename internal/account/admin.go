package account

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"unicode/utf8"

	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
)

// CreateAdmin creates a user with role ADMIN. Without a username it takes one
// from the e-mail address. It returns VALIDATION_ERROR with every fault, and
// ErrTaken when the e-mail address or the username is somebody's already.
func (s *Service) CreateAdmin(ctx context.Context, email, username, secret string) (User, error) {
	if username == "" {
		username = usernameFor(email)
	}
	var f faults
	f.email(email)
	f.username("username", username)
	f.newPassword(s.Policy, "password", secret, email, username)
	if err := f.Err(); err != nil {
		return User{}, err
	}
	c, err := s.newUser(ctx, User{Email: email, Username: username, Role: caller.RoleAdmin}, secret)
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

// ErrAdminTaken says that the administrator to be made has the e-mail address or
// username of somebody who is none. Whoever registered it is not trusted for
// that.
var ErrAdminTaken = errors.New("STOA_ADMIN_EMAIL belongs to an account that is no active administrator: use another address")

// EnsureAdmin creates an administrator while there is none. With an empty e-mail
// address and password it does nothing. Several replicas may call it at once.
// created reports whether this call made one.
func (s *Service) EnsureAdmin(ctx context.Context, email, secret string) (created bool, err error) {
	if email == "" && secret == "" {
		return false, nil
	}
	if has, err := s.Store.HasAdmin(ctx); err != nil || has {
		return false, err
	}
	if email == "" || secret == "" {
		return false, errors.New("STOA_ADMIN_EMAIL and STOA_ADMIN_PASSWORD are needed both")
	}
	for _, username := range []string{"", "admin-" + cuid2.New()[:8]} {
		_, err = s.CreateAdmin(ctx, email, username, secret)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, ErrTaken) {
			return false, fmt.Errorf("administrator from STOA_ADMIN_EMAIL: %w", err)
		}
		// Taken by another replica that was quicker; or only the username is.
		if has, err := s.Store.HasAdmin(ctx); err != nil || has {
			return false, err
		}
	}
	return false, ErrAdminTaken
}

var notUsername = regexp.MustCompile(`[^\p{L}\p{N}._-]+`)

// usernameFor makes a username of the part of an e-mail address before the @.
func usernameFor(email string) string {
	name, _, _ := strings.Cut(email, "@")
	name = notUsername.ReplaceAllString(name, "-")
	if utf8.RuneCountInString(name) < 3 {
		name = "admin-" + name
	}
	if runes := []rune(name); len(runes) > 64 {
		name = string(runes[:64])
	}
	return name
}

// createAdmin stores an administrator that was not made by registering, and
// records it. With an administrator there, the set-up token ends: in the same
// transaction, so that none outlives the other.
func (s *Service) createAdmin(ctx context.Context, tx Store, c Credentials, details audit.Details) error {
	if err := tx.CreateUser(ctx, c); err != nil {
		return err
	}
	all := audit.Details{"email": c.Email, "role": string(c.Role)}
	maps.Copy(all, details)
	if err := tx.Record(ctx, audit.New(ctx, s.Now(), audit.UserCreate, audit.Target{Type: "user", ID: c.ID}, all)); err != nil {
		return err
	}
	return tx.DropSetup(ctx)
}
