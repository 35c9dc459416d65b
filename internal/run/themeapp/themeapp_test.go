package themeapp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/extension"
	"stoa/internal/extension/theme"
	"stoa/internal/run/child"
	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/nodetest"
)

// kit is a Runtime with apps of a data folder of its own, served at a server.
type kit struct {
	*Runtime

	dir string
	url string

	mu   sync.Mutex
	next theme.App // what the server serves
}

func newKit(tb testing.TB, change func(*Config, *child.Config)) *kit {
	tb.Helper()
	log := slog.New(slog.NewTextHandler(tb.Output(), nil))
	k := &kit{dir: tb.TempDir()}
	of := child.Config{Log: log, ProbeTimeout: time.Minute}
	cfg := Config{
		Log: log, DataDir: k.dir, APIBaseURL: "http://127.0.0.1:1", Every: 20 * time.Millisecond,
		Stall: time.Minute, Start: time.Minute, StartWait: time.Minute, // a busy machine is not the fault of apps
		HealthWait: time.Minute, ReapWait: time.Minute,
	}
	if change != nil {
		change(&cfg, &of)
	}
	cfg.Children = child.New(of)
	k.Runtime = New(cfg)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		a := k.next
		k.mu.Unlock()
		if err := k.Serve(w, r, a); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
	}))
	k.url = srv.URL
	tb.Cleanup(func() {
		srv.Close()
		k.Close()
		if err := cfg.Children.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return k
}

// install writes an app whose files are given by name, server.js among them, and serves
// it from now on.
func (k *kit) install(tb testing.TB, slug string, files map[string]string) theme.App {
	tb.Helper()
	for name, text := range files {
		at := filepath.Join(k.dir, slug, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	a := theme.App{Version: theme.Version{
		ID: slug, Kind: extension.ThemeAppShop, Files: extension.Files{InstallPath: slug, ZipHash: "hash"},
		Manifest: theme.Manifest{Slug: slug, Version: "1.0.0", Program: theme.Program{Entry: "server.js", Health: "/health"}},
	}, Token: "stoa_app_secret"}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next = a
	return a
}

func (k *kit) get(tb testing.TB, path string) string {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, k.url+path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

const hello = `require('http').createServer((req, res) => {
  if (req.url === '/exit') process.exit(1)
  res.end(req.url)
}).listen(process.env.PORT, process.env.HOST)`

// An app runs at the level basic, too: without namespaces, Landlock and filter. HOST and
// PORT are no address of the machine even there.
func TestAppsRunWithoutContainment(t *testing.T) {
	t.Parallel()

	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "api "+r.URL.Path)
	}))
	t.Cleanup(api.Close)
	k := newKit(t, func(cfg *Config, of *child.Config) {
		cfg.APIBaseURL = api.URL
		of.Isolation, of.Without = sandbox.Basic,
			[]sandbox.Part{sandbox.Namespaces, sandbox.Landlock, sandbox.Seccomp, sandbox.Cgroup}
	})
	a := k.install(t, "plain", map[string]string{"server.js": `
const server = require('http').createServer(async (req, res) => {
  if (req.url === '/env') return res.end(JSON.stringify({ ...process.env, at: server.address() }))
  const answer = await fetch(process.env.STOA_API_BASE_URL + req.url)
  res.end(await answer.text())
})
server.listen({ port: process.env.PORT, host: process.env.HOST })`})
	if err := k.Prepare(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got := k.get(t, "/products"); got != "api /products" {
		t.Errorf("answer = %s", got)
	}
	var env struct {
		Host  string `json:"HOST"`
		Port  string `json:"PORT"`
		Base  string `json:"STOA_BASE_PATH"`
		Token string `json:"STOA_THEME_APP_TOKEN"`
		At    struct {
			Address string
			Port    int
		}
	}
	if err := json.Unmarshal([]byte(k.get(t, "/env")), &env); err != nil {
		t.Fatal(err)
	}
	if env.Base != "/theme-app/shop/plain" || env.Token != "stoa_app_secret" || env.At.Address != env.Host ||
		fmt.Sprint(env.At.Port) != env.Port {
		t.Errorf("environment = %+v", env)
	}
	if conn, err := net.Dial("tcp", net.JoinHostPort(env.Host, env.Port)); err == nil {
		conn.Close()
		t.Error("the app listens at an address of the machine")
	}
}

// Whatever way a server listens, and as whatever kind of module, on every version of
// Node.js.
func TestWaysToListen(t *testing.T) {
	t.Parallel()

	const serve = `const http = require('http'); const { PORT, HOST } = process.env
const server = http.createServer((q, s) => s.end('ok'))
`
	ways := map[string]map[string]string{
		"port":    {"server.js": serve + `server.listen(PORT)`},
		"number":  {"server.js": serve + `server.listen(Number(PORT), HOST, 511, () => console.log('up'))`},
		"options": {"server.js": serve + `server.listen({ port: +PORT, host: HOST, exclusive: true })`},
		"late":    {"server.js": serve + `setTimeout(() => server.listen(PORT, HOST), 100)`},
		"second":  {"server.js": serve + `http.createServer().listen(0, '127.0.0.1', () => server.listen(PORT))`},
		"module": {
			"server.js":    "import http from 'node:http'\nhttp.createServer((q, s) => s.end('ok')).listen(process.env.PORT)",
			"package.json": `{"type":"module"}`,
		},
		"ends itself": {
			"server.js": serve + `server.listen(PORT); process.on('SIGTERM', () => server.close(() => process.exit(0)))`,
		},
	}
	nodetest.Each(t, func(t *testing.T, path string) {
		k := newKit(t, func(_ *Config, of *child.Config) { of.NodePath = path })
		for name, files := range ways {
			slug := "app-" + strings.ReplaceAll(name, " ", "-")
			a := k.install(t, slug, files)
			if err := k.Prepare(t.Context(), a); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			k.retire(k.app(a))
		}
	})
}

// Events arrive as they happen, and an upgrade passes bytes both ways.
func TestStreamsAndUpgrades(t *testing.T) {
	t.Parallel()

	k := newKit(t, nil)
	k.install(t, "live", map[string]string{"server.js": `
const server = require('http').createServer((req, res) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
  req.on('close', () => res.end())
})
server.on('upgrade', (req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  socket.on('data', (text) => socket.write('echo ' + text))
})
server.listen(process.env.PORT)`})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); line != "data: first\n" {
		t.Errorf("event = %q, %v", line, err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(k.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	r := bufio.NewReader(conn)
	head, err := http.ReadResponse(r, nil)
	if err != nil || head.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrade = %+v, %v", head, err)
	}
	_, _ = io.WriteString(conn, "hi\n")
	if line, err := r.ReadString('\n'); line != "echo hi\n" {
		t.Errorf("answer = %q, %v", line, err)
	}
}
