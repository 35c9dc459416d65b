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

	"stoa/internal/account"
	"stoa/internal/testkit"
)

const (
	minute = time.Minute
	day    = 24 * time.Hour
)

// The new address was mistyped, and somebody else reads mail to it.
func TestANewAddressOpensNothingBeforeItIsConfirmedInASession(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		stranger := w.register(t, "stranger@example.net", "mallory")
		w.post(t, owner.Access, "/auth/email/change", map[string]string{"newEmail": attackers}, http.StatusAccepted)
		link := w.mustMail(t, attackers, "change-email")

		testkit.WantError(t, w.link(t, "", confirm, link), http.StatusUnauthorized, "UNAUTHORIZED")
		w.dead(t, stranger.Access, confirm, link)
		for _, path := range []string{revert, disown, notMe, keepFactor} { // it does nothing that other links do
			w.dead(t, "", path, link)
		}
		w.Clock.Advance(minute) // ten links a minute
		testkit.WantError(t, w.Do(t, testkit.SignIn(attackers, testkit.Password)), http.StatusUnauthorized, "LOGIN_FAILED")
		w.Clock.Advance(2 * minute)
		w.post(t, "", "/auth/forgot-password", map[string]string{"email": attackers}, http.StatusOK)
		if w.mailed(t, attackers, "reset-password") != "" {
			t.Error("the new address can choose a new password")
		}
		w.works(t, owner.Access, confirm, link)
		if got := w.account(t, owner.Access).Text(t, "data.user.email"); got != attackers {
			t.Errorf("the address is %s", got)
		}
		w.dead(t, owner.Access, confirm, link)
	})
}

// Two changes at once put the token of one and the address of the other together.
func TestOfTwoChangesTheLaterCountsWithItsOwnAddress(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		const n = 8
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				res := w.Do(t, change(owner.Access, fmt.Sprintf("new%d@example.org", i)))
				if res.Status != http.StatusAccepted {
					t.Errorf("answer %d %s", res.Status, res.Body)
				}
			})
		}
		wg.Wait()
		wanted := w.account(t, owner.Access).Text(t, "data.pendingEmail")
		confirmed := ""
		for i := range n {
			address := fmt.Sprintf("new%d@example.org", i)
			w.Clock.Advance(minute) // ten links a minute
			if w.link(t, owner.Access, confirm, w.mustMail(t, address, "change-email")).Status == http.StatusOK {
				confirmed += address
			}
		}
		if got := w.account(t, owner.Access).Text(t, "data.user.email"); got != wanted || confirmed != wanted {
			t.Errorf("the address is %s, wanted %s, confirmed %s", got, wanted, confirmed)
		}
	})
}

// Somebody has a link for a new password that was mailed to the former address.
func TestALinkForANewPasswordDiesWithTheAddress(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		w.post(t, "", "/auth/forgot-password", map[string]string{"email": victims}, http.StatusOK)
		link := w.mustMail(t, victims, "reset-password")
		w.moved(t, owner.Access, victims, "ada@example.org")
		testkit.WantError(t, w.Send(t, "/auth/reset-password", map[string]string{"token": link, "newPassword": chosen}),
			http.StatusBadRequest, "INVALID_RESET_TOKEN")
	})
}

