package themes_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

// Only a call with the token of an installed theme app has x-caller: theme-app, whatever
// else a client sends, and the token reaches no plugin.
func TestOnlyAThemeAppsTokenMakesTheCallerThemeApp(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	e := a.InstallEcho(t, nil)
	admin := e.Admin.Access
	token := running(t, a, admin)["STOA_THEME_APP_TOKEN"]
	call := func(header http.Header) (caller string) {
		t.Helper()
		s := get(t, a, testkit.EchoPath+"/api/x", header)
		r := e.Reached()
		if s.Status != http.StatusOK || r == nil {
			t.Fatalf("call = %d %s", s.Status, s.Body)
		}
		for name, values := range r.Header {
			if strings.Contains(strings.ToLower(name), "token") && name != "X-Platform-Token" ||
				strings.Contains(strings.Join(values, ""), token) {
				t.Errorf("the plugin got %s: %s", name, values)
			}
		}
		return r.Header.Get("X-Caller")
	}
	other := token[:len(token)-2] + "xx"
	for _, tt := range []struct {
		name   string
		header http.Header
		want   string
	}{
		{"no token", nil, "shop"},
		{"the token", http.Header{"X-Theme-App-Token": {token}}, "theme-app"},
		{"another token", http.Header{"X-Theme-App-Token": {other}}, "shop"},
		{"another version", http.Header{"X-Theme-App-Token": {"stoa_app_x_" + token[strings.LastIndex(token, "_")+1:]}}, "shop"},
		{"no token at all", http.Header{"X-Theme-App-Token": {"stoa_app_"}}, "shop"},
		{"a forged caller", http.Header{"X-Caller": {"theme-app"}}, "shop"},
		{"another spelling", http.Header{"x_theme_app_token": {token}}, "shop"},
		{"the token first and a forged caller", http.Header{"X-Theme-App-Token": {token}, "X_caller": {"admin"}}, "theme-app"},
	} {
		if got := call(tt.header); got != tt.want {
			t.Errorf("%s: x-caller = %s, want %s", tt.name, got, tt.want)
		}
	}
	// It ends with the app, for good.
	a.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil))
	if call(http.Header{"X-Theme-App-Token": {token}}) != "theme-app" {
		t.Error("the token ended with the activation")
	}
	a.Do(t, testkit.Delete(admin, "/api/v1/admin/extensions/theme-app-shop/corner"))
	if got := call(http.Header{"X-Theme-App-Token": {token}}); got != "shop" {
		t.Errorf("x-caller after the uninstall = %s", got)
	}
	again := running(t, a, admin)["STOA_THEME_APP_TOKEN"]
	if got := call(http.Header{"X-Theme-App-Token": {token}}); got != "shop" || again == token {
		t.Errorf("x-caller of the old token after another install = %s", got)
	}
}

// A theme app sees what belongs to it, and what stoa says of the client; it sets what is
// its own.
func TestHeadersOnTheWayToAnAppAndBack(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	running(t, a, admin)
	s := get(t, a, "/theme-app/shop/corner/cookie", http.Header{
		"Authorization": {"Bearer " + admin}, "Cookie": {`cart=7; stoa-refresh=secret; __Secure-stoa-refresh=1; q="a b"; ` +
			`p-24f4b4dd8724-session=plugin; __Secure-p-24f4b4dd8724-__Host-s=1`},
		"True-Client-Ip": {"203.0.113.9"}, "Cf-Connecting-Ip": {"203.0.113.9"},
		"X-Forwarded-For": {"203.0.113.9"}, "X-User-Id": {"ada"}, "x_user_role": {"admin"}, "X-Caller": {"admin"},
		"X-Platform-Token": {"x"}, "X-Forwarded-Prefix": {"/evil"}, "X-Theme-App-Token": {"x"}, "X-Mine": {"kept"},
		"Connection": {"X-Secret"}, "X-Secret": {"x"}, "X-Request-Id": {"mine"},
	})
	if s.Status != http.StatusOK {
		t.Fatalf("answer = %+v", s)
	}
	for name, want := range map[string]string{
		"authorization": "", "cookie": `cart=7; q="a b"`, "x-forwarded-for": "127.0.0.1", "x-user-id": "", "x_user_role": "",
		"x-caller": "", "x-platform-token": "", "true-client-ip": "", "cf-connecting-ip": "", "x-forwarded-prefix": "/theme-app/shop/corner", "x-theme-app-token": "",
		"x-mine": "kept", "x-secret": "", "x-forwarded-proto": "http", "x-forwarded-host": strings.TrimPrefix(a.URL, "http://"),
		"x-request-id": s.Header.Get("X-Request-Id"),
	} {
		if got := s.Headers[name]; got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := strings.Join(s.Header["Set-Cookie"], "|"); got != "cart=7; Path=/" {
		t.Errorf("Set-Cookie = %s", got)
	}
	if w := get(t, a, "/sw.js", http.Header{"Service-Worker": {"script"}}); w.Status != http.StatusNotFound {
		t.Errorf("a service worker = %+v", w)
	}
}

// A theme app reaches stoa at STOA_API_BASE_URL, and no file, program, process or address
// besides.
func TestAThemeAppReachesNothingButTheAPI(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux contains the network")
	}

	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(other.Close)
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	const attacks = `
const http = require('node:http'), fs = require('node:fs'), net = require('node:net')
const attempts = {
  api: async () => (await fetch(process.env.STOA_API_BASE_URL + '/livez')).status,
  http: () => new Promise((resolve, reject) => {
    http.get(process.env.STOA_API_BASE_URL + '/livez', (res) => resolve(res.statusCode)).on('error', reject)
  }),
  other: async (q) => (await fetch(q.other)).status,
  internet: () => new Promise((resolve, reject) => {
    net.connect(80, '1.1.1.1', () => resolve('connected')).on('error', reject)
  }),
  name: async () => (await require('node:dns').promises.lookup('example.com')).address,
  database: async (q) => fs.readFileSync(q.database, 'latin1').slice(0, 6),
  write: async (q) => fs.writeFileSync(q.folder + '/x', 'x'),
  child: async () => require('node:child_process').execFileSync('/bin/true').length,
  kill: async (q) => process.kill(Number(q.pid), 0),
  environ: async (q) => fs.readFileSync('/proc/' + q.pid + '/environ', 'latin1').length,
  worker: async () => new Promise((resolve, reject) => new (require('node:worker_threads').Worker)('1', { eval: true }).on('exit', resolve).on('error', reject)),
  own: async () => fs.readFileSync('/proc/self/environ', 'latin1')
}
http.createServer(async (req, res) => {
  const url = new URL(req.url, 'http://app')
  const attempt = attempts[url.pathname.slice(1)]
  try { res.end('did ' + (attempt ? await attempt(Object.fromEntries(url.searchParams)) : 'nothing')) } catch (err) { res.end('failed ' + err) }
}).listen({ port: process.env.PORT, host: process.env.HOST })`
	installApp(t, a, admin, "theme-app-shop",
		testkit.ThemeApp(t, "mallory", "1.0.0", nil, map[string]string{"server.js": attacks}))
	const at = "/theme-app/shop/mallory/"
	for _, allowed := range []string{"api", "http"} {
		if s := get(t, a, at+allowed, nil); s.Body != "did 200" {
			t.Errorf("%s: %s", allowed, s.Body)
		}
	}
	database := filepath.Join(a.DataDir, "stoa.db")
	for _, attempt := range []string{
		"other?other=" + other.URL, "internet", "name", "database?database=" + database, "write?folder=" + a.DataDir,
		"child", "kill?pid=" + pid(), "environ?pid=" + pid(), "worker",
	} {
		if s := get(t, a, at+attempt, nil); !strings.HasPrefix(s.Body, "failed ") {
			t.Errorf("%s: %s", attempt, s.Body)
		}
	}
	if s := get(t, a, at+"own", nil); strings.Contains(s.Body, "stoa_app_") {
		t.Errorf("the token is in the environment of the process: %s", s.Body)
	}
	if reached.Load() > 0 {
		t.Error("it reached another server")
	}
}

