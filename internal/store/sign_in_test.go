package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/operate/settings"
	"stoa/internal/operate/signin"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

func testSignIn(t *testing.T, open Open) {
	db := open(t)
	s, l := store.NewSignIn(db), newLive(t, db)
	ctx := t.Context()
	first, err := s.SignIn(ctx)
	if diff := cmp.Diff(signin.Stored{Version: 1}, first); err != nil || diff != "" {
		t.Errorf("of a new database: %v (-want +got)\n%s", err, diff)
	}
	want := signin.Stored{
		Values: settings.SignIn{
			AuthPolicy: "a", PasswordPolicy: "b", BreachedPasswords: "c", Registration: "d", StaffSecondFactor: "e", SessionMax: "f",
			StaffSessionMax: "g", AdminReauth: "h", EmailSignIn: "i", NewSignInMail: "j",
		},
		Version: 2, UpdatedAt: T0, Unknown: map[string]json.RawMessage{"of a later release": json.RawMessage(`{"a":1}`)},
	}
	undone := errors.New("undone")
	put := func(set signin.Stored, end error) error {
		return s.InTx(ctx, func(tx signin.Store) error {
			return errors.Join(tx.PutSignIn(ctx, set),
				tx.Record(ctx, audit.New(ctx, T0, audit.SignInSettings, audit.Target{Type: "settings"}, nil)), end)
		})
	}
	if err := put(want, nil); err != nil {
		t.Fatal(err)
	}
	if err := put(signin.Stored{Version: 3}, undone); !errors.Is(err, undone) {
		t.Fatal(err)
	}
	got, err := s.SignIn(ctx)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("what was put: %v (-want +got)\n%s", err, diff)
	}
	// Whoever asks for a session is told their state.
	accounts := store.NewAccount(db)
	mustCreateUser(t, accounts, credentials("u1"))
	mustCreateSession(t, accounts, session("s1", "u1"))
	if alive, err := accounts.Alive(ctx, "s1"); err != nil || alive.Rules != got.State() || alive.Rules == first.State() {
		t.Errorf("a session has the rules %q, %v; want %q, and not %q", alive.Rules, err, got.State(), first.State())
	}
	changes, err := l.Changes(ctx, "me", 1)
	if got := fmt.Sprint(changes.Rows); err != nil || got != "[{2  "+signin.RowName+"}]" {
		t.Errorf("rows %s, %v", got, err)
	}
}
