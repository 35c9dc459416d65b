package takeover_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// Nobody changes a second factor unseen: who reads the mail, and operators, are told.
func TestChangesOfFactorsAreToldAndRecorded(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.Clock.Advance(minute)
		w.moved(t, owner.Access, victims, "ada@example.org") // victims is the former address for 7 days
		w.read(t)
		w.mails = nil
		w.withApp(t, owner.Access)
		w.read(t)
		w.post(t, owner.Access, "/auth/recovery-codes", nil, http.StatusCreated)
		w.remove(t, owner.Access, "/auth/totp", http.StatusOK)
		p := w.withApp(t, owner.Access)
		w.both(t, "ada@example.org", testkit.Password, "recovery", p.recovery[0])
		w.works(t, "", notMe, w.mustMail(t, "ada@example.org", "not-me"))

		got := map[string][]string{}
		for _, m := range w.read(t) {
			got[m.To] = append(got[m.To], m.Subject)
			slices.Sort(got[m.To]) // those of one moment have no order
			if m.To == victims && strings.Contains(m.Text, "#") {
				t.Errorf("the former address got a link:\n%s", m.Text)
			}
		}
		changes := []string{
			"Codes of an app are off", "Codes of an app are off", "Codes of an app are on", "Codes of an app are on",
			"You have new recovery codes",
		}
		if !slices.Equal(got[victims], changes) {
			t.Errorf("the former address was told %q", got[victims])
		}
		if want := slices.Insert(slices.Clone(changes), 0, "A recovery code was used"); !slices.Equal(got["ada@example.org"], want) {
			t.Errorf("the user was told %q", got["ada@example.org"])
		}

		admin := w.Admin(t, "root")
		var log []string
		for _, e := range w.Do(t, testkit.Get(admin.Access, "/api/v1/admin/audit?limit=100")).Get(t, "data.items").([]any) {
			entry := e.(map[string]any)
			if target := entry["target"].(map[string]any); target["id"] == owner.UserID {
				log = append(log, fmt.Sprint(entry["action"], " ", entry["actor"].(map[string]any)["kind"]))
			}
		}
		slices.Reverse(log)
		want := []string{
			"user.verify_email user", "user.change_email user", "user.add_totp user", "user.new_codes user",
			"user.remove_totp user", "user.add_totp user", "user.use_code user", "user.remove_totp system",
		}
		if !slices.Equal(log, want) {
			t.Errorf("the log has\n%s\nwant\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
		}

		w.Clock.Advance(7 * day)
		w.read(t)
		w.mails = nil
		w.withApp(t, w.signIn(t, "ada@example.org", testkit.Password).Access)
		for _, m := range w.read(t) {
			if m.To == victims {
				t.Errorf("after 7 days, the former address was told %s", m.Subject)
			}
		}
	})
}

// The attacker changes the address and then switches an app on; the former address takes everything back.
func TestTakingAChangeBackRemovesFactorsAddedSince(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		thief := w.signIn(t, victims, testkit.Password)
		p := w.setUp(t, thief.Access) // before the change, confirmed after it
		w.Clock.Advance(minute)
		back := w.moved(t, thief.Access, victims, attackers)
		w.post(t, thief.Access, "/auth/totp/confirm", map[string]string{"code": w.now(p)}, http.StatusOK)
		w.works(t, "", revert, back)
		w.dead(t, "", notMe, w.mustMail(t, attackers, "not-me"))
		w.post(t, "", "/auth/reset-password", map[string]string{
			"token": w.mustMail(t, victims, "reset-password"), "newPassword": chosen,
		}, http.StatusOK)
		if got := w.signIn(t, victims, chosen); got.UserID != owner.UserID {
			t.Error("it is another account")
		}
	})
}

// Where nobody can prove a mailbox, nothing asks for it; once mail works, the first proof from outside takes it all.
func TestReclaimRemovesFactors(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		w := &world{App: testkit.New(t, options...)}
		w.Accounts.NoMail = true
		held := w.register(t, victims, "mallory")
		p := w.withApp(t, held.Access)
		w.Accounts.NoMail = false
		pending := w.passwordStep(t, victims, testkit.Password)
		w.reset(t, victims)
		w.refused(t, w.Do(t, step(pending, "totp", w.later(p))), -1)
		owner := w.signIn(t, victims, chosen)
		if got := fmt.Sprint(w.account(t, owner.Access).Get(t, "data.secondFactor")); got != "map[advised:false available:true passkeys:0 recoveryCodesLeft:0 required:false totp:false]" {
			t.Errorf("second factor %s", got)
		}
	})
}

// buffer is a log that tests read.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.text.Bytes())
}

// Whoever reads the log or the database finds nothing to sign in with.
func TestNoSecretOfASecondFactorIsKeptOrLogged(t *testing.T) {
	t.Parallel()

	var log buffer
	w := &world{App: testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})}
	owner := w.proven(t, victims, "ada")
	res := w.post(t, owner.Access, "/auth/totp", nil, http.StatusCreated)
	secrets := []string{res.Text(t, "data.secret")}
	p := w.withApp(t, owner.Access)
	challenge := w.passwordStep(t, victims, testkit.Password)
	w.Do(t, step(challenge, "recovery", p.recovery[0]+"0"))
	code := w.later(p)
	w.Do(t, step(challenge, "totp", code))
	w.both(t, victims, testkit.Password, "recovery", p.recovery[1])
	w.Do(t, step(challenge, "totp", code))
	secrets = append(secrets, challenge, string(p.secret), w.mustMail(t, victims, "not-me"))
	for _, c := range p.recovery {
		secrets = append(secrets, c, strings.ReplaceAll(c, "-", ""))
	}
	searched := 0
	look := func(where string, text []byte) {
		searched += len(text)
		for i, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s has secret %d", where, i)
			}
		}
	}
	look("the log", log.bytes())
	err := filepath.WalkDir(w.DataDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		look(path, text)
		return err
	})
	if err != nil || searched < 100_000 {
		t.Errorf("%d bytes searched, %v", searched, err)
	}
}

// A page keeps the refresh token of the second step where its scripts do not reach, as at a sign-in with one.
func TestTheSecondStepKeepsTheRefreshTokenInTheCookie(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		fromPage := func(req testkit.Request, origin string) testkit.Response {
			req.Header = http.Header{"X-Refresh-Token": {"cookie"}, "Origin": {origin}}
			return w.Do(t, req)
		}
		first := fromPage(testkit.SignIn(victims, testkit.Password), w.URL)
		testkit.WantError(t, first, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
		if len(first.Header.Values("Set-Cookie")) != 0 {
			t.Error("a cookie before the second step")
		}
		req := step(first.Text(t, "error.details.challenge"), "totp", w.later(p))
		testkit.WantError(t, fromPage(req, "https://evil.example"), http.StatusForbidden, "FORBIDDEN")
		res := fromPage(req, w.URL)
		cookies := (&http.Response{Header: res.Header}).Cookies()
		if len(cookies) != 2 || cookies[0].Name != "stoa-refresh" || cookies[1].Name != "stoa-device" || res.Text(t, "data.refresh_token") != "" {
			t.Errorf("answer %d with %v", res.Status, cookies)
		}
	})
}
