package compat_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/nodetest"
)

// visitor is a browser at a shop: it keeps cookies and sends each where its Path allows.
type visitor struct {
	app  *testkit.App
	base string
	jar  map[string]*http.Cookie
}

func visit(a *testkit.App, slug string) *visitor {
	return &visitor{a, "/api/v1/shop/plugins/" + slug, make(map[string]*http.Cookie)}
}

// do makes a call; header is name, value, name, value, …
func (v *visitor) do(t *testing.T, method, path string, body any, header ...string) answer {
	t.Helper()
	req := testkit.Request{Method: method, Path: v.base + path, Body: body, Header: make(http.Header)}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	for _, c := range v.jar {
		if strings.HasPrefix(req.Path, c.Path) {
			req.Header.Add("Cookie", c.Name+"="+c.Value)
		}
	}
	req.Header["Cookie"] = []string{strings.Join(req.Header["Cookie"], "; ")}
	res := v.app.DoUnchecked(t, req)
	for _, line := range res.Header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err != nil || !strings.HasPrefix(c.Path, v.base) || c.Domain != "" || c.SameSite == http.SameSiteNoneMode {
			t.Errorf("the browser gets the cookie %q: %v", line, err)
			continue
		}
		if v.jar[c.Name] = c; c.MaxAge < 0 || !c.Expires.IsZero() && c.Expires.Before(time.Now()) {
			delete(v.jar, c.Name)
		}
	}
	return answer{res.Status, res.Header, string(res.Body)}
}

// cookie returns the cookie that the only installation that has set one calls own.
func (v *visitor) cookie(t *testing.T, own string) (found *http.Cookie) {
	t.Helper()
	for name, c := range v.jar {
		if strings.HasSuffix(name, "-"+own) {
			if found != nil {
				t.Fatalf("two cookies %s among %v", own, v.jar)
			}
			found = c
		}
	}
	if found == nil {
		t.Fatalf("no cookie %s among %v", own, v.jar)
	}
	return found
}

func fieldOf(t *testing.T, a answer, name string) string {
	t.Helper()
	var all map[string]string
	if err := json.Unmarshal([]byte(a.body), &all); err != nil || all[name] == "" {
		t.Fatalf("no %s in %d %s: %v", name, a.status, a.body, err)
	}
	return all[name]
}

// allow installs a plugin that may have logins of its own.
func allow(t *testing.T, a *testkit.App, slug string, archive []byte, settings map[string]any) {
	t.Helper()
	admin := a.Login(t, "root").Access
	if res := a.Install(t, admin, "plugin", archive); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	settings["allowCookies"], settings["allowAuthorization"] = true, true
	if res := a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/"+slug, settings)); res.Status != http.StatusOK {
		t.Fatalf("settings: %d %s", res.Status, res.Body)
	}
	res := a.Do(t, testkit.Post(admin, "/api/v1/admin/plugins/"+slug+"/instances",
		map[string]any{"instanceKey": "eu", "enabled": true}))
	if res.Status != http.StatusCreated {
		t.Fatalf("instance: %d %s", res.Status, res.Body)
	}
}

// The ecosystem's packages for logins work behind the gateway, each installation for itself.
func TestLoginsOfPlugins(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, node string) {
		t.Helper()
		a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now, cfg.NodePath = time.Now, node })
		a.Admin(t, "root")
		for _, isolation := range []string{"instance", "shared"} {
			t.Run(isolation, func(t *testing.T) {
				slug := "logins-" + isolation
				allow(t, a, slug, testkit.PluginArchive(t, testkit.InternalManifest(slug, "index.js"), bundled(t, "logins.js")),
					map[string]any{"isolation": isolation})
				testSessions(t, a, slug)
				testTokens(t, visit(a, slug), a.Register(t, "ada-"+isolation).Access)
			})
		}
	})
}

