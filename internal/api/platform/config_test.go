package platform_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	authtoken "stoa/internal/account/token"
	"stoa/internal/testkit"
)

func TestPluginReadsItsOwnConfig(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, app *testkit.App) {
		e := app.InstallEcho(t, map[string]any{
			"configSchema": map[string]any{"key": map[string]any{"type": "secret", "label": "Key"}},
		})
		config := func(c map[string]any) {
			t.Helper()
			res := app.Do(t,
				testkit.Patch(e.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+e.ID,
					map[string]any{"config": c}))
			if res.Status != http.StatusOK {
				t.Fatalf("patch: %d %s", res.Status, res.Body)
			}
		}
		call := func() http.Header {
			t.Helper()
			app.Fetch(t, testkit.EchoPath+"/api/x")
			return e.Reached().Header
		}
		own := func(token string, h http.Header) testkit.Response {
			t.Helper()
			return app.Do(t, testkit.Request{Method: "GET", Path: "/api/v1/platform/config", Token: token, Header: h})
		}

		config(map[string]any{"key": "s3cret", "n": "<&>"})
		h := call()
		want, err := base64.RawURLEncoding.DecodeString(h.Get("X-Plugin-Config"))
		if err != nil {
			t.Fatal(err)
		}
		token := h.Get("X-Platform-Token")
		res := own(token, nil)
		if got := rawConfig(t, res); res.Status != 200 || got != string(want) || !strings.Contains(got, "s3cret") {
			t.Errorf("own config = %d %s, want %s", res.Status, got, want)
		}

		config(map[string]any{"key": "s3cret", "long": strings.Repeat("x", 7000)})
		h = call()
		digest := h.Get("X-Plugin-Config-Digest")
		res = own(token, nil)
		sum := sha256.Sum256([]byte(rawConfig(t, res)))
		if h.Get("X-Plugin-Config") != "" || digest != hex.EncodeToString(sum[:]) ||
			res.Header.Get("ETag") != `"`+digest+`"` {
			t.Errorf("digest %q, ETag %s; want %x", digest, res.Header.Get("ETag"), sum)
		}
		if res := own(token, http.Header{"If-None-Match": {`"` + digest + `"`}}); res.Status != http.StatusNotModified {
			t.Errorf("with the digest as If-None-Match: %d", res.Status)
		}

		// The installation of a token is looked up on each call.
		res = app.Do(t, testkit.Patch(e.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+e.ID, map[string]any{
			"enabled": false,
		}))
		if res.Status != 200 {
			t.Fatal(string(res.Body))
		}
		if res := own(token, nil); res.Status != http.StatusUnauthorized {
			t.Errorf("disabled: %d %s", res.Status, res.Body)
		}
	})
}

// rawConfig returns data.config byte for byte.
func rawConfig(t *testing.T, res testkit.Response) string {
	t.Helper()
	var body struct {
		Data struct {
			Config json.RawMessage `json:"config"`
		} `json:"data"`
	}
	if err := json.Unmarshal(res.Body, &body); err != nil {
		t.Fatal(err)
	}
	return string(body.Data.Config)
}

// The gateway reuses a token for minutes, but not after its signing key was
// withdrawn.
func TestPluginsGetTokensThatWorkAfterKeysWereWithdrawn(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	e := app.InstallEcho(t, nil)
	call := func() (token string, status int) {
		t.Helper()
		app.Fetch(t, testkit.EchoPath+"/api/x")
		token = e.Reached().Header.Get("X-Platform-Token")
		return token, app.Do(t, testkit.Get(token, "/api/v1/platform/config")).Status
	}
	before, status := call()
	if status != http.StatusOK {
		t.Fatalf("before: %d", status)
	}
	if _, err := app.Accounts.PluginRing.Withdraw(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after, status := call(); after == before || status != http.StatusOK {
		t.Errorf("after: %d, with the same token: %t; want a new one that works", status, after == before)
	}
}

func TestPluginTokensAndUserTokensAreNotMistaken(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	e := app.InstallEcho(t, nil)
	app.Fetch(t, testkit.EchoPath+"/api/x")
	token := e.Reached().Header.Get("X-Platform-Token")
	user := app.Register(t, "ada")

	for name, bearer := range map[string]string{
		"nobody": "", "a user": user.Access, "an administrator": e.Admin.Access,
		"a refresh token": user.Refresh, "noise": "x.y.z",
	} {
		if res := app.Do(t, testkit.Get(bearer, "/api/v1/platform/config")); res.Status != http.StatusUnauthorized {
			t.Errorf("%s at the platform API: %d, want 401", name, res.Status)
		}
	}
	for _, path := range []string{
		"/auth/me", "/api/v1/admin/extensions", testkit.EchoPath + "/api/x", "/api/v1/admin/plugins/echo/api/x",
	} {
		if res := app.Do(t, testkit.Get(token, path)); res.Status != http.StatusUnauthorized {
			t.Errorf("a plugin's token at %s: %d, want 401", path, res.Status)
		}
	}
	if res := app.Do(t, testkit.Get(token, "/api/v1/platform/config")); res.Status != http.StatusOK {
		t.Errorf("a plugin's token at the platform API: %d", res.Status)
	}
	app.Clock.Advance(10*time.Minute + authtoken.Leeway)
	if res := app.Do(t, testkit.Get(token, "/api/v1/platform/config")); res.Status != http.StatusUnauthorized {
		t.Errorf("after ten minutes: %d, want 401", res.Status)
	}
}
