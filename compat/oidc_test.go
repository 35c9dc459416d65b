package compat_test

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/waittest"
)

// strangersProvider starts an OpenID provider that others wrote, for a stoa at an address, and returns its issuer.
func strangersProvider(t *testing.T, stoa string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "provider")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/zitadel/oidc/v3/example/server")
	build.Dir = "oidc"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	_, port, _ := net.SplitHostPort(porttest.Free(t))
	p := exec.CommandContext(t.Context(), program) // which ends with the test
	p.Env = append(os.Environ(), "PORT="+port, "REDIRECT_URI="+stoa+"/auth/oidc/op/callback")
	p.Stdout, p.Stderr = t.Output(), t.Output()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	waittest.Until(t, "the provider", func() error {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", "localhost:"+port)
		if err == nil {
			err = c.Close()
		}
		return err
	})
	return "http://localhost:" + port + "/"
}

// somebodysBrowser keeps cookies, and follows redirects.
func somebodysBrowser(t *testing.T, a *testkit.App) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: a.Client.Transport}
}

// posts sends a form or JSON from a page of an origin, and returns the answer, after redirects, with its body.
func posts(t *testing.T, browser *http.Client, address, origin, kind, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Origin", origin)
	return goes(t, browser, r)
}

func goes(t *testing.T, browser *http.Client, r *http.Request) (*http.Response, string) {
	t.Helper()
	res, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// A provider that others wrote, with its own login page: somebody gets an account through it, and comes back.
func TestAProviderThatOthersWroteSignsPeopleIn(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now }) // the provider's clock
	issuer := strangersProvider(t, a.URL)
	admin := a.Admin(t, "root")
	res := a.Do(t, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/admin/identity-providers/op", Token: admin.Access, Body: map[string]any{
			"kind": "oidc", "name": "Others", "issuer": issuer, "clientId": "web", "clientSecret": "secret",
			"enabled": true, "signUp": true, "staff": false, "verifiesAddresses": true,
		},
	})
	if res.Status != http.StatusOK {
		t.Fatalf("PUT = %d %s", res.Status, res.Body)
	}
	test := a.Do(t, testkit.Post(admin.Access, "/api/v1/admin/identity-providers/op/test", nil))
	if test.Status != http.StatusOK || test.Get(t, "data.ok") != true {
		t.Errorf("its test says %s", test.Body)
	}

	var user string
	for visit, form := range []string{`{"username":"stranger"}`, `{}`} {
		browser := somebodysBrowser(t, a)
		throughTheLoginPage(t, a, browser)
		done, body := posts(t, browser, a.URL+"/auth/oidc/complete", a.URL, "application/json", form)
		id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(body)
		if done.StatusCode != http.StatusOK || id == nil || !strings.Contains(body, "access_token") {
			t.Fatalf("visit %d: complete = %d %s", visit, done.StatusCode, body)
		}
		if visit == 0 {
			user = id[1]
		}
		if id[1] != user || !strings.Contains(body, `"username":"stranger"`) {
			t.Errorf("visit %d is answered %s", visit, body)
		}
	}
}

// throughTheLoginPage goes to the provider, signs in there, and comes back to stoa.
func throughTheLoginPage(t *testing.T, a *testkit.App, browser *http.Client) {
	t.Helper()
	_, body := posts(t, browser, a.URL+"/auth/oidc/op/start", a.URL, "application/json", `{"mode":"sign-in"}`)
	found := regexp.MustCompile(`"url":"([^"]+)"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("start is answered %s", body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.ReplaceAll(found[1], `\u0026`, "&"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	there, page := goes(t, browser, r)
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(page)
	if id == nil {
		t.Fatalf("%s has no form to sign in: %s %s", there.Request.URL, there.Status, page)
	}
	form := url.Values{"id": {id[1]}, "username": {"test-user@localhost"}, "password": {"verysecure"}}
	back, page := posts(t, browser, there.Request.URL.String(), "null", "application/x-www-form-urlencoded", form.Encode())
	at := back.Request.URL
	if !strings.HasPrefix(at.String(), a.URL+"/sign-in/continue") || at.Query().Has("failed") {
		t.Fatalf("sent to %s: %s %s", at, back.Status, page)
	}
}
