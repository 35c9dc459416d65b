package store_test

import (
	"strconv"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/store"
)

// addDevice adds a device whose cookie has a hash after its id.
func addDevice(tb testing.TB, s *store.Account, user, id string, at time.Time) {
	tb.Helper()
	d := account.KnownDevice{ID: id, UserID: user, Hash: "hash of " + id, Name: "Firefox on Linux", LastAt: at}
	if err := s.AddDevice(tb.Context(), d); err != nil {
		tb.Errorf("AddDevice(%s, %s) = %v", user, id, err)
	}
}

func testDevices(t *testing.T, open Open) {
	s := withUsers(t, open)
	add := func(user, id string, at time.Time) { t.Helper(); addDevice(t, s, user, id, at) }
	use := func(user, hash string, at time.Time, want string) {
		t.Helper()
		got, err := s.UseDevice(t.Context(), user, hash, at)
		if got != want || (want == "") != (errs.KindOf(err) == errs.NotFound) || want != "" && err != nil {
			t.Errorf("UseDevice(%s, %s) = %q, %v; want %q, or not found without", user, hash, got, err, want)
		}
	}
	u1, err := s.User(t.Context(), "u1")
	if err != nil {
		t.Fatal(err)
	}
	knows := func(hash string, after time.Time, want bool) {
		t.Helper()
		if got, err := s.KnowsDevice(t.Context(), account.Key(u1.Email), hash, after); err != nil || got != want {
			t.Errorf("KnowsDevice(%s) = %v, %v; want %v", hash, got, err, want)
		}
	}
	begin := func(id, device string) {
		t.Helper()
		fresh := session(id, "u1")
		fresh.DeviceID = device
		if err := s.CreateSession(t.Context(), fresh); err != nil {
			t.Fatal(err)
		}
	}
	add("u1", "a", T0)
	use("u1", "hash of a", T0.Add(time.Hour), "a")
	use("u2", "hash of a", T0, "") // another user's
	add("u2", "c", T0)
	use("u1", "hash of c", T0, "")
	add("u1", "d", T0)
	use("u1", "hash of nobody", T0, "")
	knows("hash of a", T0, true)
	knows("hash of a", T0.Add(time.Hour), false)
	knows("hash of c", T0.Add(-time.Hour), false)
	use("u1", "hash of a", T0.Add(time.Hour+account.DeviceLife), "") // too late
	add("u1", "e", T0.Add(time.Hour+account.DeviceLife))
	double := account.KnownDevice{ID: "double", UserID: "u1", Hash: "hash of e", LastAt: T0}
	if err := s.AddDevice(t.Context(), double); errs.KindOf(err) != errs.Conflict {
		t.Errorf("AddDevice of a Hash that the user has = %v, want a conflict", err)
	}

	begin("s1", "a")
	begin("s2", "d")
	begin("s3", "e")
	if err := s.ForgetDevice(t.Context(), "u2", "s2"); err != nil {
		t.Fatal(err)
	}
	knows("hash of d", T0.Add(-time.Hour), true)
	if err := s.ForgetDevice(t.Context(), "u1", "s2"); err != nil {
		t.Fatal(err)
	}
	knows("hash of d", T0.Add(-time.Hour), false)
	knows("hash of e", T0.Add(-time.Hour), true)
	if err := s.DeleteSessionsExcept(t.Context(), "u1", "s1"); err != nil {
		t.Fatal(err)
	}
	knows("hash of e", T0.Add(-time.Hour), false)
	knows("hash of a", T0.Add(-time.Hour), true)
	if err := s.DeleteSessionsExcept(t.Context(), "u1", ""); err != nil {
		t.Fatal(err)
	}
	knows("hash of a", T0.Add(-time.Hour), false)
	use("u2", "hash of c", T0, "c") // of somebody else, who did nothing

	// Fifty at most.
	for i := range 52 {
		id := "n" + strconv.Itoa(i)
		add("u1", id, T0.Add(time.Duration(i)*time.Second))
	}
	if err := s.DeleteStale(t.Context(), T0.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for i := range 52 {
		knows("hash of n"+strconv.Itoa(i), T0.Add(-time.Hour), i > 1)
	}
}
