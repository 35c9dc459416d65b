package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/store"
)

// must fails the test if something returned an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// wins returns how many of several calls at once return no error; the others must return NotFound.
func wins(t *testing.T, call func() error) int32 {
	t.Helper()
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			switch err := call(); errs.KindOf(err) {
			case "":
				n.Add(1)
			case errs.NotFound:
			default:
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	return n.Load()
}

func testFactors(t *testing.T, open Open) {
	t.Run("an app, from its secret to its end", func(t *testing.T) { t.Parallel(); testTOTP(t, withUsers(t, open)) })
	t.Run("recovery codes", func(t *testing.T) { t.Parallel(); testRecoveryCodes(t, withUsers(t, open)) })
	t.Run("challenges", func(t *testing.T) { t.Parallel(); testChallenges(t, withUsers(t, open)) })
	t.Run("levels of sessions", func(t *testing.T) { t.Parallel(); testLevels(t, withUsers(t, open)) })
	t.Run("an app that was switched on since goes with what is newer", func(t *testing.T) {
		t.Parallel()

		s := withUsers(t, open)
		must(t, s.PutTOTP(t.Context(), account.TOTP{UserID: "u1", Sealed: "a", CreatedAt: T0.Add(-time.Hour)}))
		must(t, s.ConfirmTOTP(t.Context(), "u1", T0))
		must(t, s.RemoveWays(t.Context(), "u1", account.Ways{Factors: true, Since: T0.Add(time.Millisecond)}))
		if _, err := s.TOTP(t.Context(), "u1"); err != nil {
			t.Errorf("older: %v", err)
		}
		must(t, s.RemoveWays(t.Context(), "u1", account.Ways{Factors: true, Since: T0}))
		_, err := s.TOTP(t.Context(), "u1")
		mustBe(t, "TOTP", err, errs.NotFound)
	})
}

func testTOTP(t *testing.T, s *store.Account) {
	_, err := s.TOTP(t.Context(), "u1")
	mustBe(t, "TOTP of nobody", err, errs.NotFound)
	mustBe(t, "ConfirmTOTP of nobody", s.ConfirmTOTP(t.Context(), "u1", T0), errs.NotFound)
	mustBe(t, "RaiseStep of nobody", s.RaiseStep(t.Context(), "u1", 1), errs.NotFound)
	must(t, s.SetFailures(t.Context(), "u1", account.Failures{Count: 1}))
	must(t, s.DeleteTOTP(t.Context(), "u1"))

	want := account.TOTP{UserID: "u1", Sealed: "a", CreatedAt: T0}
	is := func(when string) {
		t.Helper()
		got, err := s.TOTP(t.Context(), "u1")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", when, err, diff)
		}
	}
	must(t, s.PutTOTP(t.Context(), want))
	is("new")
	want.Failures = account.Failures{Count: 20, Since: T0.Add(time.Second), PausedUntil: T0.Add(time.Hour)}
	must(t, s.SetFailures(t.Context(), "u1", want.Failures))
	must(t, s.RaiseStep(t.Context(), "u1", 7))
	want.Sealed, want.CreatedAt = "b", T0.Add(time.Minute)
	must(t, s.PutTOTP(t.Context(), want))
	is("in place of another")
	if f, err := s.SecondFactors(t.Context(), "u1", "example.com"); err != nil || f.Any() {
		t.Errorf("SecondFactors = %+v, %v before it is on", f, err)
	}
	want.ConfirmedAt = T0.Add(2 * time.Minute)
	if n := wins(t, func() error { return s.ConfirmTOTP(t.Context(), "u1", want.ConfirmedAt) }); n != 1 {
		t.Errorf("%d callers switched it on", n)
	}
	mustBe(t, "PutTOTP over one that is on", s.PutTOTP(t.Context(), account.TOTP{UserID: "u1", Sealed: "c", CreatedAt: T0}), errs.Conflict)
	is("on")
	want.LastStep = 1 << 40
	if n := wins(t, func() error { return s.RaiseStep(t.Context(), "u1", want.LastStep) }); n != 1 {
		t.Errorf("%d callers raised the step", n)
	}
	mustBe(t, "RaiseStep to an older one", s.RaiseStep(t.Context(), "u1", want.LastStep-1), errs.NotFound)
	is("used")
	must(t, s.PutTOTP(t.Context(), account.TOTP{UserID: "u2", Sealed: "d", CreatedAt: T0}))
	must(t, s.DeleteTOTP(t.Context(), "u2"))
	is("after another user's went")
}

