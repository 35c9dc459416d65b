package takeover_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

const (
	askMail  = "/auth/login/email"
	byMail   = askMail + "/complete"
	flowName = "stoa-flow"
)

// onMail is attack on a stoa where users sign in by mail.
func onMail(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		test(t, &world{App: testkit.New(t, append(options, signingInByMail)...)})
	})
}

func signingInByMail(_ testing.TB, cfg *app.Config) { cfg.SignIn.EmailSignIn = "on" }

// waiting is a browser in which somebody asked for a mail: it has the flow as a cookie, and its page has it, too.
type waiting struct{ flow, cookie string }

// fromPage returns a request as a page of the shop sends it, with cookies.
func (w *world) fromPage(path string, body any, cookies ...string) testkit.Request {
	req := testkit.Post("", path, body)
	req.Header = http.Header{"Origin": {w.URL}}
	if len(cookies) > 0 {
		req.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	return req
}

// asks has somebody ask for a mail to sign in with.
func (w *world) asks(t *testing.T, email string) waiting {
	t.Helper()
	res := w.Do(t, w.fromPage(askMail, map[string]string{"email": email}))
	set := (&http.Response{Header: res.Header}).Cookies()
	if res.Status != http.StatusAccepted || len(set) != 1 || set[0].Name != flowName || set[0].Value != res.Text(t, "data.flow") {
		t.Fatalf("%d %s with the cookies %v", res.Status, res.Body, set)
	}
	return waiting{flow: set[0].Value, cookie: flowName + "=" + set[0].Value}
}

// opens presses the button of a link's page.
func (w *world) opens(t *testing.T, b waiting, token string) testkit.Response {
	t.Helper()
	return w.Do(t, w.fromPage(byMail, map[string]string{"token": token}, b.cookie))
}

// types sends a code.
func (w *world) types(t *testing.T, flow, code string) testkit.Response {
	t.Helper()
	return w.Do(t, testkit.Post("", byMail, map[string]string{"flow": flow, "code": code}))
}

var codeRE = regexp.MustCompile(`(?m)^[0-9A-Z]{4}-[0-9A-Z]{4}$`)

// mailedIn returns what the last mail to sign in with has, of those to an address.
func (w *world) mailedIn(t *testing.T, to string) (token, code string) {
	t.Helper()
	token = w.mustMail(t, to, "sign-in/link")
	for _, m := range w.mails {
		if m.To == to && strings.Contains(m.Text, token) {
			code = codeRE.FindString(m.Text)
		}
	}
	return token, code
}

// noLogin fails the test unless a sign-in by mail is refused with the same bytes as any.
func (w *world) noLogin(t *testing.T, res testkit.Response) {
	t.Helper()
	testkit.WantError(t, res, http.StatusBadRequest, "INVALID_LINK")
	if none := w.types(t, strings.Repeat("A", 43), "AAAA-AAAA"); string(none.Body) != string(res.Body) {
		t.Errorf("it is told from a flow that never was: %s", res.Body)
	}
}

func TestAMailSignsInOnce(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.Clock.Advance(minute)
		b := w.asks(t, strings.ToUpper(victims))
		token, code := w.mailedIn(t, victims) // the stored address
		res := w.opens(t, b, token)
		in := testkit.TokensOf(t, res, http.StatusOK)
		if got := w.level(t, in.Access); got != "1[eml]" || in.UserID != owner.UserID {
			t.Errorf("the session is %s of %s", got, in.UserID)
		}
		if got := res.Header.Get("Set-Cookie"); !strings.HasPrefix(got, flowName+"=; ") || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the flow stays in the browser: %q", got)
		}
		w.noLogin(t, w.opens(t, b, token))
		w.noLogin(t, w.types(t, b.flow, code))

		w.Clock.Advance(minute)
		b = w.asks(t, victims)
		token, code = w.mailedIn(t, victims)
		typed := " " + strings.ToLower(strings.ReplaceAll(code, "-", " "))
		testkit.TokensOf(t, w.types(t, b.flow, typed), http.StatusOK)
		w.noLogin(t, w.types(t, b.flow, code))
		w.noLogin(t, w.opens(t, b, token))
		got := fmt.Sprint(w.Do(t, testkit.Get(in.Access, "/auth/activity")).Get(t, "data.items"))
		if strings.Count(got, "[eml]") != 2 {
			t.Errorf("activity has %s", got)
		}
	})
}

