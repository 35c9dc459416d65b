package takeover_test

import (
	"encoding/base32"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

const clientSecret = "the-secret-of-a-client-0123456789"

// Secrets of every kind are in nothing that leaves the process and in nothing that it stores: the database, the files of
// the data folder, the log at every level, metrics and profiles, and answers to whoever sends them where they do not belong.
func TestNoSecretIsStoredLoggedOrAnswered(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		var log logtest.Buffer
		w := &world{App: testkit.New(t, append(options, testkit.WithServices, func(_ testing.TB, cfg *app.Config) {
			cfg.Log = log.Logger()
		})...)}
		secrets := w.plantSecrets(t)
		if len(secrets) < 40 {
			t.Fatalf("%d secrets", len(secrets))
		}
		for what, secret := range secrets {
			w.misplace(t, what, secret)
		}
		ops := httptest.NewRecorder()
		for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/goroutine?debug=2", "/debug/pprof/cmdline"} {
			w.OpsHandler().ServeHTTP(ops, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+path, nil))
		}
		if !strings.Contains(ops.Body.String(), "stoa_") || !strings.Contains(log.String(), "level=") {
			t.Fatal("nothing to search")
		}
		places := map[string]string{"the log": log.String(), "metrics and profiles": ops.Body.String()}
		for place, text := range w.stored(t) {
			places[place] = text
		}
		if !strings.Contains(places["the table users"], victims) {
			t.Fatal("the tables are empty")
		}
		for place, text := range places {
			for what, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s: %s is there", place, what)
				}
			}
		}
	})
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
		of("a challenge", w.begun(t, email, testkit.Password))
		w.Clock.Advance(2 * time.Minute)
		w.Send(t, "/auth/forgot-password", map[string]string{"email": email})
		of("a link for a new password", w.mustMail(t, email, "reset-password"))
		w.Send(t, "/auth/reset-password", map[string]string{"token": secrets["a link for a new password of "+name], "newPassword": chosen})
	}
	root := w.Admin(t, "root")
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

// misplace sends a secret where it does not belong, but for paths, which are logged, and fails the test if an answer repeats it.
func (w *world) misplace(t *testing.T, what, secret string) {
	t.Helper()
	mangled := strings.ToValidUTF8(strings.ReplaceAll(secret, "\n", ""), "")
	for _, req := range []testkit.Request{
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

// stored returns all tables and files, as they are.
func (w *world) stored(t *testing.T) map[string]string {
	t.Helper()
	all, read := map[string]string{}, w.DB.Conn().Read
	text := func(row database.Scanner) (s string, err error) { err = row.Scan(&s); return s, err }
	names := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if _, err := database.All(t.Context(), read, text, names); err != nil {
		names = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	}
	tables, err := database.All(t.Context(), read, text, names)
	if err != nil || len(tables) < 40 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		rows, err := read.QueryContext(t.Context(), `SELECT * FROM "`+table+`"`)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		var b strings.Builder
		for rows.Next() {
			values, targets := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				targets[i] = &values[i]
			}
			if err := rows.Scan(targets...); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				if raw, ok := v.([]byte); ok {
					v = string(raw)
				}
				fmt.Fprintln(&b, v)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		all["the table "+table] = b.String()
	}
	err = filepath.WalkDir(w.DataDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			raw, err := os.ReadFile(path) //nolint:gosec // of this test
			all["the file "+d.Name()] = string(raw)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
