package audit

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"stoa/internal/errs"
)

// Store is the log in the database. Package store implements it and package
// storetest holds every sentence here to it.
type Store interface {
	// Record appends an entry. The name of an actor of kind User becomes the
	// user's present e-mail address, or stays empty for a user there is not.
	Record(ctx context.Context, e Entry) error

	// ListEntries returns one page of the entries that a query wants, the latest
	// first and of the same moment the last recorded first, and how many there are
	// on all pages.
	ListEntries(ctx context.Context, q Query) ([]Entry, int, error)
}

// Query says which entries are wanted. What is empty does not matter.
type Query struct {
	// Search is part of an actor's name or id, of a target's id, e-mail address or slug,
	// or of a request id, in any case, or the last group of a license key.
	Search string
	Actor  string // an actor's id, or a user's e-mail address as it was recorded
	Action string // an action, or a subject: "user" is all that was done to users
	Target string // an id, or a type and an id: "instance:6f1c…"

	From time.Time // the first moment
	To   time.Time // the moment after the last

	Limit, Offset int
}

// maxFilter is how long a text of a Query may be, in bytes.
const maxFilter = 320

// Issues returns what is wrong with q.
func (q Query) Issues() []errs.Issue {
	var found []errs.Issue
	for _, f := range []struct{ name, value string }{{"q", q.Search}, {"actor", q.Actor}, {"action", q.Action}, {"target", q.Target}} {
		if len(f.value) > maxFilter || !utf8.ValidString(f.value) || strings.ContainsFunc(f.value, unicode.IsControl) {
			found = append(found, errs.Issue{Path: f.name, Code: "invalid", Message: fmt.Sprintf("%s must have %d bytes or fewer, without control characters.", f.name, maxFilter)})
		}
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.To.Before(q.From) {
		found = append(found, errs.Issue{Path: "to", Code: "before_from", Message: "to must not lie before from."})
	}
	return found
}

// Log reads the log, and records what no domain's transaction can. Its fields
// are required; it is safe for concurrent use.
type Log struct {
	Store Store
	Now   func() time.Time
}

// Record appends an entry of this moment. Where something is changed, the
// domain's own Store records it instead, with the change.
func (l *Log) Record(ctx context.Context, action Action, target Target, details Details) error {
	return l.Store.Record(ctx, New(ctx, l.Now(), action, target, details))
}

// List returns one page of the entries that q wants, the latest first, and how
// many there are on all pages. It returns VALIDATION_ERROR with every fault of
// the query.
func (l *Log) List(ctx context.Context, q Query) ([]Entry, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	return l.Store.ListEntries(ctx, q)
}