func testRecoveryCodes(t *testing.T, s *store.Account) {
	left := func(user string, want int) {
		t.Helper()
		if f, err := s.SecondFactors(t.Context(), user, "example.com"); err != nil || f.RecoveryCodes != want || f.TOTP {
			t.Errorf("SecondFactors(%s) = %+v, %v; want %d", user, f, err, want)
		}
	}
	left("nobody", 0)
	must(t, s.PutRecoveryCodes(t.Context(), "u1", []string{"a", "b", "c"}, T0))
	must(t, s.PutRecoveryCodes(t.Context(), "u2", []string{"d"}, T0))
	left("u1", 3)
	mustBe(t, "another user's code", s.UseRecoveryCode(t.Context(), "u1", "d", T0), errs.NotFound)
	mustBe(t, "a code that is none", s.UseRecoveryCode(t.Context(), "u1", "e", T0), errs.NotFound)
	if n := wins(t, func() error { return s.UseRecoveryCode(t.Context(), "u1", "a", T0) }); n != 1 {
		t.Errorf("%d callers used it", n)
	}
	left("u1", 2)
	must(t, s.PutRecoveryCodes(t.Context(), "u1", []string{"f", "a"}, T0))
	left("u1", 2)
	mustBe(t, "a former code", s.UseRecoveryCode(t.Context(), "u1", "b", T0), errs.NotFound)
	must(t, s.DeleteRecoveryCodes(t.Context(), "u1"))
	left("u1", 0)
	left("u2", 1)
}

func testChallenges(t *testing.T, s *store.Account) {
	want := account.Challenge{
		Hash: "h", UserID: "u1", Generation: 3, Print: "p", First: account.MethodPassword, Tries: 1, CreatedAt: T0,
	}
	must(t, s.CreateChallenge(t.Context(), want))
	mustBe(t, "a taken hash", s.CreateChallenge(t.Context(), want), errs.Conflict)
	must(t, s.CountTry(t.Context(), "h"))
	must(t, s.CountTry(t.Context(), "none"))
	want.Tries = 2
	got, err := s.Challenge(t.Context(), "h", T0.Add(-time.Second))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Challenge: %v (-want +got):\n%s", err, diff)
	}
	_, err = s.Challenge(t.Context(), "h", T0)
	mustBe(t, "one that is as old as the age asked for", err, errs.NotFound)
	for i, user := range []string{"u1", "u1", "u2"} {
		must(t, s.CreateChallenge(t.Context(), account.Challenge{Hash: fmt.Sprint("n", i), UserID: user, CreatedAt: T0}))
	}
	must(t, s.DeleteChallenge(t.Context(), "h"))
	must(t, s.DeleteChallenge(t.Context(), "h"))
	_, err = s.Challenge(t.Context(), "h", T0.Add(-time.Second))
	mustBe(t, "one that was deleted", err, errs.NotFound)
	must(t, s.DeleteChallenges(t.Context(), "u1"))
	for hash, want := range map[string]errs.Kind{"n0": errs.NotFound, "n1": errs.NotFound, "n2": ""} {
		_, err := s.Challenge(t.Context(), hash, T0.Add(-time.Second))
		mustBe(t, hash, err, want)
	}
}

func testLevels(t *testing.T, s *store.Account) {
	mustBe(t, "SetLevel of an unknown session", s.SetLevel(t.Context(), "none", 2, nil), errs.NotFound)
	for id, methods := range map[string][]string{
		"app": {"pwd", "otp"}, "code": {"pwd", "rec"}, "both": {"pwd", "otp", "rec"}, "bare": {"otp"},
		"key": {"pky:otp1"}, "key-and-app": {"pky:k", "otp"}, "password": {"pwd"},
	} {
		sess := session(id, "u1")
		mustCreateSession(t, s, sess)
		must(t, s.SetLevel(t.Context(), id, 2, methods))
	}
	mustCreateSession(t, s, session("other", "u2"))
	must(t, s.SetLevel(t.Context(), "other", 2, []string{"pwd", "otp"}))
	must(t, s.LowerSessions(t.Context(), "u1"))
	for id, want := range map[string]string{
		"app": "1 [pwd]", "code": "1 [pwd]", "both": "1 [pwd]", "bare": "1 []",
		"key": "2 [pky:otp1]", "key-and-app": "2 [pky:k]", "password": "2 [pwd]", "other": "2 [pwd otp]",
	} {
		got, err := s.Session(t.Context(), id)
		if text := fmt.Sprint(got.Level, " ", got.Methods); err != nil || text != want {
			t.Errorf("%s is %s, %v; want %s", id, text, err, want)
		}
	}
}
