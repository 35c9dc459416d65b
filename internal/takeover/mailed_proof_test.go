package takeover_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

const mailProof = "/auth/reauthenticate/email"

// federatedOnly is an account whose user has a provider alone, and signed in too long ago to change anything.
func (w *world) federatedOnly(t *testing.T) (b *traveler, o *elsewhere, owner testkit.Tokens) {
	t.Helper()
	o = w.provider(t, "op", nil)
	b = &traveler{w: w}
	owner = b.honest(t, o, "ada", victims, "ada")
	w.Clock.Advance(11 * minute)
	return b, o, owner
}

// mailedProof has a code mailed for a session.
func (w *world) mailedProof(t *testing.T, bearer, email string) (code string) {
	t.Helper()
	before := w.code(t, email)
	w.post(t, bearer, mailProof, nil, http.StatusAccepted)
	if code = w.code(t, email); code == "" || code == before {
		t.Fatal("no code was mailed")
	}
	return code
}

// noProof fails the test unless a mailed code is refused as any wrong one, and the session is not recent.
func (w *world) noProof(t *testing.T, bearer, code string) {
	t.Helper()
	res := w.Do(t, again(bearer, "email", code))
	testkit.WantError(t, res, http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
	if none := w.Do(t, again(bearer, "email", "AAAA-AAAA-AAAA")); string(none.Body) != string(res.Body) {
		t.Errorf("it is told from what is no code: %s", res.Body)
	}
}

// asked returns the ways in which a session is asked to prove that its user is there.
func (w *world) asked(t *testing.T, bearer string) string {
	t.Helper()
	res := w.Do(t, testkit.Post(bearer, "/auth/password", "["))
	testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
	return detailsOf(t, res, "methods")
}

func TestAMailedCodeProvesOnceThatSomebodyIsThere(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		_, _, owner := w.federatedOnly(t)
		if got := w.asked(t, owner.Access); got != "[provider email]" {
			t.Errorf("asked for %s", got)
		}
		code := w.mailedProof(t, owner.Access, victims)
		res := w.Do(t, again(owner.Access, "email", " "+strings.ToLower(strings.ReplaceAll(code, "-", " "))))
		if res.Status != http.StatusOK || res.Get(t, "data.level") != float64(1) || res.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		if got := w.level(t, owner.Access); got != "1[ext]" { // neither the level nor how it began
			t.Errorf("the session is %s", got)
		}
		w.noProof(t, owner.Access, code)
		w.Clock.Advance(11 * minute)
		w.asked(t, owner.Access)
		w.noProof(t, owner.Access, code)
		w.proves(t, owner.Access, "email", w.mailedProof(t, owner.Access, victims))
		w.post(t, owner.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
	})
}

// A thief of one session reads no mail, and the code of another session, or of an account of their own, is none.
func TestAMailedProofIsForItsSession(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		b, o, owner := w.federatedOnly(t)
		other := testkit.TokensOf(t, b.through(t, o, "op", "sign-in", nobody), http.StatusOK)
		thief := (&traveler{w: w}).honest(t, o, "mallory", attackers, "mallory")
		w.Clock.Advance(11 * minute)
		code := w.mailedProof(t, owner.Access, victims)
		theirs := w.mailedProof(t, thief.Access, attackers)
		w.noProof(t, other.Access, code) // nothing was mailed for it
		w.noProof(t, thief.Access, code)
		w.Clock.Advance(minute)
		w.mailedProof(t, other.Access, victims)
		w.noProof(t, other.Access, code)
		w.asked(t, other.Access)
		testkit.WantError(t, w.Do(t, again(owner.Access, "email", theirs)), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		w.proves(t, owner.Access, "email", code) // the mail for the other session left it alone
		w.asked(t, other.Access)

		w.Clock.Advance(11 * minute) // of two mails for a session the last one counts
		first := w.mailedProof(t, owner.Access, victims)
		w.Clock.Advance(minute)
		last := w.mailedProof(t, owner.Access, victims)
		w.noProof(t, owner.Access, first)
		w.proves(t, owner.Access, "email", last)
		w.noProof(t, owner.Access, first)
	})
}

