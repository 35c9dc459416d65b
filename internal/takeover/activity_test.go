package takeover_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
	chrome  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36"
)

// told is a stoa that mails users of new sign-ins, and believes this test about addresses.
func told(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	configured(t, func(cfg *app.Config) {
		cfg.SignIn.NewSignInMail = "on"
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}, test)
}

// by returns a request that a program sends from an address.
func by(r testkit.Request, agent, address string) testkit.Request {
	r.Header = http.Header{"User-Agent": {agent}, "X-Forwarded-For": {address}}
	return r
}

// owned makes an account with Firefox at 203.0.113.9.
func (w *world) owned(t *testing.T) testkit.Tokens {
	t.Helper()
	return testkit.TokensOf(t, w.Do(t, by(testkit.Post("", "/auth/register", map[string]string{
		"email": victims, "username": "ada", "password": testkit.Password,
	}), firefox, "203.0.113.9")), http.StatusCreated)
}

// newSignIns returns the mails about new sign-ins.
func (w *world) newSignIns(t *testing.T) (texts []string) {
	t.Helper()
	for _, m := range w.read(t) {
		if m.To == victims && m.Subject == "A new sign-in to your account" {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// The attacker knows the password. The owner hears of it, in words that the attacker did not choose.
func TestASignInFromElsewhereIsTold(t *testing.T) {
	t.Parallel()

	told(t, func(t *testing.T, w *world) {
		w.owned(t)
		from := func(agent, address string, want int, what string) {
			t.Helper()
			testkit.TokensOf(t, w.Do(t, by(testkit.SignIn(victims, testkit.Password), agent, address)), http.StatusOK)
			w.Clock.Advance(minute)
			if got := len(w.newSignIns(t)); got != want {
				t.Fatalf("after a sign-in %s: %d mails, want %d", what, got, want)
			}
		}
		from(firefox, "203.0.113.9", 0, "like the registration")
		from(firefox, "203.0.113.10", 1, "from another address")
		from(firefox, "203.0.113.10", 1, "from there again")
		from(chrome, "203.0.113.9", 2, "with another program")
		from(firefox, "2001:db8:1:2::1", 3, "from an IPv6 network")
		from(firefox, "2001:db8:1:2:ffff::9", 3, "from another address of that network")
		from(firefox, "2001:db8:1:3::1", 4, "from the network beside it")
		from("Your account is closed. Call 555", "203.0.113.9", 5, "with words of the attacker's")
		mails := w.newSignIns(t)
		if !strings.Contains(mails[1], "Chrome on Windows, from the address 203.0.113.9.") {
			t.Errorf("the mail does not say with what:\n%s", mails[1])
		}
		for _, text := range mails {
			if strings.Contains(text, "Call 555") || strings.Contains(text, "#") {
				t.Errorf("a mail has the attacker's words, or a link:\n%s", text)
			}
		}
		w.Clock.Advance(90 * 24 * time.Hour)
		from(firefox, "203.0.113.9", 6, "like the registration, after 90 days")
	})
}

// Signing in over and over fills no mailbox, and hides nothing for longer than a day.
func TestWarningsHaveADaysBudget(t *testing.T) {
	t.Parallel()

	told(t, func(t *testing.T, w *world) {
		w.owned(t)
		for i := range 22 {
			agent := fmt.Sprintf("program %d", i)
			testkit.TokensOf(t, w.Do(t, by(testkit.SignIn(victims, testkit.Password), agent, "203.0.113.9")), http.StatusOK)
			if got, want := len(w.newSignIns(t)), min(i+1, 20); got != want {
				t.Fatalf("%d sign-ins: %d mails, want %d", i+1, got, want)
			}
		}
		w.Clock.Advance(24 * time.Hour)
		testkit.TokensOf(t, w.Do(t, by(testkit.SignIn(victims, testkit.Password), "one more", "203.0.113.9")), http.StatusOK)
		if got := len(w.newSignIns(t)); got != 21 {
			t.Errorf("a day later: %d mails, want 21", got)
		}
	})
}

// happened returns what an account's user sees of the latest activity, one line each.
func (w *world) happened(t *testing.T, bearer, query string) (lines []string) {
	t.Helper()
	res := w.Do(t, testkit.Get(bearer, "/auth/activity"+query))
	if res.Status != http.StatusOK {
		t.Fatalf("GET /auth/activity = %d %s", res.Status, res.Body)
	}
	for _, item := range res.Get(t, "data.items").([]any) {
		one := item.(map[string]any)
		line := ""
		for _, name := range []string{"outcome", "methods", "action", "by", "address"} {
			if value, ok := one[name]; ok {
				line += fmt.Sprint(value) + " "
			}
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// Whoever was there is seen afterwards: with the second step, without it, and as staff.
func TestAUserSeesWhatHappenedToTheAccount(t *testing.T) {
	t.Parallel()

	told(t, func(t *testing.T, w *world) {
		owner := w.owned(t)
		w.works(t, owner.Access, verify, w.mustMail(t, victims, "verify-email"))
		other := w.register(t, attackers, "eve")
		p := w.withApp(t, owner.Access)
		testkit.WantError(t, w.Do(t, by(testkit.SignIn(victims, "wrong"), chrome, "198.51.100.7")), http.StatusUnauthorized,
			"LOGIN_FAILED")
		w.Clock.Advance(minute)
		w.refused(t, w.Do(t, by(step(w.passwordStep(t, victims, testkit.Password), "totp", "000000"), chrome, "198.51.100.7")), 4)
		w.Clock.Advance(minute)
		testkit.TokensOf(t, w.Do(t, by(step(w.passwordStep(t, victims, testkit.Password), "totp", w.now(p)), firefox, "203.0.113.9")),
			http.StatusOK)
		w.Clock.Advance(minute)
		admin := w.Admin(t, "root").Access
		w.Do(t, by(testkit.Patch(admin, "/api/v1/admin/users/"+owner.UserID, map[string]any{"role": "ADMIN"}), chrome, "192.0.2.1"))

		got := w.happened(t, owner.Access, "?limit=3")
		want := []string{"user.role staff", "signed_in [pwd otp] 203.0.113.9", "refused [pwd] 198.51.100.7"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the user sees %q, want %q", got, want)
		}
		all := strings.Join(w.happened(t, owner.Access, ""), "\n")
		for _, what := range []string{"user.add_totp you", "user.verify_email you", "signed_in [pwd] 203.0.113.9"} {
			if strings.Count(all, what) != 1 {
				t.Errorf("%q is not there once:\n%s", what, all)
			}
		}
		if strings.Contains(all, "192.0.2.1") || strings.Count(all, "198.51.100.7") != 1 {
			t.Errorf("the user sees the address of staff, or a wrong password:\n%s", all)
		}
		if got := w.happened(t, other.Access, ""); len(got) != 1 || !strings.HasPrefix(got[0], "signed_in") {
			t.Errorf("another user sees %q", got)
		}
		w.Clock.Advance(90 * 24 * time.Hour)
		other = w.signIn(t, attackers, testkit.Password)
		if got := w.happened(t, other.Access, ""); len(got) != 1 {
			t.Errorf("after 90 days: %q", got)
		}
	})
}

func TestASessionShowsWhereItIsUsed(t *testing.T) {
	t.Parallel()

	told(t, func(t *testing.T, w *world) {
		owner := w.owned(t)
		refreshed := testkit.TokensOf(t, w.Do(t, by(testkit.Refresh(owner.Refresh), chrome, "198.51.100.7")), http.StatusOK)
		testkit.TokensOf(t, w.Do(t, by(testkit.SignIn(victims, testkit.Password), "\xff<b>", "203.0.113.9")), http.StatusOK)
		for _, item := range w.Do(t, testkit.Get(refreshed.Access, "/auth/sessions")).Get(t, "data.items").([]any) {
			s := item.(map[string]any)
			want := "map[browser:Firefox name:Firefox on Linux os:Linux] 203.0.113.9 198.51.100.7"
			if s["current"] == false {
				want = "map[name:an unknown device] 203.0.113.9 <nil>"
			}
			if got := fmt.Sprintf("%v %v %v", s["device"], s["address"], s["lastAddress"]); got != want {
				t.Errorf("the session shows %q, want %q", got, want)
			}
		}
	})
}
