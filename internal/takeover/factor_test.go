package takeover_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// The attacker registers the victim's address, and adds an app that would outlive the victim's new password.
func TestAnUnprovenAccountGetsNoSecondFactor(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		held := w.register(t, victims, "mallory")
		testkit.WantError(t, w.Do(t, testkit.Post(held.Access, "/auth/totp", nil)), http.StatusForbidden, "EMAIL_UNVERIFIED")
		if w.account(t, held.Access).Get(t, "data.secondFactor.available") != false {
			t.Error("the account says that it may have a second factor")
		}
		testkit.WantError(t, w.Do(t, testkit.Post(held.Access, "/auth/totp/confirm", map[string]string{"code": "000000"})),
			http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
		w.reset(t, victims)
		if got := w.account(t, w.signIn(t, victims, chosen).Access).Get(t, "data.secondFactor.totp"); got != false {
			t.Errorf("codes of an app are on: %v", got)
		}
	})
}

// The attacker has the password.
func TestAPasswordAloneOpensNothingOfAnAccountWithASecondFactor(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		res := w.Do(t, testkit.SignIn(victims, testkit.Password))
		testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		if got := fmt.Sprint(res.Get(t, "error.details.methods"), res.Get(t, "error.details.expiresAt")); got != "[totp recovery]2030-03-01T12:05:00.000Z" {
			t.Errorf("details %s", got)
		}
		if res.Header.Get("Cache-Control") != "no-store" || len(res.Header.Values("Set-Cookie")) != 0 {
			t.Errorf("headers %v", res.Header)
		}
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, "a wrong password")), http.StatusUnauthorized, "LOGIN_FAILED")

		// No session exists, and the challenge is no token.
		challenge := res.Text(t, "error.details.challenge")
		if n := len(w.Do(t, testkit.Get(owner.Access, "/auth/sessions")).Get(t, "data.items").([]any)); n != 1 {
			t.Errorf("%d sessions", n)
		}
		for _, req := range []testkit.Request{
			testkit.Me(challenge), testkit.Get(challenge, "/auth/account"), testkit.Post(challenge, "/auth/totp", nil),
			testkit.Post(challenge, "/auth/recovery-codes", nil), again(challenge, "totp", w.now(p)),
		} {
			testkit.WantError(t, w.Do(t, req), http.StatusUnauthorized, "UNAUTHORIZED")
		}
		testkit.WantError(t, w.Do(t, testkit.Refresh(challenge)), http.StatusUnauthorized, "REFRESH_FAILED")
		for _, token := range []string{owner.Access, owner.Refresh} {
			w.refused(t, w.Do(t, step(token, "totp", w.later(p))), -1)
		}
		signedIn := testkit.TokensOf(t, w.Do(t, step(challenge, "totp", w.now(p))), http.StatusOK)
		if got := w.level(t, signedIn.Access); got != "2[pwd otp]" {
			t.Errorf("the session is %s", got)
		}
		w.refused(t, w.Do(t, step(challenge, "totp", w.later(p))), -1)
		refreshed := testkit.TokensOf(t, w.Do(t, testkit.Refresh(signedIn.Refresh)), http.StatusOK)
		if got := w.level(t, refreshed.Access); got != "2[pwd otp]" {
			t.Errorf("the refreshed session is %s", got)
		}
	})
}

// The attacker reads a code over the owner's shoulder, or on the way.
func TestACodeWorksOnceAndNoneBeforeIt(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.setUp(t, owner.Access)
		w.post(t, owner.Access, "/auth/totp/confirm", map[string]string{"code": w.now(p)}, http.StatusOK)
		challenge := w.passwordStep(t, victims, testkit.Password)
		w.refused(t, w.Do(t, step(challenge, "totp", w.now(p))), 4) // confirming used it
		before := w.later(p)
		after := w.later(p)
		w.both(t, victims, testkit.Password, "totp", after)
		w.refused(t, w.Do(t, step(challenge, "totp", before)), 3) // still within its time, but older
		w.refused(t, w.Do(t, step(challenge, "totp", after)), 2)
		testkit.WantError(t, w.Do(t, again(owner.Access, "totp", after)), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		// As people type it, in the period that follows its own.
		code := w.later(p)
		w.Clock.Advance(30 * time.Second)
		w.both(t, victims, testkit.Password, "totp", code[:3]+" "+code[3:])
		late := w.later(p)
		w.Clock.Advance(time.Minute)
		w.refused(t, w.Do(t, step(w.passwordStep(t, victims, testkit.Password), "totp", late)), 4)
		early := p.code(w.Clock.Now().Add(30 * time.Second))
		w.refused(t, w.Do(t, step(w.passwordStep(t, victims, testkit.Password), "totp", early)), 4)
	})
}

// The same code at the same time, from several places.
func TestOfManySecondStepsWithOneCodeOneWins(t *testing.T) {
	t.Parallel()

	for _, method := range []string{"totp", "recovery"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()

			raced(t, func(t *testing.T, w *world) {
				owner := w.proven(t, victims, "ada")
				p := w.withApp(t, owner.Access)
				code := w.later(p)
				if method == "recovery" {
					code = p.recovery[0]
				}
				var challenges []string
				for range 4 {
					challenges = append(challenges, w.passwordStep(t, victims, testkit.Password))
				}
				if n := w.win(t, challenges, method, code); n != 1 {
					t.Errorf("%d of %d signed in", n, len(challenges))
				}
				// And one challenge, with codes that are all right.
				one := w.passwordStep(t, victims, testkit.Password)
				if n := w.win(t, []string{one, one, one, one}, "recovery", p.recovery[1:5]...); n != 1 {
					t.Errorf("%d sign-ins with one challenge", n)
				}
			})
		})
	}
}

