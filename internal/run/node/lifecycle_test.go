package node

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension/plugin"

	"stoa/internal/testkit/nodetest"
)

// hooked is a plugin with hooks. What they did can be asked for over a route.
const hooked = `
const seen = globalThis.seen = (globalThis.seen ?? [])
exports.default = async function (app, opts) {
  if (opts.broken) throw new Error('it cannot be registered')
  app.get('/api/seen', async () => seen.filter((s) => s.own === opts.name))
  app.post('/__lifecycle/onInstall', async () => { seen.push('a route'); return {} })
}
exports.__lifecycle_onInstall = async (body, { id, attempt }) => {
  if (body.config.name === 'refuses') throw new TypeError('not like this')
  seen.push({ own: body.config.name, hook: 'onInstall', id, attempt })
}
exports.lifecycle = { name: 'this', onEnable () { seen.push({ own: 'one', hook: this.name }) } }`

// tell calls a hook and returns the status and the body of the answer.
func (f *fixture) tell(tb testing.TB, in plugin.Installed, live *plugin.Installed, hook, config string) (int, string) {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/__lifecycle/"+hook,
		strings.NewReader(`{"installationId":"i","config":`+config+`}`))
	r.RequestURI = ""
	r.Header.Set("x-hook-id", "h1")
	r.Header.Set("x-hook-attempt", "2")
	w := httptest.NewRecorder()
	if err := f.Lifecycle(live).Serve(w, r, &in); err != nil {
		return 0, err.Error()
	}
	return w.Code, w.Body.String()
}

func TestHooksAreExportsOfTheEntryModule(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		f := newFixture(t, onNode(path))
		in := f.install(t, "hooked", files{"index.js": hooked})
		in.Instance.Config = []byte(`{"name":"one"}`)
		for _, tt := range []struct {
			hook, config string
			status       int
			body         string
		}{
			{"onInstall", `{"name":"one"}`, 204, ""},
			{"onEnable", `{}`, 204, ""},
			{"onDisable", `{}`, 404, "exports neither __lifecycle_onDisable nor lifecycle.onDisable"},
			{"onInstall", `{"name":"refuses"}`, 500, "TypeError: not like this"},
		} {
			for name, live := range map[string]*plugin.Installed{"serving": &in, "disabled": nil} {
				status, body := f.tell(t, in, live, tt.hook, tt.config)
				if status != tt.status || !strings.Contains(body, tt.body) {
					t.Errorf("%s, %s: %d %s; want %d %s", tt.hook, name, status, body, tt.status, tt.body)
				}
			}
		}
		want := `[{"own":"one","hook":"onInstall","id":"h1","attempt":2},{"own":"one","hook":"this"}]`
		if got := f.get(t, in, "/api/seen"); got != want {
			t.Errorf("the process that serves has seen %s, want %s", got, want)
		}
	})
}

// A disabled instance may lack the config without which it cannot be registered.
func TestHooksOfADisabledInstanceNeedNoRegistration(t *testing.T) {
	t.Parallel()

	f := newFixture(t)
	in := f.install(t, "hooked", files{"index.js": hooked})
	in.Instance.Config = []byte(`{"broken":true}`)
	if status, body := f.tell(t, in, nil, "onInstall", `{}`); status != 204 {
		t.Errorf("answer %d %s, want 204", status, body)
	}
	in = f.install(t, "unloadable", files{"index.js": "throw new Error('no way')"})
	if status, body := f.tell(t, in, nil, "onInstall", `{}`); status != 0 || !strings.Contains(body, "no way") {
		t.Errorf("answer %d %s, want why the plugin cannot be loaded", status, body)
	}
}