// What an app prints of its token does not reach the log.
func TestThemeAppTokenIsNotLogged(t *testing.T) {
	t.Parallel()

	logged := new(logtest.Buffer)
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Log = logged.Logger() })
	admin := a.Admin(t, "root").Access
	const leaky = `
console.log('I am', process.env.STOA_THEME_APP_TOKEN, JSON.stringify(process.env))
console.error(Buffer.from(process.env.STOA_THEME_APP_TOKEN).toString('base64'))
require('http').createServer((req, res) => {
  if (req.url === '/') throw new Error('broken with ' + process.env.STOA_THEME_APP_TOKEN)
  res.end(process.env.STOA_THEME_APP_TOKEN)
}).listen(process.env.PORT)`
	installApp(t, a, admin, "theme-app-shop",
		testkit.ThemeApp(t, "leaky", "1.0.0", nil, map[string]string{"server.js": leaky}))
	token := get(t, a, "/theme-app/shop/leaky/token", nil).Body
	if !strings.HasPrefix(token, "stoa_app_") {
		t.Fatalf("token = %s", token)
	}
	get(t, a, "/theme-app/shop/leaky/", nil)
	waittest.True(t, "its end is in the log", func() bool { return strings.Contains(logged.String(), "theme app failed") })
	text := logged.String()
	if strings.Contains(text, token) || strings.Contains(text, token[9:30]) || !strings.Contains(text, "I am [secret]") ||
		!strings.Contains(text, "broken with [secret]") {
		t.Errorf("log:\n%s", text)
	}
}

// What an app that is not healthy says of its token and its secrets reaches neither the
// administrator nor the log.
func TestSecretsInTheAnswerOfAHealthCheckAreNotTold(t *testing.T) {
	t.Parallel()

	logged := new(logtest.Buffer)
	a := testkit.New(t, testkit.SoonUnhealthy, func(_ testing.TB, cfg *app.Config) { cfg.Log = logged.Logger() })
	admin := a.Admin(t, "root").Access
	const leaky = `
require('http').createServer((req, res) => {
  res.statusCode = 500
  res.end('x'.repeat(100) + process.env.STOA_THEME_CONFIG + process.env.STOA_THEME_APP_TOKEN)
}).listen(process.env.PORT)`
	const secret = "hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush-hush"
	installApp(t, a, admin, "theme-app-shop", testkit.ThemeApp(t, "leaky", "1.0.0", map[string]any{
		"configSchema": map[string]any{"apiKey": map[string]any{"type": "secret"}},
	}, map[string]string{"server.js": leaky}))
	res := activate(t, a, admin, "shop", map[string]any{"slug": "leaky", "config": map[string]any{"apiKey": secret}})
	wantError(t, res, http.StatusUnprocessableEntity, "THEME_UNHEALTHY")
	for where, text := range map[string]string{"answer": string(res.Body), "log": logged.String()} {
		if strings.Contains(text, secret[:20]) || strings.Contains(text, "stoa_app_") {
			t.Errorf("the %s has a secret:\n%s", where, text)
		}
	}
	if !strings.Contains(string(res.Body), `[secret]`) {
		t.Errorf("answer = %s", res.Body)
	}
}

func pid() string { return strconv.Itoa(os.Getpid()) }