// The attacker has a session, but not the password.
func TestAStolenSessionDoesNotChangeTheAddress(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		stolen := w.register(t, victims, "ada")
		w.Clock.Advance(10*minute + time.Second)
		stolen = testkit.TokensOf(t, w.Do(t, testkit.Refresh(stolen.Refresh)), http.StatusOK) // proves nothing
		res := w.Do(t, change(stolen.Access, attackers))
		testkit.WantError(t, res, http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if got := fmt.Sprint(res.Get(t, "error.details")); got != "map[maxAge:600 methods:[password]]" {
			t.Errorf("details %s", got)
		}
		// Before the form is looked at.
		testkit.WantError(t, w.Do(t, testkit.Post(stolen.Access, "/auth/email/change", "[")), http.StatusForbidden,
			"REAUTHENTICATION_REQUIRED")
		again := func(password string) testkit.Response {
			return w.Do(t, testkit.Post(stolen.Access, "/auth/reauthenticate", map[string]string{"password": password}))
		}
		testkit.WantError(t, again("wrong password"), http.StatusUnauthorized, "REAUTHENTICATION_FAILED")
		testkit.WantError(t, w.Do(t, change(stolen.Access, attackers)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if w.mailed(t, attackers, "change-email") != "" {
			t.Error("a link was mailed")
		}

		other := w.signIn(t, victims, testkit.Password) // counts for this session only
		testkit.WantError(t, w.Do(t, change(stolen.Access, attackers)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		w.post(t, other.Access, "/auth/email/change", map[string]string{"newEmail": "ada@example.org"}, http.StatusAccepted)
		if res := again(testkit.Password); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		w.Clock.Advance(10 * minute)
		w.post(t, stolen.Access, "/auth/email/change", map[string]string{"newEmail": "ada@example.com"}, http.StatusAccepted)
	})
}

// The attacker has session and password, and gives the account an address of their own. Its owner finds the
// mail to the former address.
func TestTheFormerAddressTakesTheAccountBack(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		w.works(t, owner.Access, verify, w.mustMail(t, victims, "verify-email"))
		thief := w.signIn(t, victims, testkit.Password)
		back := w.moved(t, thief.Access, victims, attackers)
		w.shutOut(t, owner, victims, testkit.Password)
		w.Clock.Advance(2 * minute)
		second := w.moved(t, thief.Access, attackers, "second@example.net")
		w.post(t, thief.Access, "/auth/email/change", map[string]string{"newEmail": "third@example.net"}, http.StatusAccepted)
		pending := w.mustMail(t, "third@example.net", "change-email")
		w.read(t)
		w.mails = nil

		w.works(t, "", revert, back)
		w.shutOut(t, thief, "second@example.net", testkit.Password)
		w.shutOut(t, thief, victims, testkit.Password)
		w.dead(t, "", revert, back)
		w.dead(t, "", revert, second)
		// Beyond the limits of mails, and to the former address alone.
		link := w.mustMail(t, victims, "reset-password")
		w.post(t, "", "/auth/reset-password", map[string]string{"token": link, "newPassword": chosen}, http.StatusOK)
		again := w.signIn(t, victims, chosen)
		if again.UserID != owner.UserID {
			t.Error("it is another account")
		}
		w.isProven(t, again.Access, true)
		w.dead(t, again.Access, confirm, pending)
		for _, m := range w.mails {
			if m.To != victims && strings.Contains(m.Text, "#") {
				t.Errorf("%s was mailed a link:\n%s", m.To, m.Text)
			}
		}
	})
}

// The attacker moves the account twice, the second time through a replica whose clock is behind.
func TestTakingAChangeBackTakesLaterOnesBackWhateverTheClocksSay(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		first, second := &world{App: a}, &world{App: b}
		b.Outbox.Close() // the first one sends all mails
		b.Accounts.PublicURL = a.URL
		thief := second.register(t, victims, "ada")
		a.Clock.Advance(2 * time.Second)
		back := first.moved(t, thief.Access, victims, attackers)
		second.post(t, thief.Access, "/auth/email/change", map[string]string{"newEmail": "second@example.net"},
			http.StatusAccepted)
		second.works(t, thief.Access, confirm, first.mustMail(t, "second@example.net", "change-email"))
		again := first.mustMail(t, attackers, "revert-email")
		first.works(t, "", revert, back)
		first.dead(t, "", revert, again)
		second.dead(t, "", revert, again)
	})
}

// The former address lapsed, and somebody else reads mail to it now.
func TestTakingAChangeBackSignsNobodyInAndEnds(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		back := w.moved(t, owner.Access, victims, "ada@example.org")
		w.Clock.Advance(7*day - time.Second)
		res := w.link(t, "", revert, back)
		if res.Status != http.StatusOK || res.Get(t, "data") != nil || len(res.Header.Values("Set-Cookie")) != 0 {
			t.Errorf("answer %d %s", res.Status, res.Body)
		}

		bob := w.register(t, "bob@example.com", "bob")
		late := w.moved(t, bob.Access, "bob@example.com", "bob@example.org")
		w.Clock.Advance(7 * day)
		w.dead(t, "", revert, late)
		w.register(t, "bob@example.com", "robert") // free again
	})
}

// The link of a mail is opened in several places at once: what it does is done once.
func TestOfManyThatTakeAChangeBackOneDoes(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		for i := range 4 {
			name := fmt.Sprintf("ada%d", i)
			owner := w.register(t, name+"@example.com", name)
			back := w.moved(t, owner.Access, name+"@example.com", name+"@example.org")
			var done atomic.Int32
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() {
					switch res := w.link(t, "", revert, back); res.Status {
					case http.StatusOK:
						done.Add(1)
					case http.StatusBadRequest:
					default:
						t.Errorf("answer %d %s", res.Status, res.Body)
					}
				})
			}
			wg.Wait()
			if done.Load() != 1 {
				t.Errorf("it is taken back %d times", done.Load())
			}
		}
	})
}

