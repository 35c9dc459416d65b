package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/store"
)

// A new password is not known to be breached; another hash of one is what it was.
func testBreached(t *testing.T, open Open) {
	s := store.NewAccount(open(t))
	want, other := mustCreateUser(t, s, credentials("u0")), mustCreateUser(t, s, credentials("u2"))
	for i, step := range []struct {
		do   func() error
		hash string
		at   time.Time
	}{
		{func() error { return nil }, want.PasswordHash, time.Time{}},
		{func() error { return s.SetBreached(t.Context(), "u0", T0) }, want.PasswordHash, T0},
		{func() error { return s.Rehash(t.Context(), "u0", "again") }, "again", T0},
		{func() error { return s.SetPassword(t.Context(), "u0", "new") }, "new", time.Time{}},
		{func() error { return s.SetBreached(t.Context(), "u0", T0) }, "new", T0},
		{func() error { return s.SetBreached(t.Context(), "u0", time.Time{}) }, "new", time.Time{}},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		want.PasswordHash, want.BreachedAt = step.hash, step.at
		for _, want := range []account.Credentials{want, other} {
			got, err := s.User(t.Context(), want.ID)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("step %d: %v (-want +got):\n%s", i, err, diff)
			}
		}
	}
	mustBe(t, "Rehash of nobody", s.Rehash(t.Context(), "u3", "x"), errs.NotFound)
	mustBe(t, "SetBreached of nobody", s.SetBreached(t.Context(), "u3", T0), errs.NotFound)
}
