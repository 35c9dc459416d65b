package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension/config"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/waittest"
)

// files are the files of a plugin package, by slash-separated name.
type files map[string]string

// fixture is a Runtime with a data folder of its own.
type fixture struct {
	*Runtime

	dir string
}

// long is the end of waits that end earlier, however busy the machine is.
const long = 2 * time.Minute

// options are what a fixture is made of. A machine with a Log is the fixture's own; all
// others are shared, because looking at a machine takes several starts of Node.js.
type options struct {
	Config

	machine child.Config
}

// newFixture starts a Runtime on an empty data folder, closed with the test.
func newFixture(tb testing.TB, change ...func(*options)) *fixture {
	tb.Helper()
	dir := tb.TempDir()
	// STOA_TEST_NODE runs the tests on another Node.js than the one in PATH.
	o := options{
		Config: Config{
			Log: slog.New(slog.NewTextHandler(tb.Output(), nil)), DataDir: dir,
			CacheDir: nodetest.CacheDir(),
			// A busy machine is not the plugin's fault.
			Stall: time.Minute, StartTimeout: long, StartWait: long, FirstByte: long, ReapWait: long, Drain: long,
			HealthEvery: time.Hour,
		},
		machine: child.Config{NodePath: os.Getenv("STOA_TEST_NODE"), ProbeTimeout: long},
	}
	for _, c := range change {
		c(&o)
	}
	if o.machine.Log != nil {
		o.Children = child.New(o.machine)
	} else {
		o.Children = machines.get(o.machine)
	}
	f := &fixture{Runtime: New(o.Config), dir: dir}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), long)
		defer cancel()
		if err := f.Close(ctx); err != nil {
			tb.Errorf("close: %v", err)
		}
		if o.machine.Log == nil {
			return
		}
		if err := o.Children.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return f
}

// machines are the launchers that tests share. TestMain closes them.
var machines sharedMachines

type sharedMachines struct {
	mu  sync.Mutex
	all map[string]*child.Launcher
}

func (m *sharedMachines) get(cfg child.Config) *child.Launcher {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := fmt.Sprint(cfg.NodePath, cfg.Isolation, cfg.Without)
	if m.all[key] == nil {
		if m.all == nil {
			m.all = make(map[string]*child.Launcher)
		}
		cfg.Log = slog.New(slog.DiscardHandler)
		m.all[key] = child.New(cfg)
	}
	return m.all[key]
}

func (m *sharedMachines) close() {
	for _, l := range m.all {
		_ = l.Close()
	}
}

// without switches parts of the containment off.
func without(parts ...sandbox.Part) func(*options) {
	return func(o *options) { o.machine.Without = parts }
}

// onNode runs plugins with that Node.js.
func onNode(path string) func(*options) { return func(o *options) { o.machine.NodePath = path } }

// install writes a package and returns its instance. The entry module is
// index.js.
func (f *fixture) install(tb testing.TB, slug string, content files) plugin.Installed {
	tb.Helper()
	in := plugin.Installed{
		Package: plugin.Package{
			InstallPath: "plugins/" + slug + "/1.0.0-abcdef01", ZipHash: slug,
			Manifest: plugin.Manifest{Slug: slug, Version: "1.0.0", RuntimeType: plugin.Internal, EntryModule: "index.js"},
		},
		Instance: plugin.Instance{ID: "id-of-" + slug, Slug: slug, Key: "default", Enabled: true, Version: 1},
	}
	writePackage(tb, filepath.Join(f.dir, in.Package.InstallPath), content)
	return in
}

func writePackage(tb testing.TB, dir string, content files) {
	tb.Helper()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// withRoutes is a CommonJS plugin whose body is code.
func withRoutes(code string) files {
	return files{"index.js": "module.exports = async function (app, opts) {\n" + code + "\n}\n"}
}

// serve returns a server that passes every request to in, and answers 599 with
// the reason when the Runtime returns an error.
func (f *fixture) serve(tb testing.TB, in plugin.Installed) *httptest.Server {
	tb.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f.Serve(w, r, &in); err != nil {
			w.WriteHeader(599)
			io.WriteString(w, err.Error())
		}
	}))
	srv.Client().Timeout = 2 * time.Minute
	tb.Cleanup(srv.Close)
	return srv
}

// do sends one request to in and returns the answer's status and body, or the
// Runtime's error.
func (f *fixture) do(tb testing.TB, in plugin.Installed, method, target, body string) (int, string, error) {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), method, target, strings.NewReader(body))
	if body == "" {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	err := f.Serve(w, r, &in)
	return w.Code, w.Body.String(), err
}

// get is do with GET, and fails the test unless the answer is 200.
func (f *fixture) get(tb testing.TB, in plugin.Installed, target string) string {
	tb.Helper()
	status, body, err := f.do(tb, in, http.MethodGet, target, "")
	// Most plugins here have no /health: that they answer is what their tests need.
	if err != nil || status != http.StatusOK && (target != "/health" || status != http.StatusNotFound) {
		tb.Fatalf("GET %s: %d %s, error %v", target, status, body, err)
	}
	return body
}

// getJSON decodes the answer into a T.
func getJSON[T any](tb testing.TB, f *fixture, in plugin.Installed, target string) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal([]byte(f.get(tb, in, target)), &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// reasonOf returns details.reason of err.
func reasonOf(tb testing.TB, err error) any {
	tb.Helper()
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		tb.Fatalf("got %v (%T), want an *errs.Error", err, err)
	}
	return e.Details["reason"]
}

// logged waits until text is in the log, or that lines were dropped: they come over a pipe.
func logged(tb testing.TB, log *logtest.Buffer, text string) {
	tb.Helper()
	waittest.Until(tb, "a line with "+text, func() error {
		if all := log.String(); strings.Contains(all, text) || strings.Contains(all, "plugin printed too much") {
			return nil
		}
		return fmt.Errorf("the log: %s", log)
	})
}

func secretField(name string) config.Schema {
	return config.Schema{name: {Type: "secret", Secret: true}}
}