// The attacker registers the address that its owner could still take back, or changes to it.
func TestAFormerAddressStaysTakenWhileItCanBeTakenBack(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		thief := w.register(t, attackers, "mallory")
		back := w.moved(t, owner.Access, victims, "ada@example.org")
		for _, spelled := range []string{victims, "Victim@Example.com"} {
			testkit.WantError(t, w.Send(t, "/auth/register", map[string]string{
				"email": spelled, "username": "mallory2", "password": testkit.Password,
			}), http.StatusBadRequest, "REGISTRATION_FAILED")
		}
		w.post(t, thief.Access, "/auth/email/change", map[string]string{"newEmail": victims}, http.StatusAccepted)
		w.read(t) // a mail that is on its way for two minutes is sent again, after the next
		w.Clock.Advance(2 * minute)
		w.post(t, thief.Access, "/auth/email/change", map[string]string{"newEmail": victims}, http.StatusAccepted)
		testkit.WantError(t, w.link(t, thief.Access, confirm, w.mustMail(t, victims, "change-email")), http.StatusConflict,
			"EMAIL_TAKEN")
		w.works(t, "", revert, back)
	})
}

// What is not one address, or hides a header, is refused, and nothing is mailed.
func TestWhatIsNotOneAddressIsRefused(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		w.read(t)
		for _, body := range []string{
			`{"newEmail":["` + attackers + `"]}`,
			`{"newEmail":{"a":"` + attackers + `"}}`,
			`{"newEmail":"victim@example.com,` + attackers + `"}`,
			`{"newEmail":"victim@example.com ` + attackers + `"}`,
			`{"newEmail":"` + attackers + `\r\nBcc: other@example.net"}`,
			`{"newEmail":"` + attackers + `\n"}`,
			`{"newEmail":"\u0000` + attackers + `"}`,
			`{"newEmail":"<` + attackers + `>"}`,
			`{"newEmail":"Mallory <` + attackers + `>"}`,
			`{"newEmail":"` + attackers + `","email":"` + attackers + `"}`,
			`{"newEmail":"` + attackers + `","userId":"` + owner.UserID + `"}`,
			`{"newEmail":"` + victims + `"}`,
			`{}`,
		} {
			w.Clock.Advance(5 * minute)
			w.post(t, owner.Access, "/auth/reauthenticate", map[string]string{"password": testkit.Password}, http.StatusOK)
			testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, "/auth/email/change", body)), http.StatusBadRequest,
				"VALIDATION_ERROR")
		}
		if mails := w.AllMails(t); len(mails) != 0 {
			t.Errorf("mails: %+v", mails)
		}
	})
}

// The attacker fills a mailbox with all kinds of mails that a stranger can cause.
func TestAllMailsThatStrangersCauseShareOneBudget(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		mallory := w.register(t, attackers, "mallory")
		victim := w.register(t, victims, "ada") // the first mail
		sent := func() (n int) {
			for _, m := range w.AllMails(t) {
				if m.To == victims || m.To == "Victim+tag@example.com" {
					n++
				}
			}
			return n
		}
		ask := func() {
			w.post(t, mallory.Access, "/auth/reauthenticate", map[string]string{"password": testkit.Password}, http.StatusOK)
			w.post(t, mallory.Access, "/auth/email/change", map[string]string{"newEmail": "Victim+tag@example.com"}, http.StatusAccepted)
			w.post(t, victim.Access, "/auth/email/verification", nil, http.StatusAccepted)
		}
		ask()
		if n := sent(); n != 1 {
			t.Errorf("%d mails in the first minute, want 1", n)
		}
		total := 1
		for range 9 {
			w.Clock.Advance(5 * minute)
			ask()
			n := sent()
			if total += n; n > 1 {
				t.Errorf("%d mails in a minute", n)
			}
		}
		if total != 6 {
			t.Errorf("%d mails in the first hour, want 6", total)
		}
		w.Clock.Advance(15*minute + time.Second) // an hour after the first
		ask()
		if n := sent(); n != 1 {
			t.Errorf("%d mails after the hour, want 1", n)
		}
	})
}