func testSessions(t *testing.T, a *testkit.App, slug string) {
	ada, bob := visit(a, slug), visit(a, slug)
	ada.do(t, "GET", "/api/me", nil).want(t, 200, `"user":null`)
	token := fieldOf(t, ada.do(t, "POST", "/api/login", map[string]any{"user": "ada"}), "csrf")
	other := fieldOf(t, bob.do(t, "POST", "/api/login", map[string]any{"user": "bob"}), "csrf")
	ada.do(t, "GET", "/api/me", nil).want(t, 200, `{"user":"ada","cookies":["sessionId","theme"],"stoa":""}`)
	bob.do(t, "GET", "/api/me", nil).want(t, 200, `"user":"bob"`)
	ada.do(t, "POST", "/api/pay", map[string]any{}).want(t, 403, "csrf")
	ada.do(t, "POST", "/api/pay", map[string]any{}, "Csrf-Token", other).want(t, 403, "csrf")
	ada.do(t, "POST", "/api/pay", map[string]any{}, "Csrf-Token", token).want(t, 200, `{"paidBy":"ada"}`)

	ofAda := ada.cookie(t, "sessionId").Value // before the other installation sets one

	// The other installation knows nobody, even if the cookie is sent under its own name.
	ada.do(t, "GET", "/api/me?installation=eu", nil).want(t, 200, `{"user":null,"cookies":[]`)
	carol := visit(a, slug)
	carol.do(t, "POST", "/api/login?installation=eu", map[string]any{"user": "carol"})
	session := carol.cookie(t, "sessionId")
	carol.do(t, "GET", "/api/me", nil).want(t, 200, `{"user":null,"cookies":[]`)
	session.Value = ofAda
	carol.do(t, "GET", "/api/me?installation=eu", nil).want(t, 200, `"user":null`)

	ada.do(t, "POST", "/api/logout", map[string]any{}).want(t, 200, "{}")
	ada.do(t, "GET", "/api/me", nil).want(t, 200, `"user":null`)
	bob.do(t, "GET", "/api/me", nil).want(t, 200, `"user":"bob"`)
}

func testTokens(t *testing.T, v *visitor, shopToken string) {
	own := "Bearer " + fieldOf(t, v.do(t, "POST", "/api/jwt", map[string]any{"user": "ada"}), "token")
	v.do(t, "GET", "/api/jwt", nil, "Authorization", own).want(t, 200, `{"user":"ada","role":"guest"}`)
	v.do(t, "GET", "/api/jwt", nil, "Authorization", own+"x").want(t, 401, "FST_JWT")
	// Of another algorithm: the package throws.
	if res := v.do(t, "GET", "/api/jwt", nil, "Authorization", "Bearer "+shopToken); res.status < 400 {
		t.Errorf("a token of the shop: %d %s", res.status, res.body)
	}
	v.do(t, "GET", "/api/jwt", nil).want(t, 401, "FST_JWT")
	v.do(t, "GET", "/api/bearer", nil, "Authorization", "Bearer a key of the plugin").want(t, 200, "ok")
	v.do(t, "GET", "/api/bearer", nil, "Authorization", "Bearer "+shopToken).want(t, 401, "invalid authorization")
	v.do(t, "GET", "/api/basic", nil, "Authorization", "Basic YWRhOmxvdmVsYWNl").want(t, 200, "ok")
	asked := v.do(t, "GET", "/api/basic", nil)
	if asked.status != 401 || !strings.HasPrefix(asked.header.Get("Www-Authenticate"), `Basic realm="plugin"`) {
		t.Errorf("without a password: %d %v", asked.status, asked.header)
	}
}

// An external plugin with encrypted sessions in a __Host- cookie.
func TestLoginsOfAnExternalPlugin(t *testing.T) {
	t.Parallel()
	node := needtest.Program(t, "node", "")
	if _, err := os.Stat("node_modules/sodium-native"); err != nil {
		needtest.Lacks(t, "the ecosystem's plugins are not installed (npm ci in compat)")
	}
	cmd := exec.Command(node, "plugins/service.mjs")
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, stdout)
		_ = cmd.Wait()
	})
	var line struct{ URL string }
	if err := json.NewDecoder(bufio.NewReader(stdout)).Decode(&line); err != nil {
		t.Fatal(err)
	}

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now })
	a.Admin(t, "root")
	allow(t, a, "far", testkit.PluginArchive(t, testkit.ExternalManifest("far", line.URL), nil), map[string]any{})
	ada := visit(a, "far")
	token := fieldOf(t, ada.do(t, "POST", "/api/login", map[string]any{"user": "ada"}), "csrf")
	c := ada.cookie(t, "__Host-session")
	if !strings.HasPrefix(c.Name, "__Secure-p-") || c.Path != ada.base+"/" || !c.Secure || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("the browser gets %v", c)
	}
	ada.do(t, "GET", "/api/me", nil).want(t, 200, `{"user":"ada","cookies":["__Host-session"]}`)
	ada.do(t, "POST", "/api/pay", map[string]any{}).want(t, 403, "csrf")
	ada.do(t, "POST", "/api/pay", map[string]any{}, "Csrf-Token", token).want(t, 200, `{"paidBy":"ada"}`)
	ada.do(t, "GET", "/api/me?installation=eu", nil).want(t, 200, `{"user":null,"cookies":[]}`)
	visit(a, "far").do(t, "GET", "/api/me", nil).want(t, 200, `{"user":null,"cookies":[]}`)
}
