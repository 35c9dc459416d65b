// Package compat_test runs real Fastify plugins as internal plugins on every line
// of Node.js that stoa supports: those in plugins/, bundled with the ecosystem's
// packages the way a plugin's author would, and every shape of package. They are
// called through the runtime, without the gateway: what the gateway takes out of
// requests and answers is tested there. Only logins need a whole stoa, and so does an
// OpenID provider that others wrote.
package compat_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/run/node"
	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/nodetest"
)

// files are the files of a package, by name.
type files map[string]string

// host runs internal plugins with one Node.js.
type host struct {
	*node.Runtime

	dir       string
	isolation string // of the packages
}

// eachHost runs test on every Node.js, with a process for each instance and with a
// shared one.
func eachHost(t *testing.T, test func(t *testing.T, h *host), change ...func(*node.Config)) {
	t.Helper()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		for _, isolation := range []string{plugin.IsolationInstance, plugin.IsolationShared} {
			t.Run(isolation, func(t *testing.T) { test(t, newHost(t, path, isolation, change...)) })
		}
	})
}

func newHost(t *testing.T, path, isolation string, change ...func(*node.Config)) *host {
	t.Helper()
	h := &host{dir: t.TempDir(), isolation: isolation}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	children := child.New(child.Config{Log: log, NodePath: path, ProbeTimeout: 3 * time.Minute})
	cfg := node.Config{
		Log: log, Children: children, DataDir: h.dir,
		Stall: 3 * time.Minute, StartTimeout: 3 * time.Minute, StartWait: 3 * time.Minute, // the machine may be busy
	}
	for _, c := range change {
		c(&cfg)
	}
	h.Runtime = node.New(cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := errors.Join(h.Close(ctx), children.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h
}

// site is an installed plugin behind a server.
type site struct {
	url    string
	client *http.Client
	in     plugin.Installed
}

// isolation returns how well plugins are contained on this machine.
func isolation(t *testing.T) (level sandbox.Level, missing string) {
	t.Helper()
	children := child.New(child.Config{Log: slog.New(slog.DiscardHandler), ProbeTimeout: 3 * time.Minute})
	defer children.Close()
	m, err := children.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m.Isolation()
}

// place writes a package whose entry module is index.js, and grants these permissions.
func (h *host) place(t *testing.T, slug string, content files, config string, granted ...string) plugin.Installed {
	t.Helper()
	in := plugin.Installed{
		Package: plugin.Package{
			InstallPath: "plugins/" + slug, ZipHash: slug,
			Manifest: plugin.Manifest{Slug: slug, Version: "1.0.0", RuntimeType: plugin.Internal, EntryModule: "index.js", Permissions: granted},
			Settings: plugin.Settings{Isolation: h.isolation},
		},
		Instance: plugin.Instance{
			ID: "id-of-" + slug, Slug: slug, Key: "default", Enabled: true, Version: 1,
			Config: json.RawMessage(config), Granted: granted,
		},
	}
	for name, text := range content {
		path := filepath.Join(h.dir, "plugins", slug, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// install places a package and starts it.
func (h *host) install(t *testing.T, slug string, content files, config string, granted ...string) *site {
	t.Helper()
	in := h.place(t, slug, content, config, granted...)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// As the gateway does.
		r.Header["X-Forwarded-For"], r.Header["X-Forwarded-Proto"] = []string{"203.0.113.9"}, []string{"https"}
		r.Header["X-Forwarded-Host"] = []string{"shop.example.com:8443"}
		if err := h.Serve(w, r, &in); err != nil {
			w.WriteHeader(599)
			io.WriteString(w, err.Error())
		}
	}))
	t.Cleanup(srv.Close)
	client := srv.Client()
	client.Timeout = 3 * time.Minute
	if err := h.Prepare(t.Context(), in); err != nil {
		t.Fatalf("the plugin does not start: %v", err)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &site{url: srv.URL, client: client, in: in}
}

// answer is an answer, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request; header is name, value, name, value, …
func (s *site) do(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

func (s *site) get(t *testing.T, path string, header ...string) answer {
	t.Helper()
	return s.do(t, http.MethodGet, path, "", header...)
}

// want fails the test unless the answer has that status and contains the text.
func (a answer) want(t *testing.T, status int, text string) {
	t.Helper()
	if a.status != status || !strings.Contains(a.body, text) {
		t.Errorf("got %d %.1000s, want %d with %q", a.status, a.body, status, text)
	}
}

var (
	bundling sync.Mutex
	bundles  = map[string]string{}
)

// bundled returns plugins/<name> in one CommonJS file, with what it imports.
func bundled(t *testing.T, name string) files {
	t.Helper()
	if _, err := os.Stat("node_modules/.package-lock.json"); errors.Is(err, fs.ErrNotExist) {
		needtest.Lacks(t, "the ecosystem's plugins are not installed (npm ci in compat)")
	}
	bundling.Lock()
	defer bundling.Unlock()
	if bundles[name] == "" {
		out := api.Build(api.BuildOptions{
			EntryPoints: []string{filepath.Join("plugins", name)}, Bundle: true, Write: false,
			Platform: api.PlatformNode, Format: api.FormatCommonJS, LogLevel: api.LogLevelWarning,
		})
		if len(out.Errors) > 0 {
			t.Fatalf("esbuild: %v", out.Errors)
		}
		bundles[name] = string(out.OutputFiles[0].Contents)
	}
	return files{"index.js": bundles[name]}
}