// Links lead to the public address, whatever the attacker's request says.
func TestLinksAboutAddressesIgnoreTheRequestsHost(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		evil := http.Header{
			"X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"https"}, "Forwarded": {"host=evil.example"},
			"Origin": {"https://evil.example"},
		}
		res := w.Do(t, testkit.Request{Method: http.MethodPost, Path: "/auth/register", Header: evil, Body: map[string]string{
			"email": victims, "username": "ada", "password": testkit.Password,
		}})
		owner := testkit.TokensOf(t, res, http.StatusCreated)
		req := change(owner.Access, "ada@example.org")
		req.Header = evil
		if res := w.Do(t, req); res.Status != http.StatusAccepted {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		for to, page := range map[string]string{victims: "verify-email", "ada@example.org": "change-email"} {
			w.mustMail(t, to, page) // which checks the address of every link
		}
		for _, m := range w.mails {
			if strings.Contains(m.Text, "evil.example") {
				t.Errorf("a mail has the attacker's host:\n%s", m.Text)
			}
		}
	})
}

// Whether somebody has an address is not told by a change to it, nor whether an address is proven by asking
// for another mail.
func TestAnswersAboutAddressesAreTheSameForAll(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		w.register(t, "bob@example.com", "bob")
		known := w.Do(t, change(owner.Access, "bob@example.com"))
		unknown := w.Do(t, change(owner.Access, "nobody@example.com"))
		if string(known.Body) != string(unknown.Body) || known.Status != http.StatusAccepted {
			t.Errorf("%d %s\n%d %s", known.Status, known.Body, unknown.Status, unknown.Body)
		}
		before := w.Do(t, testkit.Post(owner.Access, "/auth/email/verification", nil))
		w.works(t, owner.Access, verify, w.mustMail(t, victims, "verify-email"))
		after := w.Do(t, testkit.Post(owner.Access, "/auth/email/verification", nil))
		if string(before.Body) != string(after.Body) || after.Status != http.StatusAccepted {
			t.Errorf("%d %s\n%d %s", before.Status, before.Body, after.Status, after.Body)
		}
	})
}

// The refresh cookie is no way to call a route from another page, and no answer stays in a cache.
func TestRoutesAboutAccountsTakeNoCookieAndAreNotKept(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.register(t, victims, "ada")
		w.rules(func(r *account.Rules) { r.MailedSignIn = true })
		for _, r := range []struct{ method, path string }{
			{"GET", "/auth/account"},
			{"POST", "/auth/reauthenticate"},
			{"POST", "/auth/email/verification"},
			{"POST", verify},
			{"POST", disown},
			{"POST", "/auth/email/change"},
			{"DELETE", "/auth/email/change"},
			{"POST", confirm},
			{"POST", revert},
			{"DELETE", ownPassword},
			{"POST", "/auth/totp"},
			{"DELETE", "/auth/totp"},
			{"POST", "/auth/totp/confirm"},
			{"POST", "/auth/recovery-codes"},
			{"DELETE", "/auth/second-factor"},
			{"POST", notMe},
			{"POST", secondStep},
			{"POST", stepAsk},
			{"GET", keys},
			{"POST", keys},
			{"POST", keys + "/options"},
			{"PATCH", keys + "/x"},
			{"DELETE", keys + "/x"},
			{"POST", againAsk},
			{"POST", byMail},
		} {
			open := r.path == disown || r.path == revert || r.path == notMe || r.path == secondStep || r.path == stepAsk ||
				r.path == byMail
			req := testkit.Request{Method: r.method, Path: r.path, Header: http.Header{
				"Cookie": {"stoa-refresh=" + owner.Refresh + "; __Secure-stoa-refresh=" + owner.Refresh},
				"Origin": {w.URL}, "X-Refresh-Token": {"cookie"},
			}}
			if r.method == http.MethodPost {
				req.Body = `{"token":"x"}`
			}
			res := w.DoUnchecked(t, req)
			if want := map[bool]int{false: http.StatusUnauthorized, true: http.StatusBadRequest}[open]; res.Status != want {
				t.Errorf("%s %s with a cookie = %d %s, want %d", r.method, r.path, res.Status, res.Body, want)
			}
			if got := res.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("%s %s: Cache-Control %q", r.method, r.path, got)
			}
		}
	})
}

// Whoever opens a receipt that was passed on claims its orders, and proves no mailbox with that.
func TestAReceiptProvesNoMailbox(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		w := &world{App: testkit.NewShop(t, options...)}
		w.Order(t, "", "once", victims)
		receipt := w.mustMail(t, victims, "claim-orders")
		mallory := w.register(t, victims, "mallory")
		w.post(t, mallory.Access, "/api/marketplace/orders/claim", map[string]string{"token": receipt}, http.StatusOK)
		w.isProven(t, mallory.Access, false)
	})
}