// win sends second steps at once, the i-th with the i-th code or the only one, and returns how many succeed.
func (w *world) win(t *testing.T, challenges []string, method string, codes ...string) int32 {
	t.Helper()
	var wins atomic.Int32
	var wg sync.WaitGroup
	for i, challenge := range challenges {
		wg.Go(func() {
			switch res := w.Do(t, step(challenge, method, codes[i%len(codes)])); res.Status {
			case http.StatusOK:
				wins.Add(1)
			case http.StatusUnauthorized:
			default:
				t.Errorf("answer %d %s", res.Status, res.Body)
			}
		})
	}
	wg.Wait()
	return wins.Load()
}

// Two replicas look at the same code.
func TestOfTwoReplicasOneTakesACode(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		first, second := &world{App: a}, &world{App: b}
		b.Outbox.Close() // the first one sends all mails
		owner := first.proven(t, victims, "ada")
		p := first.withApp(t, owner.Access)
		for range 5 {
			code := first.later(p)
			second.Clock.Advance(30 * time.Second)
			challenges := []string{first.passwordStep(t, victims, testkit.Password), second.passwordStep(t, victims, testkit.Password)}
			var wins atomic.Int32
			var wg sync.WaitGroup
			for i, w := range []*world{first, second} {
				wg.Go(func() { wins.Add(w.win(t, challenges[i:i+1], "totp", code)) })
			}
			wg.Wait()
			if wins.Load() != 1 {
				t.Errorf("%d replicas took the code", wins.Load())
			}
		}
	})
}

// The attacker knows the password, and tries codes.
func TestAChallengeBearsFiveWrongCodes(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		challenge := w.passwordStep(t, victims, testkit.Password)
		w.Clock.Advance(30 * time.Second)
		for left, code := range []string{"", "0", "'" + w.now(p), p.recovery[0] + "0", p.wrong(w.Clock.Now())} {
			method := "totp"
			if strings.Contains(code, "-") {
				method = "recovery"
			}
			if code == "" {
				testkit.WantError(t, w.Do(t, step(challenge, "totp", code)), http.StatusBadRequest, "VALIDATION_ERROR")
				code = "12345678901234567890"
			}
			w.refused(t, w.Do(t, step(challenge, method, code)), 4-left)
		}
		w.refused(t, w.Do(t, step(challenge, "totp", w.now(p))), -1)
		w.refused(t, w.Do(t, step(challenge, "recovery", p.recovery[0])), -1)

		// Four are not five.
		challenge = w.passwordStep(t, victims, testkit.Password)
		for left := 4; left > 0; left-- {
			w.refused(t, w.Do(t, step(challenge, "totp", p.wrong(w.Clock.Now()))), left)
		}
		testkit.TokensOf(t, w.Do(t, step(challenge, "totp", w.now(p))), http.StatusOK)
		late := w.passwordStep(t, victims, testkit.Password)
		w.Clock.Advance(5*time.Minute - time.Second)
		w.refused(t, w.Do(t, step(late, "totp", p.wrong(w.Clock.Now()))), 4)
		w.Clock.Advance(time.Second)
		w.refused(t, w.Do(t, step(late, "totp", w.now(p))), -1)
	})
}

// The attacker begins anew whenever a challenge is used up.
func TestWrongCodesOfAnAccountCountTogether(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		guess := func() testkit.Response {
			return w.Do(t, step(w.passwordStep(t, victims, testkit.Password), "totp", p.wrong(w.Clock.Now())))
		}
		right := func() testkit.Response {
			return w.Do(t, step(w.passwordStep(t, victims, testkit.Password), "totp", w.later(p)))
		}
		for i := range 19 {
			if i%2 == 0 {
				w.refused(t, guess(), 4)
			} else { // other ways to try one count, too
				testkit.WantError(t, w.Do(t, again(owner.Access, "totp", p.wrong(w.Clock.Now()))), http.StatusUnauthorized,
					"REAUTHENTICATION_FAILED")
			}
		}
		testkit.TokensOf(t, right(), http.StatusOK) // 19 are not 20, and a right one forgives none
		w.refused(t, guess(), 4)
		paused := w.Clock.Now()
		w.refused(t, right(), 4) // as a wrong one
		testkit.WantError(t, w.Do(t, again(owner.Access, "totp", w.later(p))), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		w.both(t, victims, testkit.Password, "recovery", p.recovery[0]) // the owner gets in
		w.Clock.Advance(5 * time.Minute)
		for range 6 { // which makes it no longer
			w.refused(t, w.Do(t, step(w.passwordStep(t, victims, testkit.Password), "recovery", p.recovery[0])), 4)
		}
		w.Clock.Advance(paused.Add(time.Hour - time.Second).Sub(w.Clock.Now()))
		w.refused(t, w.Do(t, step(w.passwordStep(t, victims, testkit.Password), "totp", w.now(p))), 4)
		w.Clock.Advance(time.Second)
		testkit.TokensOf(t, right(), http.StatusOK)
		w.refused(t, guess(), 4) // one more, and one more hour
		w.refused(t, right(), 4)
		w.Clock.Advance(time.Hour)
		testkit.TokensOf(t, right(), http.StatusOK)
		w.Clock.Advance(24 * time.Hour)
		for range 19 {
			w.refused(t, guess(), 4)
		}
		testkit.TokensOf(t, right(), http.StatusOK)
	})
}
