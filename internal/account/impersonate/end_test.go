package impersonate_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/impersonate"
	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

var now = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// rows are impersonations whose ends nobody has noticed, and how many of their sessions were looked at. Package store
// has the tests of the SQL.
type rows struct {
	impersonate.Store
	impersonate.Accounts

	all   []impersonate.Impersonation // the latest first
	over  map[string]bool
	asked int
}

func (r *rows) ListImpersonations(_ context.Context, q impersonate.Query) (page []impersonate.Impersonation, total int, _ error) {
	for _, i := range r.all {
		if (q.UserID == "" || q.UserID == i.User.ID) && (!q.Open || i.EndedAt.IsZero()) {
			page = append(page, i)
		}
	}
	total = len(page)
	return slices.Clone(page[min(q.Offset, total):min(q.Offset+q.Limit, total)]), total, nil
}

func (r *rows) Stands(_ context.Context, id string) (bool, error) {
	r.asked++
	return !r.over[id], nil
}

func (r *rows) NoteEnd(_ context.Context, id string, at time.Time) (bool, error) {
	for i := range r.all {
		if r.all[i].ID == id {
			r.all[i].EndedAt = at
		}
	}
	return true, nil
}

func (r *rows) InTx(_ context.Context, fn func(impersonate.Store) error) error { return fn(r) }

func (*rows) User(context.Context, string) (account.Credentials, error) {
	return account.Credentials{}, nil
}

func (*rows) Session(context.Context, string) (account.Session, error) {
	return account.Session{}, errs.New(errs.NotFound, "NOT_FOUND", "There is no such session.")
}

func (*rows) Record(context.Context, audit.Entry) error { return nil }

// A list costs what its page costs, however many others are open; and what it says is so.
func TestAListLooksAtTheSessionsOfItsPage(t *testing.T) {
	t.Parallel()

	r := &rows{over: make(map[string]bool)}
	for i := range 1000 {
		id := fmt.Sprint("i", i)
		r.all = append(r.all, impersonate.Impersonation{
			ID: id, User: impersonate.Person{ID: fmt.Sprint("u", i%500)}, EndsAt: now.Add(time.Minute),
		})
		r.over[id] = i%2 == 1
	}
	s := &impersonate.Service{Store: r, Accounts: r, Now: func() time.Time { return now }}
	list, total, err := s.List(t.Context(), impersonate.Query{Limit: 10})
	if err != nil || total != 1000 || len(list) != 10 {
		t.Fatalf("%d of %d, %v", len(list), total, err)
	}
	for _, i := range list {
		if i.EndedAt.IsZero() == r.over[i.ID] {
			t.Errorf("%s ended at %v", i.ID, i.EndedAt)
		}
	}
	if r.asked > 20 {
		t.Errorf("of 1000, it looked at %d sessions for a page of 10", r.asked)
	}

	r.asked = 0
	list, total, err = s.List(t.Context(), impersonate.Query{UserID: "u3", Open: true, Limit: 10})
	if err != nil || total != 0 || len(list) != 0 || r.asked > 2 {
		t.Errorf("open, of a user whose two are over: %v of %d, %v, with %d sessions", list, total, err, r.asked)
	}
}