// What export returns is answered, of an instance that is enabled or not.
func TestWhatAnExportReturnsIsAnsweredAsJSON(t *testing.T) {
	t.Parallel()

	f := newFixture(t)
	in := f.install(t, "exporting", files{"index.js": `
exports.plugin = async () => {}
exports.lifecycle = { async export ({ userId }, { permissions, platform }) {
  if (userId === 'nobody') return
  if (userId === 'loop') { const a = {}; a.a = a; return a }
  return { userId, permissions, platform: typeof platform.storage.get }
} }`})
	for _, tt := range []struct {
		userID string
		status int
		body   string
	}{
		{"u1", http.StatusOK, `{"userId":"u1","permissions":[],"platform":"function"}`},
		{"nobody", http.StatusNoContent, ""},
		{"loop", http.StatusInternalServerError, "circular"},
	} {
		for name, live := range map[string]*plugin.Installed{"enabled": &in, "disabled": nil} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/__lifecycle/export",
				strings.NewReader(`{"userId":"`+tt.userID+`"}`))
			w := httptest.NewRecorder()
			if err := f.Lifecycle(live).Serve(w, r, &in); err != nil {
				t.Fatal(err)
			}
			if got := w.Body.String(); w.Code != tt.status || !strings.Contains(got, tt.body) {
				t.Errorf("%s, %s: %d %s; want %d %s", tt.userID, name, w.Code, got, tt.status, tt.body)
			}
		}
	}
}

// What a hook prints is in the log of its instance, whichever process it runs in.
func TestHooksPrintIntoTheLogOfTheirInstance(t *testing.T) {
	t.Parallel()

	f := newFixture(t)
	in := f.install(t, "hooked", files{"index.js": `
		exports.default = async () => {}
		exports.lifecycle = { onDisable (body) { console.log('cleaning up for ' + body.config.name) } }`})
	for name, live := range map[string]*plugin.Installed{"serving": &in, "disabled": nil} {
		if status, body := f.tell(t, in, live, "onDisable", `{"name":"`+name+`"}`); status != 204 {
			t.Fatalf("%s: answer %d %s, want 204", name, status, body)
		}
		f.logged(t, in, "cleaning up for "+name)
	}
}

// logged waits until the log of an instance has a line that the plugin printed.
func (f *fixture) logged(tb testing.TB, in plugin.Installed, text string) {
	tb.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		entries, more := f.Logs(in.Instance.ID, 0)
		if slices.ContainsFunc(entries, func(e plugin.LogEntry) bool { return e.Source == "plugin" && e.Message == text }) {
			return
		}
		select {
		case <-more:
		case <-time.After(time.Until(end)):
			tb.Fatalf("no %q in the log %+v", text, entries)
		}
	}
}

// What a client sends to the very path of a hook is a request like any other: it does not
// call the hook, also with the header that stoa uses.
func TestCallsDoNotReachHooks(t *testing.T) {
	t.Parallel()

	f := newFixture(t)
	in := f.install(t, "hooked", files{"index.js": hooked})
	in.Instance.Config = []byte(`{"name":"one"}`)
	srv := f.serve(t, in)
	for _, secret := range []string{"", "-hook", "x-hook"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/__lifecycle/onEnable", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(processHeader, secret)
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("with %q: status %d, want the plugin's own 404", secret, res.StatusCode)
		}
	}
	if got := f.get(t, in, "/api/seen"); got != "[]" {
		t.Errorf("the hooks have seen %s, want nothing", got)
	}
}

func TestHooksInASharedProcess(t *testing.T) {
	t.Parallel()

	f := newFixture(t)
	one := f.install(t, "hooked", files{"index.js": hooked})
	one.Package.Settings.Isolation = plugin.IsolationShared
	one.Instance.ID, one.Instance.Config = "id-of-one", []byte(`{"name":"one"}`)
	two := one
	two.Instance.ID, two.Instance.Config = "id-of-two", []byte(`{"name":"two"}`)
	for _, in := range []plugin.Installed{one, two} {
		if status, body := f.tell(t, in, &in, "onInstall", string(in.Instance.Config)); status != 204 {
			t.Errorf("answer %d %s, want 204", status, body)
		}
	}
	for name, in := range map[string]plugin.Installed{"one": one, "two": two} {
		want := `[{"own":"` + name + `","hook":"onInstall","id":"h1","attempt":2}]`
		if got := f.get(t, in, "/api/seen"); got != want {
			t.Errorf("%s has seen %s, want %s", name, got, want)
		}
	}
}
