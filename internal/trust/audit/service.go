package audit

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"stoa/internal/base/errs"
)

// Store is the log in the database. Package store implements it, and its tests
// cover every sentence here.
type Store interface {
	// Record appends an entry. For an actor of kind User, Name becomes the user's
	// current e-mail address, or "" if there is no such user.
	Record(ctx context.Context, e Entry) error

	// ListEntries returns one page of the entries that a query selects, in its order,
	// and how many there are on all pages. Of entries with the same time, the one
	// recorded last comes first.
	ListEntries(ctx context.Context, q Query) ([]Entry, int, error)
}

// Query selects entries. An empty field matches every entry.
type Query struct {
	// Search is part of an actor's name or id, of a target's id, e-mail address or slug, or of a
	// request id, ignoring case, or the last group of a license key.
	Search string
	// Masked says that the reader sees no addresses: none is searched for, nor the end of a key.
	Masked bool
	// NoTails says that the end of a key is not searched for.
	NoTails bool
	// Customers selects what was done to orders, licenses, reviews, and users who are not staff now.
	Customers bool
	Actor     string // an actor's id, or a user's e-mail address at the time
	Action    string // an action, or its first part: "user" for all actions on users
	Target    string // an id, or a type and an id: "instance:6f1c…"

	From time.Time // inclusive
	To   time.Time // exclusive

	Sort string // one of Sorts; empty means the latest first

	Limit, Offset int
}

// Sorts are the orders of the log; "-" stands for descending.
var Sorts = []string{"at", "-at", "actor", "-actor", "action", "-action"}

// maxFilter is the maximum length of each text of a Query in bytes.
const maxFilter = 320

// Issues returns the errors of q.
func (q Query) Issues() errs.Issues {
	var is errs.Issues
	for _, f := range []struct{ name, value string }{
		{"q", q.Search},
		{"actor", q.Actor},
		{"action", q.Action},
		{"target", q.Target},
	} {
		if len(f.value) > maxFilter || !utf8.ValidString(f.value) || strings.ContainsFunc(f.value, unicode.IsControl) {
			is.Add(f.name, errs.CodeOutOfRange,
				"%s must have %d bytes or fewer, without control characters.", f.name, maxFilter)
		}
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.To.Before(q.From) {
		is.Add("to", errs.CodeBeforeFrom, "to must not lie before from.")
	}
	is.OneOf("sort", q.Sort, Sorts...)
	return is
}

// Log reads the log, and records operations outside of a domain's transaction. Its
// fields are required. It is safe for concurrent use.
type Log struct {
	Store Store
	Now   func() time.Time
}

// Record appends an entry for an operation that happens now. An operation that changes
// data is recorded with the domain's own Store instead, in the same transaction.
func (l *Log) Record(ctx context.Context, action Action, target Target, details Details) error {
	return l.Store.Record(ctx, New(ctx, l.Now(), action, target, details))
}

// List returns one page of the entries that q selects, in its order, and how many there
// are on all pages. It returns VALIDATION_ERROR with the issues of the query.
func (l *Log) List(ctx context.Context, q Query) ([]Entry, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return l.Store.ListEntries(ctx, q)
}