// The attacker asks for a mail to the victim's address, and has the victim open the link; or begins with the own
// address, and lures the victim into the attacker's account.
func TestALinkSignsInWhereItWasAskedForOnly(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		w.proven(t, attackers, "mallory")
		w.Clock.Advance(minute)
		asked := w.asks(t, victims)
		other := w.asks(t, attackers)
		token, _ := w.mailedIn(t, victims)
		theirs, theirCode := w.mailedIn(t, attackers)
		send := func(body any, header http.Header) testkit.Response {
			return w.Do(t, testkit.Request{Method: http.MethodPost, Path: byMail, Body: body, Header: header})
		}
		link := map[string]string{"token": token}
		for name, header := range map[string]http.Header{
			"no cookie":            {"Origin": {w.URL}},
			"of another browser":   {"Origin": {w.URL}, "Cookie": {other.cookie}},
			"two":                  {"Origin": {w.URL}, "Cookie": {asked.cookie + "; " + other.cookie}},
			"under another prefix": {"Origin": {w.URL}, "Cookie": {"__Secure-stoa-flow=" + asked.flow}},
			"from another site":    {"Origin": {"https://evil.example"}, "Cookie": {asked.cookie}},
			"from no page":         {"Cookie": {asked.cookie}},
		} {
			t.Run(name, func(t *testing.T) { w.noLogin(t, send(link, header)) })
		}
		w.noLogin(t, w.opens(t, asked, theirs))
		w.noLogin(t, w.types(t, asked.flow, theirCode))
		w.noLogin(t, w.types(t, asked.flow, token)) // neither passes for the other
		w.noLogin(t, w.opens(t, asked, asked.flow))
		w.dead(t, "", disown, token) // nor for a link of another kind
		w.dead(t, "", disown, asked.flow)
		res := send(map[string]string{"token": token, "flow": asked.flow, "code": "x"}, http.Header{"Origin": {w.URL}})
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		testkit.WantError(t, send(map[string]string{"code": "x"}, nil), http.StatusBadRequest, "VALIDATION_ERROR")
		testkit.WantError(t, send(`{"flow":"x","code":"y","userId":"z"}`, nil), http.StatusBadRequest, "VALIDATION_ERROR")
		res = w.Do(t, testkit.Request{Method: http.MethodPost, Path: byMail, Body: link, Header: http.Header{
			"Origin": {"https://evil.example"}, "X-Refresh-Token": {"cookie"}, "Cookie": {asked.cookie},
		}})
		testkit.WantError(t, res, http.StatusForbidden, "FORBIDDEN")
		// Another site asks in the victim's browser: the flow of the shop's page stays.
		req := w.fromPage(askMail, map[string]string{"email": attackers})
		req.Header.Set("Origin", "https://evil.example")
		if got := w.Do(t, req).Header.Get("Set-Cookie"); got != "" {
			t.Errorf("another site sets %s", got)
		}
		for _, path := range []string{"/sign-in/link", byMail + "?token=" + token, byMail} { // what programs open
			w.DoUnchecked(t, testkit.Request{Method: http.MethodGet, Path: path, Header: http.Header{"Cookie": {asked.cookie}}})
		}
		testkit.TokensOf(t, w.opens(t, asked, token), http.StatusOK)
	})
}

// The attacker asks for a mail to the victim's address, has the flow, and guesses the code.
func TestACodeBearsFiveTries(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		w.Clock.Advance(minute)
		asked := w.asks(t, victims)
		_, code := w.mailedIn(t, victims)
		for _, wrong := range []string{"x", "0000-0000", code + "0"} { // also what is none
			w.noLogin(t, w.types(t, asked.flow, wrong))
		}
		var wg sync.WaitGroup
		for range 20 { // at once, and from many clients
			wg.Go(func() { w.types(t, asked.flow, "1111-1111") })
		}
		wg.Wait()
		w.noLogin(t, w.types(t, asked.flow, code))

		// Asking anew gives no more tries; only the link is left.
		w.Clock.Advance(2 * minute)
		again := w.asks(t, victims)
		token, code := w.mailedIn(t, victims)
		w.noLogin(t, w.types(t, again.flow, code))
		testkit.TokensOf(t, w.opens(t, again, token), http.StatusOK)

		// After ten minutes there are new ones.
		w.Clock.Advance(11 * minute)
		again = w.asks(t, victims)
		_, code = w.mailedIn(t, victims)
		for range 4 {
			w.noLogin(t, w.types(t, again.flow, "0000-0000"))
		}
		testkit.TokensOf(t, w.types(t, again.flow, code), http.StatusOK)
	})
}

