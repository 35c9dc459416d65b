package browser_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// hostilePage tries everything that would make a plugin's page the shop's. The paths are
// relative, so that it can be tried without stoa, too.
const hostilePage = `<!doctype html><meta name="referrer" content="no-referrer"><title>hostile</title><output></output>
<script>
(async () => {
  const tried = {}
  const attempt = async (what, fn) => {
    try { tried[what] = await fn() } catch (e) { tried[what] = 'refused' }
  }
  await attempt('frame', () => new Promise((resolve, reject) => {
    const frame = document.createElement('iframe')
    frame.onload = () => frame.contentDocument?.title ? resolve('read') : reject()
    frame.src = '/reset-password'
    document.body.append(frame)
  }))
  await attempt('worker for /', () => navigator.serviceWorker.register('worker.js', {scope: '/'}).then(() => 'registered'))
  await attempt('worker for its folder', () => navigator.serviceWorker.register('worker.js').then(() => 'registered'))
  await attempt('storage', () => localStorage.getItem('token'))
  await attempt('cookies', () => /own=1/.test(document.cookie) ? 'read' : 'none')
  await attempt('fetch', () => fetch('/reset-password', {cache: 'no-store'}).then((r) => r.text()).then(() => 'read'))
  await attempt('origin', () => self.origin === 'null' ? 'none' : 'its own')
  const out = document.querySelector('output')
  out.textContent = JSON.stringify(tried)
})()
</script>`

// hostilePlugin serves the page and a worker that asks for all of the origin. Outside of
// stoa it serves what the page wants to read, too.
func hostilePlugin(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Service-Worker-Allowed", "/")
		switch {
		case strings.HasSuffix(r.URL.Path, "/worker.js"):
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, `onfetch = (e) => e.respondWith(new Response('owned'))`)
		case strings.HasSuffix(r.URL.Path, "/page"):
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, hostilePage)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<title>secret</title>")
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// visit opens the hostile page and returns what became of its attempts.
func (b tab) visit(t *testing.T, path string) map[string]any {
	t.Helper()
	for _, text := range []string{"ServiceWorker", "service worker", "sandbox", "frame", "CORS policy"} {
		b.do(t, "expect", text) // what browsers say of attempts that they refuse
	}
	b.do(t, "ignore", "/reset-password")
	b.open(t, path)
	b.do(t, "status", "^{")
	var text string
	tried := map[string]any{}
	if err := json.Unmarshal(b.do(t, "run", "document.querySelector('output').textContent"), &text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &tried); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return tried
}

// workers returns the scopes of the origin's service workers.
func (b tab) workers(t *testing.T) string {
	t.Helper()
	return string(b.do(t, "run",
		"navigator.serviceWorker.getRegistrations().then((all) => all.map((r) => new URL(r.scope).pathname))"))
}

// The page is no paper tiger: on an origin of its own all of it works.
func TestHostilePageWorksWithoutStoa(t *testing.T) {
	t.Parallel()
	srv := hostilePlugin(t)
	b := newTabAt(t, srv.URL)
	b.open(t, "/any")
	b.do(t, "run", "localStorage.setItem('token', 'secret'); document.cookie = 'own=1'")
	want := map[string]any{
		"worker for /": "registered", "worker for its folder": "registered", "storage": "secret", "cookies": "read",
		"fetch": "read", "frame": "read", "origin": "its own",
	}
	if diff := cmp.Diff(want, b.visit(t, "/api/page")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A plugin's page runs in the browser, but not as the shop: it registers no service
// worker and reads none of stoa's pages, tokens and cookies. With allowSameOrigin it may,
// except that its worker gets no more than its own folder.
func TestAPluginsPageIsNotTheShop(t *testing.T) {
	t.Parallel()
	srv := hostilePlugin(t)
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("evil", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	const page = "/api/v1/shop/plugins/evil/api/page"
	b := newTab(t, a)
	b.open(t, "/reset-password?token=secret")
	b.do(t, "run", "localStorage.setItem('token', 'secret'); document.cookie = 'own=1'")
	want := map[string]any{
		"worker for /": "refused", "worker for its folder": "refused", "storage": "refused", "cookies": "refused",
		"fetch": "refused", "frame": "refused", "origin": "none",
	}
	if diff := cmp.Diff(want, b.visit(t, page)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.open(t, "/reset-password?token=secret")
	if got := b.workers(t); got != "[]" {
		t.Errorf("after a visit there are service workers for %s", got)
	}
}

// With allowSameOrigin a plugin's worker still gets no more than the plugin's folder.
func TestAWorkerThatIsAllowedGetsItsFolderOnly(t *testing.T) {
	t.Parallel()
	srv := hostilePlugin(t)
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("evil", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/evil", map[string]any{"allowSameOrigin": true}))
	const folder = "/api/v1/shop/plugins/evil/api/"
	b := newTab(t, a)
	b.do(t, "expect", "is not under the max scope allowed")
	b.open(t, folder+"blank")
	for scope, want := range map[string]string{"/": `"refused"`, folder: `"registered"`} {
		got := b.do(t, "run", "navigator.serviceWorker.register('worker.js', {scope: '"+scope+
			"'}).then(() => 'registered', () => 'refused')")
		if string(got) != want {
			t.Errorf("a worker for %s is %s, want %s", scope, got, want)
		}
	}
	b.open(t, "/reset-password?token=secret")
	if got := b.workers(t); got != `["`+folder+`"]` {
		t.Errorf("there are service workers for %s", got)
	}
	if got := b.do(t, "run", "navigator.serviceWorker.controller === null"); string(got) != "true" {
		t.Error("a page of stoa is controlled by the plugin's worker")
	}
}
