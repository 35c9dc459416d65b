package admin_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/message/mail"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

const systemPath = "/api/v1/admin/system"

// part returns a part of the answer's health.
func part(tb testing.TB, res testkit.Response, name string) map[string]any {
	tb.Helper()
	list, _ := res.Get(tb, "data.health").([]any)
	for _, it := range list {
		if p := it.(map[string]any); p["name"] == name {
			return p
		}
	}
	tb.Fatalf("no part %q in %s", name, res.Body)
	return nil
}

func TestSystemDescribesTheProcess(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.New(t, append(options, func(_ testing.TB, cfg *app.Config) {
			cfg.Version, cfg.OpsAddr, cfg.MasterKeySource = "v9.9.9", "127.0.0.1:9464", "file"
			cfg.NodePath, cfg.Payments = "/nowhere/node", "live"
		})...)
		root := a.Admin(t, "root").Access
		var res testkit.Response
		waittest.Until(t, "every part to answer in time", func() error {
			res = manage(t, a, root, http.MethodGet, systemPath, nil, http.StatusOK)
			if text := string(res.Body); strings.Contains(text, "in time") {
				return errors.New(text)
			}
			return nil
		})
		for path, want := range map[string]any{
			"data.version": "v9.9.9", "data.opsAddress": "127.0.0.1:9464", "data.masterKey.source": "file",
			"data.payments.mode": "live", "data.payments.provider": nil, "data.redis.configured": false,
			"data.mail.lastFailure": nil, "data.plugins.nodeVersion": nil, "data.database.engine": a.DB.Engine(),
			"data.platformId": a.PlatformID,
		} {
			if got := res.Get(t, path); got != want {
				t.Errorf("%s = %v, want %v", path, got, want)
			}
		}
		if v := res.Text(t, "data.database.version"); v == "" {
			t.Error("the database has no version")
		}
		if p := part(t, res, "database"); p["ok"] != true {
			t.Errorf("database: %v", p)
		}
		if p := part(t, res, "payments"); p["ok"] != false || !strings.Contains(p["message"].(string), "STOA_STRIPE_SECRET_KEY") {
			t.Errorf("payments without Stripe: %v", p)
		}
		if p := part(t, res, "plugins"); p["ok"] != true || !strings.Contains(p["message"].(string), "Node.js") {
			t.Errorf("plugins without Node.js where no plugin needs it: %v", p)
		}
		text := string(res.Body)
		if strings.Contains(text, testkit.MasterKey) || strings.Contains(text, "sealed") {
			t.Errorf("a secret is shown: %s", text)
		}
	})
}

// post sends no mail until it is open.
type post struct{ open atomic.Bool }

func (p *post) Send(context.Context, mail.Message) error {
	if p.open.Load() {
		return nil
	}
	return errors.New("the server does not answer")
}

// The console shows why mails fail, until one was sent.
func TestSystemTellsWhyMailFails(t *testing.T) {
	t.Parallel()

	mailer := new(post)
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Mailer = mailer })
	root := a.Admin(t, "root").Access
	until := func(ok bool) (res testkit.Response) { // mail is sent in the background
		waittest.True(t, "what mail does", func() bool {
			res = manage(t, a, root, http.MethodGet, systemPath, nil, http.StatusOK)
			return part(t, res, "mail")["ok"] == ok
		})
		return res
	}
	a.Do(t, testkit.Post("", "/auth/forgot-password", map[string]string{"email": "root@example.com"}))
	res := until(false)
	if p := part(t, res, "mail"); p["ok"] != false || p["message"] != "the server does not answer" {
		t.Errorf("mail: %v", p)
	}
	if res.Text(t, "data.mail.lastFailure.message") != "the server does not answer" {
		t.Errorf("last failure: %s", res.Body)
	}
	mailer.open.Store(true) // for the next try, or for another mail if there is none
	a.Clock.Advance(2 * time.Minute)
	a.Do(t, testkit.Post("", "/auth/forgot-password", map[string]string{"email": "root@example.com"}))
	res = until(true)
	if p := part(t, res, "mail"); p["ok"] != true || res.Get(t, "data.mail.lastFailure") == nil {
		t.Errorf("mail that works again: %v in %s", p, res.Body)
	}
}

func TestAdministratorsRotateKeys(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root").Access
		rotate := func(body string) testkit.Response {
			t.Helper()
			return manage(t, a, root, http.MethodPost, "/api/v1/admin/keys/rotate", body, http.StatusOK)
		}
		early := rotate(`{"purpose":"account"}`)
		if early.Get(t, "data.rotated") != false {
			t.Errorf("rotated at once: %s", early.Body)
		}
		done := rotate(`{"purpose":"account","now":true}`)
		if done.Get(t, "data.rotated") != true || done.Text(t, "data.current") != early.Text(t, "data.next") {
			t.Errorf("rotation: %s after %s", done.Body, early.Body)
		}
		// All sessions go on.
		res := manage(t, a, root, http.MethodGet, systemPath, nil, http.StatusOK)
		stages := map[string]any{}
		for _, it := range res.Get(t, "data.keys").([]any) {
			of := it.(map[string]any)
			for _, k := range of["keys"].([]any) {
				key := k.(map[string]any)
				stages[of["purpose"].(string)+" "+key["stage"].(string)] = key["kid"]
			}
		}
		if len(stages) != 7 || stages["account current"] != done.Text(t, "data.current") {
			t.Errorf("keys: %v", stages)
		}
		if got := strings.Join(audited(t, a, root, "keys"), ", "); got !=
			"keys.rotate signing_key:"+done.Text(t, "data.current") {
			t.Errorf("audit log: %s", got)
		}
		for _, body := range []string{`{}`, `{"purpose":"master"}`, `{"purpose":7}`} {
			res := a.Do(t, testkit.Post(root, "/api/v1/admin/keys/rotate", body))
			if got := testkit.IssuePaths(t, res); res.Status != http.StatusBadRequest || !strings.HasPrefix(got, "purpose") {
				t.Errorf("rotate %s = %d, faults of %q", body, res.Status, got)
			}
		}
	})
}