func TestAMailToSignInWithEndsAfterTenMinutes(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		w.Clock.Advance(minute)
		b := w.asks(t, victims)
		token, code := w.mailedIn(t, victims)
		w.Clock.Advance(10 * minute)
		w.noLogin(t, w.opens(t, b, token))
		w.noLogin(t, w.types(t, b.flow, code))
	})
}

// What ends pending sign-ins ends this one: the owner changes the password, recovers, moves, or is blocked.
func TestAMailToSignInWithDiesWithWhatItStandsOn(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]func(t *testing.T, w *world, owner testkit.Tokens){
		"password": func(t *testing.T, w *world, owner testkit.Tokens) {
			w.post(t, owner.Access, "/auth/change-password", map[string]string{
				"currentPassword": testkit.Password, "newPassword": chosen,
			}, http.StatusOK)
		},
		"reset": func(t *testing.T, w *world, _ testkit.Tokens) { w.reset(t, victims) },
		"address": func(t *testing.T, w *world, owner testkit.Tokens) {
			w.moved(t, owner.Access, victims, "new@example.org")
		},
		"state": func(t *testing.T, w *world, owner testkit.Tokens) {
			for _, active := range []bool{false, true} {
				if err := w.Accounts.SetActive(t.Context(), owner.UserID, active); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			onMail(t, func(t *testing.T, w *world) {
				owner := w.proven(t, victims, "ada")
				w.Clock.Advance(minute)
				b := w.asks(t, victims)
				token, code := w.mailedIn(t, victims)
				end(t, w, owner)
				w.noLogin(t, w.opens(t, b, token))
				w.noLogin(t, w.types(t, b.flow, code))
			})
		})
	}
}

// Of many that send one code and its link at once, on two replicas, one gets in.
func TestOfManySignInsWithOneMailOneWins(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		first, second := &world{App: a}, &world{App: b}
		for _, w := range []*world{first, second} {
			w.rules(func(r *account.Rules) { r.MailedSignIn = true })
		}
		b.Outbox.Close() // the first one sends all mails
		first.proven(t, victims, "ada")
		for range 5 {
			first.Clock.Advance(11 * minute)
			second.Clock.Advance(11 * minute)
			asked := first.asks(t, victims)
			token, code := first.mailedIn(t, victims)
			var wins atomic.Int32
			var wg sync.WaitGroup
			for i := range 8 {
				w := []*world{first, second}[i%2]
				wg.Go(func() {
					req := testkit.Post("", byMail, map[string]string{"flow": asked.flow, "code": code})
					if i/2%2 == 0 {
						req = w.fromPage(byMail, map[string]string{"token": token}, asked.cookie)
					}
					switch res := w.Do(t, req); res.Status {
					case http.StatusOK:
						wins.Add(1)
					case http.StatusBadRequest:
					default:
						t.Errorf("%d %s", res.Status, res.Body)
					}
				})
			}
			wg.Wait()
			if wins.Load() != 1 {
				t.Errorf("%d signed in with one mail", wins.Load())
			}
		}
	})
}

// The mailbox alone does not open an account with a second factor.
func TestAMailStandsInForNoSecondFactor(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		w.Clock.Advance(minute)
		b := w.asks(t, victims)
		token, code := w.mailedIn(t, victims)
		res := w.opens(t, b, token)
		testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		if res.Header.Get("Cache-Control") != "no-store" || detailsOf(t, res, "methods") != "[totp recovery]" {
			t.Errorf("%v %s", res.Header, res.Body)
		}
		w.noLogin(t, w.opens(t, b, token)) // used up
		w.noLogin(t, w.types(t, b.flow, code))
		challenge := res.Text(t, "error.details.challenge")
		w.refused(t, w.Do(t, step(challenge, "totp", p.wrong(w.Clock.Now()))), 4)
		in := testkit.TokensOf(t, w.Do(t, step(challenge, "totp", w.later(p))), http.StatusOK)
		if got := w.level(t, in.Access); got != "2[eml otp]" {
			t.Errorf("the session is %s", got)
		}
	})
}

