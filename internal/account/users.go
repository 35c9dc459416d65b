package account

import (
	"context"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/paging"
	"stoa/internal/base/reqctx"
)

// UserQuery selects users. Empty fields match every user.
type UserQuery struct {
	// Search is part of an e-mail address, a username or an id, in any case, or the last
	// group of the key of a license.
	Search string
	// Masked says that the reader sees no addresses: none is searched for, nor the end of a key.
	Masked bool
	// NoTails says that the end of a key is not searched for.
	NoTails bool
	Role    reqctx.Role
	Staff   bool // only those with a role of staff
	Active  *bool
	// Sort is one of UserSorts; empty means the newest first.
	Sort string

	Limit, Offset int
	// After is an entry that those wanted follow, the newest first: then Sort and Offset do not count, nor is counted
	// how many there are.
	After paging.Mark
}

// UserSorts are the orders of lists of users; "-" stands for descending.
var UserSorts = []string{"created", "-created", "email", "-email", "username", "-username", "role", "-role"}

// Issues returns what is wrong with q.
func (q UserQuery) Issues() errs.Issues {
	var f faults
	if len(q.Search) > maxEmail || !utf8.ValidString(q.Search) || strings.ContainsFunc(q.Search, unicode.IsControl) {
		f.Add("q", errs.CodeOutOfRange, "q must have %d bytes or fewer, without control characters.", maxEmail)
	}
	if q.Role != "" && !roleName.MatchString(string(q.Role)) {
		f.Add("role", errs.CodeUnknownValue, "role must be the name of a role, like ADMIN.")
	}
	f.OneOf("sort", q.Sort, UserSorts...)
	return f.Issues
}

// roleName is the form of roles. There may be others than USER and ADMIN (contract 2.1).
var roleName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,31}$`)

// userID is the form of user ids, past ones included.
var userID = regexp.MustCompile(`^[a-z0-9]{1,32}$`)

// ListUsers returns one page of the users that q selects, in the order of q, and how
// many there are on all pages. It returns VALIDATION_ERROR for a query with
// UserQuery.Issues.
func (s *Service) ListUsers(ctx context.Context, q UserQuery) ([]User, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return s.Store.ListUsers(ctx, q)
}

// User returns the user with that id, active or not, or ErrNoUser.
func (s *Service) User(ctx context.Context, id string) (User, error) {
	if !userID.MatchString(id) {
		return User{}, ErrNoUser
	}
	c, err := s.Store.User(ctx, id)
	return c.User, noUser(err)
}

func (s *Service) byEmail(ctx context.Context, email string) (Credentials, error) {
	if !validEmail(email) {
		return Credentials{}, ErrNoUser
	}
	c, err := s.Store.UserByEmail(ctx, Key(email))
	return c, noUser(err)
}

// HasAccount reports whether there is a user with that address, active or not. Tell it only to those who
// have proved that they read mail to the address.
func (s *Service) HasAccount(ctx context.Context, email string) (bool, error) {
	_, err := s.byEmail(ctx, email)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}
	return err == nil, err
}
