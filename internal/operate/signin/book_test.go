package signin_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/live"
	"stoa/internal/base/errs"
	"stoa/internal/operate/settings"
	"stoa/internal/operate/signin"
	"stoa/internal/trust/audit"
)

// shelf is a signin.Store that counts who asks.
type shelf struct {
	signin.Store

	set   signin.Stored
	asked int
}

func (s *shelf) SignIn(context.Context) (signin.Stored, error) {
	s.asked++
	return s.set, nil
}

func (s *shelf) InTx(_ context.Context, fn func(signin.Store) error) error { return fn(s) }

func (s *shelf) PutSignIn(_ context.Context, set signin.Stored) error {
	s.set = set
	return nil
}

func (*shelf) Record(context.Context, audit.Entry) error { return nil }

// Whoever changed a setting may have been killed before all replicas knew. Asking for it again waits, too; a refused
// change does not.
func TestAChangeIsAnsweredWhenAllReplicasHaveIt(t *testing.T) {
	t.Parallel()

	store, waited := &shelf{}, 0
	book, err := signin.NewBook(store, settings.SignIn{}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &signin.Service{
		Store: store, Book: book, Now: func() time.Time { return time.UnixMilli(5) },
		Settle: func(context.Context) { waited++ },
	}
	for i, tt := range []struct {
		value  string
		waited int
	}{{`"closed"`, 1}, {`"closed"`, 2}, {`"invalid"`, 2}} {
		err := s.Change(t.Context(), map[string]json.RawMessage{"registration": json.RawMessage(tt.value)}, errs.Issues{}, nil)
		if (err == nil) != (i < 2) || waited != tt.waited {
			t.Errorf("%s: waited %d times, want %d; %v", tt.value, waited, tt.waited, err)
		}
	}
	stale := func(int64) bool { return false } // what a console finds that sends its change again
	if err := s.Change(t.Context(), nil, errs.Issues{}, stale); !errors.Is(err, signin.ErrStale) || waited != 3 {
		t.Errorf("stale: waited %d times, want 3; %v", waited, err)
	}
	if store.set.Version != 1 {
		t.Errorf("version %d, want 1", store.set.Version)
	}
}

// A process without a lease, as with one SQLite file for several, asks for the session alone: the answer says whether
// the rules are still those that it has.
func TestRulesAreReadAgainOnlyWhereTheirStateIsAnother(t *testing.T) {
	t.Parallel()

	s := &shelf{set: signin.Stored{Values: settings.SignIn{Registration: "closed"}, Version: 1}}
	noClock := func() (time.Duration, bool) { return 0, false }
	b, err := signin.NewBook(s, settings.SignIn{}, false,
		live.Beside[account.Rules](live.New[account.Alive](nil, "me", noClock), signin.RowName))
	if err != nil {
		t.Fatal(err)
	}
	since := func(state string, want account.RegistrationMode, asked int) {
		t.Helper()
		rules, err := b.Since(t.Context(), state)
		if err != nil || rules.Registration != want || s.asked != asked {
			t.Errorf("since %q: %q, asked %d times, %v; want %q, %d times", state, rules.Registration, s.asked, err, want, asked)
		}
	}
	since("", account.RegistrationClosed, 1)
	since(s.set.State(), account.RegistrationClosed, 1)
	since("", account.RegistrationClosed, 2) // not told

	s.set = signin.Stored{Values: settings.SignIn{Registration: "open"}, Version: 2, UpdatedAt: time.UnixMilli(5)}
	since(s.set.State(), account.RegistrationOpen, 3)
	since(s.set.State(), account.RegistrationOpen, 3)

	// The same number after an older state was restored, and changed in another way.
	other := signin.Stored{Version: 2, UpdatedAt: time.UnixMilli(6)}
	if other.State() == s.set.State() {
		t.Error("two changes with one number have one state")
	}
	// The database went back: what is read later counts, whatever its number.
	s.set = signin.Stored{Values: settings.SignIn{Registration: "closed"}, Version: 1, UpdatedAt: time.UnixMilli(4)}
	since(s.set.State(), account.RegistrationClosed, 4)
	if last := b.Last().Registration; last != account.RegistrationClosed {
		t.Errorf("decided by %q, after %q was read", last, s.set.Values.Registration)
	}
	if _, err := signin.NewBook(s, settings.SignIn{Registration: "nonsense"}, false, nil); err == nil {
		t.Error("a value that nobody knows is taken")
	}
}