// The attacker made the account with the victim's address, and waits. The victim signs in by mail.
func TestAMailReclaimsAnUnprovenAccount(t *testing.T) {
	t.Parallel()

	for _, by := range []string{"link", "code"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()

			onMail(t, func(t *testing.T, w *world) {
				held := w.register(t, victims, "mallory")
				proof := w.mustMail(t, victims, "verify-email")
				w.Clock.Advance(minute)
				b := w.asks(t, victims)
				token, code := w.mailedIn(t, victims)
				w.Clock.Advance(minute)
				mallorys := w.asks(t, victims) // the attacker's own flow, which waits for a code
				_, other := w.mailedIn(t, victims)
				enter := func() testkit.Response { return w.opens(t, b, token) }
				if by == "code" {
					enter = func() testkit.Response { return w.types(t, b.flow, code) }
				}
				in := testkit.TokensOf(t, enter(), http.StatusOK)
				w.shutOut(t, held, victims, testkit.Password)
				w.isProven(t, in.Access, true)
				if w.account(t, in.Access).Get(t, "data.hasPassword") != false || in.UserID != held.UserID {
					t.Error("the attacker's password is there, or it is another account")
				}
				w.noLogin(t, w.types(t, mallorys.flow, other))
				w.dead(t, in.Access, verify, proof)
				w.text(t, "Your e-mail address is confirmed")
				w.post(t, in.Access, "/auth/password", map[string]string{"newPassword": chosen}, http.StatusOK)
				w.signIn(t, victims, chosen)
			})
		})
	}
}

// Staff do not sign in by mail, whoever reads it.
func TestStaffDoNotSignInByMail(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.Admin(t, "root")
		customer := w.asks(t, "nobody@example.com")
		staff := w.asks(t, "root@example.com")
		if len(staff.flow) != len(customer.flow) || w.mailed(t, "root@example.com", "sign-in/link") != "" {
			t.Error("an administrator is told from nobody, or got a link")
		}
		text := w.mails[len(w.mails)-1].Text
		if !strings.Contains(text, "sign in with a password or a passkey") || codeRE.MatchString(text) || strings.Contains(text, "#") {
			t.Errorf("staff got a way in:\n%s", text)
		}
		w.noLogin(t, w.types(t, staff.flow, "0000-0000"))

		w.proven(t, victims, "ada") // and becomes staff before the mail is read
		w.Clock.Advance(minute)
		b := w.asks(t, victims)
		token, code := w.mailedIn(t, victims)
		if _, err := w.Accounts.Promote(t.Context(), victims); err != nil {
			t.Fatal(err)
		}
		testkit.WantError(t, w.opens(t, b, token), http.StatusForbidden, "STAFF_METHOD")
		testkit.WantError(t, w.types(t, b.flow, code), http.StatusForbidden, "STAFF_METHOD")
		w.noLogin(t, w.types(t, b.flow, "0000-0000"))
	})
}

// Neither the answers nor what is stored tells who has an account, is active, works here, or got a mail.
func TestSigningInByMailTellsNobodyWhoHasAnAccount(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		gone := w.proven(t, "gone@example.com", "bob")
		w.Admin(t, "root")
		if err := w.Accounts.SetActive(t.Context(), gone.UserID, false); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(minute)
		w.read(t)
		w.mails = nil
		shape := map[string]string{}
		for _, email := range []string{"nobody@example.com", victims, victims, "gone@example.com", "root@example.com"} {
			res := w.Do(t, w.fromPage(askMail, map[string]string{"email": email}))
			flow := res.Text(t, "data.flow")
			w.read(t) // looked up in the background
			got := fmt.Sprint(res.Status, strings.ReplaceAll(string(res.Body), flow, "F"), len(flow))
			for range 7 {
				wrong := w.types(t, flow, "0000-0000")
				w.noLogin(t, wrong)
				row, err := w.Accounts.Store.MailToken(t.Context(), hashOf(flow))
				if err != nil {
					t.Fatal(err)
				}
				got += fmt.Sprint(" ", row.Tries)
			}
			w.noLogin(t, w.opens(t, waiting{cookie: flowName + "=" + flow}, strings.Repeat("A", 43)))
			shape[got] = email
		}
		if len(shape) != 1 {
			t.Errorf("addresses are told apart: %v", shape)
		}
		to := map[string]int{}
		for _, m := range w.mails {
			to[m.To]++
		}
		if fmt.Sprint(to) != "map[root@example.com:1 victim@example.com:1]" {
			t.Errorf("mails went to %v", to)
		}
	})
}

