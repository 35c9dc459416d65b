package takeover_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

const clientSecret = "the-secret-of-a-client-0123456789"

// Secrets of every kind are in nothing that leaves the process and in nothing that it stores: the database, the files
// of the data folder, backups, the log at every level, traces, metrics and profiles, and answers to whoever sends them
// where they do not belong. It is not parallel: OpenTelemetry is configured by the environment.
func TestNoSecretIsStoredLoggedOrAnswered(t *testing.T) {
	for _, engine := range []struct {
		name    string
		options []testkit.Option
	}{{"SQLite", nil}, {"PostgreSQL", []testkit.Option{testkit.OnPostgres}}} {
		t.Run(engine.name, func(t *testing.T) {
			var log logtest.Buffer
			sent := collecting(t)
			w := &world{App: testkit.New(t, append(engine.options, testkit.WithServices, func(_ testing.TB, cfg *app.Config) {
				cfg.Log, cfg.Telemetry = log.Logger(), true
			})...)}
			secrets := w.plantSecrets(t)
			if len(secrets) < 50 {
				t.Fatalf("%d secrets", len(secrets))
			}
			for what, secret := range secrets {
				w.misplace(t, what, secret)
			}
			places := w.stored(t)
			maps.Copy(places, w.backedUp(t))
			places["metrics and profiles"] = w.operated(t)
			places["traces"], places["metrics that are sent"] = sent.after(t, w)
			places["the log"] = log.String()
			for place, text := range map[string]string{
				"the table users": victims, "a backup": victims, "a sealed backup": "age-encryption.org", "metrics and profiles": "stoa_http",
				"traces": "POST /auth/login", "metrics that are sent": "stoa_http", "the log": "level=DEBUG",
			} {
				if !strings.Contains(places[place], text) {
					t.Fatalf("%s: there is nothing to search", place)
				}
			}
			for place, text := range places {
				for what, secret := range secrets {
					if holds(text, secret) {
						t.Errorf("%s: %s is there", place, what)
					}
				}
			}
		})
	}
}