func TestMailedProofsBearFiveWrongCodes(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		b, o, owner := w.federatedOnly(t)
		other := testkit.TokensOf(t, b.through(t, o, "op", "sign-in", nobody), http.StatusOK)
		w.mailedProof(t, owner.Access, victims)
		var wg sync.WaitGroup
		for range 3 { // at once
			wg.Go(func() { w.Do(t, again(owner.Access, "email", "0000-0000")) })
		}
		wg.Wait()
		w.Clock.Advance(2 * minute)
		code := w.mailedProof(t, owner.Access, victims)
		for range 2 {
			testkit.WantError(t, w.Do(t, again(owner.Access, "email", "0000-0000")), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		}
		w.noProof(t, owner.Access, code) // neither another mail
		w.Clock.Advance(2 * minute)
		w.noProof(t, other.Access, w.mailedProof(t, other.Access, victims)) // nor another session gives more
		w.asked(t, owner.Access)

		w.Clock.Advance(10 * minute) // those codes have expired, and with them what was counted
		code = w.mailedProof(t, owner.Access, victims)
		for range 4 {
			testkit.WantError(t, w.Do(t, again(owner.Access, "email", "0000-0000")), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		}
		w.proves(t, owner.Access, "email", code)
	})
}

func TestAMailedProofEndsAfterTenMinutes(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		_, _, owner := w.federatedOnly(t)
		code := w.mailedProof(t, owner.Access, victims)
		w.Clock.Advance(10 * minute)
		w.noProof(t, owner.Access, code)
	})
}

// The mailbox is not enough where there is a password or a second factor, also when that came after the mail.
func TestAMailedProofPassesByNothingStronger(t *testing.T) {
	t.Parallel()

	for name, add := range map[string]func(t *testing.T, w *world, owner testkit.Tokens){
		"password": func(t *testing.T, w *world, owner testkit.Tokens) {
			w.post(t, owner.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
		},
		"app": func(t *testing.T, w *world, owner testkit.Tokens) { w.withApp(t, owner.Access) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			attack(t, func(t *testing.T, w *world) {
				_, _, owner := w.federatedOnly(t)
				w.proves(t, owner.Access, "email", w.mailedProof(t, owner.Access, victims))
				w.Clock.Advance(minute)
				code := w.mailedProof(t, owner.Access, victims)
				add(t, w, owner)
				w.Clock.Advance(9 * minute)
				w.noProof(t, owner.Access, code)
				w.Clock.Advance(2 * minute)
				if got := w.asked(t, owner.Access); strings.Contains(got, "email") {
					t.Errorf("asked for %s", got)
				}
				testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, mailProof, nil)), http.StatusNotFound, "NOT_FOUND")
				w.noProof(t, owner.Access, code)
			})
		})
	}
}

func TestAMailedProofIsNoSecondStep(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		b, o, owner := w.federatedOnly(t)
		w.proves(t, owner.Access, "email", w.mailedProof(t, owner.Access, victims))
		w.Clock.Advance(minute)
		code := w.mailedProof(t, owner.Access, victims)
		w.withApp(t, owner.Access)
		due := b.through(t, o, "op", "sign-in", nobody)
		testkit.WantError(t, due, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		challenge := due.Text(t, "error.details.challenge")
		testkit.WantError(t, w.Do(t, step(challenge, "email", code)), http.StatusBadRequest, "VALIDATION_ERROR")
		w.refused(t, w.Do(t, step(challenge, "totp", code)), 4)
		w.refused(t, w.Do(t, step(challenge, "recovery", code)), 3)
		testkit.WantError(t, b.post(t, proveFlow, map[string]any{"code": code}), http.StatusBadRequest, "INVALID_CODE")
	})
}

// What ends pending sign-ins ends a mailed code, also in the session that goes on.
func TestAMailedProofDiesWithWhatItStandsOn(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		_, _, owner := w.federatedOnly(t)
		w.proves(t, owner.Access, "email", w.mailedProof(t, owner.Access, victims))
		w.Clock.Advance(minute)
		code := w.mailedProof(t, owner.Access, victims)
		w.moved(t, owner.Access, victims, "new@example.org")
		w.noProof(t, owner.Access, code)
		w.Clock.Advance(minute) // of two codes of one moment, either may be the last one
		code = w.mailedProof(t, owner.Access, "new@example.org")
		if err := w.Accounts.Store.RaiseGeneration(t.Context(), owner.UserID); err != nil { // as a reset, a deactivation
			t.Fatal(err)
		}
		w.noProof(t, owner.Access, code)
	})
}

// Of many that send one code at once, on two replicas, one proves something.
func TestOfManyMailedProofsOneWins(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		first, second := &world{App: a}, &world{App: b}
		b.Outbox.Close() // the first one sends all mails
		first.proven(t, victims, "ada")
		first.replaced(t)
		owner := first.signIn(t, victims, printed) // and has no password from here on
		code := first.mailedProof(t, owner.Access, victims)
		var wins atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			w := []*world{first, second}[i%2]
			wg.Go(func() {
				if w.Do(t, again(owner.Access, "email", code)).Status == http.StatusOK {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			t.Errorf("%d proofs with one code", wins.Load())
		}
	})
}