// Six mails an hour reach a mailbox, whoever asks for them, and of whatever kind they are.
func TestMailsToSignInWithCannotFloodAMailbox(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada") // the first mail
		for range 20 {
			w.asks(t, victims)
			w.asks(t, "VICTIM@example.com")
			w.read(t) // addresses are looked up in the background, at the clock's time
			w.Clock.Advance(2 * time.Minute)
		}
		if got := len(w.read(t)); got != 6 {
			t.Errorf("%d mails in 40 minutes, want 6", got)
		}
	})
}

// What is no address, or more than one, is refused; the link's host is the platform's own.
func TestMailsToSignInWithCannotBeDiverted(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.proven(t, "strasse@example.com", "ada")
		w.Clock.Advance(minute)
		for _, body := range []string{
			`{"email":["` + attackers + `"]}`, `{"email":{"a":"` + attackers + `"}}`, `{"email":"a@example.com,` + attackers + `"}`,
			`{"email":"` + attackers + `\r\nBcc: b@example.net"}`, `{"email":"<` + attackers + `>"}`, `{}`,
			`{"email":"` + attackers + `","to":"` + attackers + `"}`,
		} {
			testkit.WantError(t, w.Do(t, testkit.Post("", askMail, body)), http.StatusBadRequest, "VALIDATION_ERROR")
		}
		req := w.fromPage(askMail, map[string]string{"email": "straße@example.com"}) // taken by the account, another mailbox
		req.Header.Set("X-Forwarded-Host", "evil.example")
		if res := w.Do(t, req); res.Status != http.StatusAccepted {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		w.mustMail(t, "strasse@example.com", "sign-in/link") // which checks the address of every link
		if got := w.mailed(t, "straße@example.com", "sign-in/link"); got != "" {
			t.Error("a mail went to the address that was typed")
		}
	})
}

func TestNobodySignsInByMailUnlessItIsOn(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		off := func(want bool) {
			t.Helper()
			if got := w.Do(t, testkit.Get("", "/auth/methods")).Get(t, "data.emailLink"); got != want {
				t.Errorf("emailLink is %v", got)
			}
			if want {
				return
			}
			for path, body := range map[string]any{
				askMail: map[string]string{"email": victims}, byMail: map[string]string{"token": "x"},
			} {
				testkit.WantError(t, w.Do(t, testkit.Post("", path, body)), http.StatusNotFound, "NOT_FOUND")
			}
		}
		off(false)
		w.rules(func(r *account.Rules) { r.MailedSignIn = true })
		off(true)
		w.Accounts.NoMail = true
		off(false)
	})
}

// The database has neither the link, the code nor the flow, and does not let whoever reads it try codes.
func TestTheDatabaseHasNoMailedWayIn(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		w.proven(t, victims, "ada")
		w.Clock.Advance(minute)
		b := w.asks(t, victims)
		token, code := w.mailedIn(t, victims)
		row, err := w.Accounts.Store.MailToken(t.Context(), hashOf(b.flow))
		if err != nil {
			t.Fatal(err)
		}
		stored := fmt.Sprintf("%+v", row)
		for _, secret := range []string{token, code, strings.ReplaceAll(code, "-", ""), b.flow, hashOf(code), hashOf(strings.ReplaceAll(code, "-", ""))} {
			if strings.Contains(stored, secret) {
				t.Errorf("%s is in the row %s", secret, stored)
			}
		}
	})
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// macOf is a keyed hash of a text.
func macOf(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