// holds reports whether a text has a secret, as it is or as bytes are written.
func holds(text, secret string) bool {
	for _, form := range []string{
		secret, hex.EncodeToString([]byte(secret)), strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		base64.RawURLEncoding.EncodeToString([]byte(secret)), url.QueryEscape(secret),
	} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

// plantSecrets makes secrets of every kind, and returns them by what they are.
func (w *world) plantSecrets(t *testing.T) map[string]string {
	t.Helper()
	secrets := map[string]string{
		"the secret of services": testkit.ServiceSecret, "a client secret": clientSecret, "the master key": testkit.MasterKey,
		"a chosen password": chosen,
		"a service token":   testkit.ServiceToken(t, jwt.MapClaims{"sub": "billing"}),
	}
	for _, email := range []string{victims, attackers} {
		name, _, _ := strings.Cut(email, "@")
		owner := w.register(t, email, name)
		of := func(what, secret string) { secrets[what+" of "+name] = secret }
		verifying := w.mustMail(t, email, "verify-email")
		w.works(t, owner.Access, verify, verifying)
		id, key := w.key(t, owner.Access, "self:read")
		w.sees(t, key, orders, http.StatusOK)
		of("an access token", owner.Access)
		of("a refresh token", owner.Refresh)
		of("a link to verify", verifying)
		of("a replaced key", key)
		of("a key", w.post(t, owner.Access, apiKeys+"/"+id+"/rotate", nil, http.StatusCreated).Text(t, "data.key"))
		p := w.withApp(t, owner.Access)
		of("the secret of an app", base32.StdEncoding.EncodeToString(p.secret))
		of("the bytes of an app", string(p.secret))
		for i, code := range p.recovery {
			of(fmt.Sprintf("recovery code %d", i), code)
		}
		of("a challenge", w.passwordStep(t, email, testkit.Password))
		w.Clock.Advance(2 * time.Minute)
		w.Send(t, "/auth/forgot-password", map[string]string{"email": email})
		of("a link for a new password", w.mustMail(t, email, "reset-password"))
		w.Send(t, "/auth/reset-password", map[string]string{"token": secrets["a link for a new password of "+name], "newPassword": chosen})
	}
	w.ImportCatalog(t)
	echo := w.InstallEcho(t, map[string]any{"permissions": []string{"storage:read", "storage:write"}})
	root := echo.Admin
	w.plantSold(t, echo, secrets)
	_, _, secrets["a key of a service"] = w.service(t, root.Access, "orders:read")
	w.sees(t, secrets["a key of a service"], "/api/v1/admin/orders", http.StatusOK)
	secrets["a session of an administrator"] = root.Access
	secrets["a webhook's secret"] = w.post(t, root.Access, "/api/v1/admin/webhooks", map[string]any{
		"url": "https://hooks.example/x", "events": []string{"order.paid"}, "enabled": false,
	}, http.StatusCreated).Text(t, "data.secret")
	res := w.Do(t, testkit.Request{Method: http.MethodPut, Path: "/api/v1/admin/identity-providers/op", Token: root.Access, Body: map[string]any{
		"kind": "oidc", "name": "Op", "issuer": "https://op.example", "clientId": "x", "clientSecret": clientSecret, "enabled": false,
		"signUp": true, "staff": false, "verifiesAddresses": false,
	}})
	if res.Status >= http.StatusBadRequest {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	return secrets
}

// plantSold makes the secrets of what is sold, of plugins, and of staff who invite and act as users.
func (w *world) plantSold(t *testing.T, echo *testkit.Echo, secrets map[string]string) {
	t.Helper()
	root, eve := echo.Admin, w.register(t, "eve@example.com", "eve")
	secrets["a license key"] = w.BuyKey(t, eve.Access, "once")
	secrets["a guest's license key"] = w.Order(t, "", "once", "guest@example.com").Text(t, "licenseKey")
	for _, key := range []string{secrets["a license key"], secrets["a guest's license key"]} {
		w.UseLicense(t, key)
	}
	if res := w.Do(t, testkit.Get(eve.Access, testkit.EchoPath+"/api/x")); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	secrets["a platform token"] = echo.Reached().Header.Get("X-Platform-Token")
	res := w.Do(t, testkit.Request{Method: http.MethodPut, Path: "/api/v1/platform/storage/a", Token: secrets["a platform token"], Body: "v"})
	if res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	secrets["a plugin's secret"] = w.Do(t, testkit.Get(root.Access, "/api/v1/admin/plugins/echo/secret")).Text(t, "data.secret")
	_, secrets["an invitation"] = w.invited(t, root.Access, "support@example.com", "SUPPORT")
	secrets["an impersonation"], _ = w.seeing(t, root.Access, eve.UserID, true)
	w.sees(t, secrets["an impersonation"], orders, http.StatusOK)
	w.post(t, eve.Access, "/auth/email/change", map[string]string{"newEmail": "eve@example.org"}, http.StatusAccepted)
	secrets["a link to a new address"] = w.mustMail(t, "eve@example.org", "change-email")
	leaver := w.register(t, "leaver@example.com", "leaver")
	w.left(t, leaver.Access, "leaver")
	secrets["a link that keeps an account"] = w.mustMail(t, "leaver@example.com", "keep-account")
	for what, secret := range secrets {
		if len(secret) < 8 {
			t.Fatalf("%s is %q", what, secret)
		}
	}
}

// misplace sends a secret where it does not belong, but for paths, which are logged, and fails the test if an answer
// repeats it.
func (w *world) misplace(t *testing.T, what, secret string) {
	t.Helper()
	mangled := strings.ToValidUTF8(strings.ReplaceAll(secret, "\n", ""), "")
	bearer := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' { // no header has it
			return -1
		}
		return r
	}, mangled)
	for _, req := range []testkit.Request{
		testkit.Get(bearer, "/api/v1/platform/storage?prefix="+url.QueryEscape(mangled)),
		testkit.Get("", "/auth/passkeys?key="+url.QueryEscape(secret)),
		testkit.Post("", "/auth/login", map[string]any{"email": mangled, "password": 1}),
		testkit.Post("", "/auth/email/verify", map[string]any{"token": mangled}),
		testkit.Post("", "/auth/login/second-factor", map[string]any{"challenge": mangled, "method": mangled, "code": mangled}),
	} {
		res := w.DoUnchecked(t, req)
		if strings.Contains(string(res.Body), secret) {
			t.Errorf("%s: %s %s repeats it: %s", what, req.Method, req.Path, res.Body)
		}
	}
}
