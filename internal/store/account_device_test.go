package store_test

import (
	"strconv"
	"testing"
	"time"

	"stoa/internal/account"
)

func testDevices(t *testing.T, open Open) {
	s := withUsers(t, open)
	keep := func(user, id, sent string, at time.Time, want string) {
		t.Helper()
		d := account.KnownDevice{ID: id, UserID: user, Hash: "hash of " + id, Name: "Firefox on Linux", LastAt: at}
		if got, err := s.KeepDevice(t.Context(), d, sent); err != nil || got != want {
			t.Errorf("KeepDevice(%s, %s) = %s, %v; want %s", id, sent, got, err, want)
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
		begun := session(id, "u1")
		begun.DeviceID = device
		if err := s.CreateSession(t.Context(), begun); err != nil {
			t.Fatal(err)
		}
	}
	keep("u1", "a", "", T0, "a")
	keep("u1", "b", "hash of a", T0.Add(time.Hour), "a")
	keep("u2", "c", "hash of a", T0, "c") // another user's
	keep("u1", "d", "hash of c", T0, "d")
	knows("hash of a", T0, true)
	knows("hash of a", T0.Add(time.Hour), false)
	knows("hash of b", T0.Add(-time.Hour), false)
	knows("hash of c", T0.Add(-time.Hour), false)
	keep("u1", "e", "hash of a", T0.Add(time.Hour+account.DeviceLife), "e") // too late

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
	if id, err := s.KeepDevice(t.Context(), account.KnownDevice{ID: "f", UserID: "u2", LastAt: T0}, "hash of c"); err != nil || id != "c" {
		t.Errorf("the device of another user is %s, %v", id, err)
	}

	// Fifty at most.
	for i := range 52 {
		id := "n" + strconv.Itoa(i)
		keep("u1", id, "", T0.Add(time.Duration(i)*time.Second), id)
	}
	if err := s.DeleteStale(t.Context(), T0.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for i := range 52 {
		knows("hash of n"+strconv.Itoa(i), T0.Add(-time.Hour), i > 1)
	}
}