// A thief of a session cannot fill the mailbox, and strangers cannot use up what its owner needs.
func TestMailedProofsHaveABudgetOfTheirOwn(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		_, _, owner := w.federatedOnly(t)
		w.rules(func(r *account.Rules) { r.MailedSignIn = true })
		before := len(w.read(t))
		for range 8 { // more than strangers can cause
			w.asks(t, victims)
			w.read(t) // the address is looked up in the background, at the clock's time
			w.Clock.Advance(minute)
		}
		if got := len(w.read(t)) - before; got != 6 {
			t.Fatalf("strangers caused %d mails", got)
		}
		before = len(w.mails)
		answers := map[string]bool{}
		for range 20 {
			answers[string(w.post(t, owner.Access, mailProof, nil, http.StatusAccepted).Body)] = true
			w.post(t, owner.Access, mailProof, nil, http.StatusAccepted) // in the same minute
			w.read(t)                                                    // a mail on its way for two minutes is sent again
			w.Clock.Advance(2 * minute)
		}
		if got := len(w.mails) - before; got != 6 || len(answers) != 1 {
			t.Errorf("%d mails in 40 minutes, want 6; answers: %v", got, answers)
		}
	})
}

func TestNobodyProvesByMailWhereNoneIsSent(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		w.replaced(t)
		owner := w.signIn(t, victims, printed)
		w.Clock.Advance(11 * minute)
		if got := w.asked(t, owner.Access); got != "[email]" {
			t.Errorf("asked for %s", got)
		}
		code := w.mailedProof(t, owner.Access, victims)
		w.Accounts.NoMail = true
		if got := w.asked(t, owner.Access); got != "[]" {
			t.Errorf("without mail, asked for %s", got)
		}
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, mailProof, nil)), http.StatusNotFound, "NOT_FOUND")
		w.noProof(t, owner.Access, code)
	})
}

// Whoever reads the database cannot try all codes: what they are hashed with is not there.
func TestTheDatabaseHasNoMailedProof(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		_, _, owner := w.federatedOnly(t)
		code := w.mailedProof(t, owner.Access, victims)
		rows, err := w.Accounts.Store.MailTokensOf(t.Context(), owner.UserID, account.LinkReauth)
		if err != nil || len(rows) != 1 {
			t.Fatal(rows, err)
		}
		plain, stored := strings.ReplaceAll(code, "-", ""), fmt.Sprintf("%+v", rows[0])
		for _, secret := range []string{
			code, plain, hashOf(code), hashOf(plain), macOf(rows[0].Hash, plain), macOf(rows[0].SessionID, plain),
			macOf(owner.UserID, plain), macOf("", plain),
		} {
			if strings.Contains(stored, secret) {
				t.Errorf("%s is in the row %s", secret, stored)
			}
		}
	})
}

// The attacker has an account at a provider, names the victim's address, and guesses the code, in each way.
func TestWrongCodesOfAllWaysToAMailboxCountTogether(t *testing.T) {
	t.Parallel()

	flowRE := regexp.MustCompile(`"flow":"[^"]+"`)
	attack(t, func(t *testing.T, w *world) {
		w.settled(t, victims, "victim")
		o := w.provider(t, "op", func(form map[string]any) { form["verifiesAddresses"] = false })
		o.Change(func() { o.Person = person("evil", attackers) })
		begin := func(email string) *traveler {
			b := &traveler{w: w}
			b.visit(t, o, "op", "sign-in")
			testkit.WantError(t, b.post(t, completeFlow, map[string]any{"email": email}), http.StatusForbidden, "EMAIL_PROOF_REQUIRED")
			return b
		}
		guess := func(b *traveler, code string) testkit.Response {
			return b.post(t, proveFlow, map[string]any{"code": code})
		}
		answers := map[string]string{}
		for _, email := range []string{victims, "nobody@example.org"} { // which are not told apart by it
			first := begin(email)
			for range 3 {
				answers[email] += flowRE.ReplaceAllString(string(guess(first, "0000-0000").Body), "")
			}
			w.Clock.Advance(2 * minute)
			second := begin(email)
			for range 2 {
				answers[email] += string(guess(second, "0000-0000").Body)
			}
			answers[email] += string(guess(second, w.code(t, email)).Body)
			w.Clock.Advance(2 * minute)
			third := begin(email)
			answers[email] += string(guess(third, w.code(t, email)).Body)
			testkit.WantError(t, guess(third, w.code(t, email)), http.StatusBadRequest, "INVALID_CODE")
		}
		if answers[victims] != answers["nobody@example.org"] {
			t.Errorf("an address with an account is told from another:\n%v", answers)
		}
		w.Clock.Advance(11 * time.Minute)
		late := begin(victims)
		testkit.WantError(t, guess(late, w.code(t, victims)), http.StatusConflict, "LINK_REQUIRED") // who reads the mailbox goes on
	})
}
