package themes_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// echo is a theme app that answers with the request that it got, and acts as its path says.
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
  if (url.pathname === '/cookie') {
    res.setHeader('set-cookie', [
      'cart=7; Path=/', 'stoa-refresh=x; Path=/auth', '__Secure-stoa-refresh=x; Secure', '=stoa-refresh=x'
    ])
  }
  let body = ''
  for await (const chunk of req) body += chunk
  send(res, 200, { method: req.method, url: req.url, headers: req.headers, body, version: VERSION })
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log('listening'))
`

func echoApp(tb testing.TB, slug, version string, changes map[string]any) []byte {
	tb.Helper()
	return testkit.ThemeApp(tb, slug, version, changes, map[string]string{
		"server.js": strings.ReplaceAll(echo, "VERSION", "'"+version+"'"),
	})
}

func installApp(tb testing.TB, a *testkit.App, admin, kind string, archive []byte) {
	tb.Helper()
	res := a.Install(tb, admin, kind, archive)
	if res.Status != http.StatusCreated && res.Status != http.StatusOK {
		tb.Fatalf("install = %d %s", res.Status, res.Body)
	}
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
}

// get asks as a browser would, unchecked by the API document.
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

// running installs the app echo for the shop, shows it and returns its environment.
func running(tb testing.TB, a *testkit.App, admin string) map[string]string {
	tb.Helper()
	installApp(tb, a, admin, "theme-app-shop", echoApp(tb, "corner", "1.0.0", nil))
	if res := activate(tb, a, admin, "shop", map[string]any{"slug": "corner"}); res.Status != http.StatusOK {
		tb.Fatalf("activate = %d %s", res.Status, res.Body)
	}
	var env map[string]string
	if s := get(tb, a, "/env", nil); json.Unmarshal([]byte(s.Body), &env) != nil || env["STOA_THEME_APP_TOKEN"] == "" {
		tb.Fatalf("env = %+v", s)
	}
	return env
}
