package theme_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// echo is a theme app that tells what it was asked, and does what its path says.
const echo = `
const http = require('node:http')
const send = (res, status, value) => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
http.createServer(async (req, res) => {
  const url = new URL(req.url, 'http://app')
  if (url.pathname === '/health') return send(res, JSON.parse(process.env.STOA_THEME_CONFIG).sick ? 500 : 200, {})
  if (url.pathname === '/env') return send(res, 200, process.env)
  if (url.pathname === '/products') {
    const answer = await fetch(process.env.STOA_API_BASE_URL + '/api/marketplace/products')
    return send(res, answer.status, await answer.json())
  }
  if (url.pathname === '/exit') process.exit(3)
  if (url.pathname === '/cookie') res.setHeader('set-cookie', ['cart=7; Path=/', 'stoa_refresh=x; Path=/auth'])
  let body = ''
  for await (const chunk of req) body += chunk
  send(res, 200, { method: req.method, url: req.url, headers: req.headers, body, version: VERSION, pid: process.pid })
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log('listening'))
`

func echoApp(tb testing.TB, slug, version string, changes map[string]any) []byte {
	tb.Helper()
	return testkit.ThemeApp(tb, slug, version, changes, map[string]string{
		"server.js": strings.ReplaceAll(echo, "VERSION", "'"+version+"'"),
	})
}

func installApp(tb testing.TB, a *testkit.App, admin, kind string, archive []byte) testkit.Response {
	tb.Helper()
	res := a.Install(tb, admin, kind, archive)
	if res.Status != http.StatusCreated && res.Status != http.StatusOK {
		tb.Fatalf("install = %d %s", res.Status, res.Body)
	}
	return res
}

func activate(tb testing.TB, a *testkit.App, admin, target string, body map[string]any) testkit.Response {
	tb.Helper()
	return a.Do(tb, testkit.Post(admin, themes+"/"+target+"/activate", body))
}

// seen is what the app echo got.
type seen struct {
	Method, URL, Body, Version string
	Headers                    map[string]string
	Status                     int
	Header                     http.Header
	PID                        int
}

// get asks as a browser would, unchecked by the contract.
func get(tb testing.TB, a *testkit.App, path string, header http.Header) seen {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, a.URL+path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	client := &http.Client{Transport: a.Client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	res, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	s := seen{Status: res.StatusCode, Header: res.Header}
	if json.Unmarshal(text, &s) != nil || s.Method == "" {
		s.Body = string(text)
	}
	return s
}

// An active theme app of the shop answers at its address and at every address that is none
// of stoa's own.
func TestActiveAppAnswersAtTheRoot(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	installApp(t, a, admin, "theme-app-shop", echoApp(t, "corner", "1.0.0", nil))
	if s := get(t, a, "/theme-app/shop/corner/a%2Fb/c?x=1", nil); s.URL != "/a%2Fb/c?x=1" ||
		s.Headers["x-forwarded-prefix"] != "/theme-app/shop/corner" {
		t.Errorf("before it is active: %+v", s)
	}
	if s := get(t, a, "/somewhere", nil); s.Status != http.StatusNotFound {
		t.Errorf("at the root before it is active: %+v", s)
	}
	res := activate(t, a, admin, "shop", map[string]any{"slug": "corner"})
	if got := state(t, res); got != "corner 1.0.0 {} | -" {
		t.Fatal(got)
	}
	if base := res.Text(t, "data.active.baseUrl"); base != "/theme-app/shop/corner/" {
		t.Errorf("baseUrl = %s", base)
	}
	for path, want := range map[string]string{
		"/": "/", "/somewhere/else?q=%20": "/somewhere/else?q=%20", "/theme-app/shop/corner/": "/",
		"/theme-app/shop/corner/p/1": "/p/1", "/console/": "/console/",
	} {
		if s := get(t, a, path, nil); s.Status != http.StatusOK || s.URL != want {
			t.Errorf("%s = %d %s %s, want %s", path, s.Status, s.URL, s.Body, want)
		}
	}
	for path, want := range map[string]int{
		"/livez": 200, "/docs": 200, "/openapi.json": 200, "/register": 200, "/api/nothing": 404, "/auth/nothing": 404,
		"/.well-known/nothing": 404, "/api/marketplace/products": 200, "/theme-app/shop/other/": 404,
		"/theme-app/garden/corner/": 404, "/theme-app/admin/corner/": 404, "/theme-app/shop/corner": 307,
		"/themes/shop/corner/1.0.0/server.js": 404, "/themes/shop/corner/1.0.0/theme-app.json": 404,
	} {
		if s := get(t, a, path, nil); s.Status != want || s.Method != "" {
			t.Errorf("%s = %d %s, want %d by stoa", path, s.Status, s.Body, want)
		}
	}
	if s := get(t, a, "/products", nil); s.Status != http.StatusOK || !strings.Contains(s.Body, `"products"`) {
		t.Errorf("the app's call of stoa: %d %s", s.Status, s.Body)
	}
	if res := a.Do(t, testkit.Post(admin, themes+"/shop/deactivate", nil)); res.Status != http.StatusOK {
		t.Errorf("deactivate = %d %s", res.Status, res.Body)
	}
	if s := get(t, a, "/somewhere", nil); s.Status != http.StatusNotFound {
		t.Errorf("after it was deactivated: %+v", s)
	}
}
