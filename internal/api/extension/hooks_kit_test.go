package extension_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/message/delivery"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
	"stoa/internal/trust/signing"
)

const pluginsPath = "/api/v1/admin/plugins/"

// hookKit is a stoa with the external plugin hooked, which has every hook.
type hookKit struct {
	*testkit.App

	admin  string
	base   string // of the service
	secret string
	// onlyEnds says that secret signs hooks at the end of an instance only.
	onlyEnds bool

	mu     sync.Mutex
	got    []call
	answer func(c call) int
	more   func(w http.ResponseWriter) // of the answer, after its status; nil for nothing
	header http.Header                 // of the answer
}

// call is a request that the service got.
type call struct {
	path, key, id, attempt string
	token, platform        string
	permissions            string
	body                   map[string]any
}

func newHookKit(t *testing.T, a *testkit.App) *hookKit {
	t.Helper()
	k := &hookKit{App: a, admin: a.Admin(t, "root").Access}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { k.take(t, w, r) }))
	t.Cleanup(srv.Close)
	k.base = srv.URL + "/svc"
	return k
}

func (k *hookKit) take(t *testing.T, w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.URL.Path == "/svc/health" {
		return
	}
	c := call{path: r.URL.Path, id: r.Header.Get("X-Hook-Id"), attempt: r.Header.Get("X-Hook-Attempt")}
	if err := json.Unmarshal(raw, &c.body); err != nil || r.Method != http.MethodPost {
		t.Errorf("%s %s has the body %s: %v", r.Method, c.path, raw, err)
	}
	c.key = r.Header.Get("X-Installation-Key")
	c.token, c.platform = r.Header.Get("X-Platform-Token"), r.Header.Get("X-Platform-Api-Base-Url")
	c.permissions = r.Header.Get("X-Plugin-Permissions")
	ends := strings.HasSuffix(c.path, "onDisable") || strings.HasSuffix(c.path, "onUninstall")
	if k.secret != "" && (ends || !k.onlyEnds) {
		if err := signing.VerifyRequest([]string{k.secret}, r, signing.BodyHash(raw), k.Clock.Now()); err != nil {
			t.Errorf("%s is not signed: %v", c.path, err)
		}
	}
	k.got = append(k.got, c)
	maps.Copy(w.Header(), k.header)
	if k.answer != nil {
		w.WriteHeader(k.answer(c))
	}
	if k.more != nil {
		k.more(w)
	}
}

// calls returns what the service got, without what it got before forget.
func (k *hookKit) calls() []call {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.got)
}

// names returns the calls as "instance hook".
func (k *hookKit) names() []string {
	names := []string{}
	for _, c := range k.calls() {
		names = append(names, c.key+" "+strings.TrimPrefix(c.path, "/svc/__lifecycle/"))
	}
	return names
}

func (k *hookKit) forget() { k.mu.Lock(); defer k.mu.Unlock(); k.got = nil }

// manifest returns the manifest of a version of the plugin.
func (k *hookKit) manifest(version string) map[string]any {
	m := testkit.ExternalManifest("hooked", k.base)
	m["version"] = version
	m["configSchema"] = map[string]any{"apiKey": map[string]any{"type": "secret"}}
	m["lifecycle"] = map[string]any{
		"onInstall": true, "onEnable": true, "onDisable": true, "onUninstall": true, "onUpgrade": true,
	}
	return m
}

func (k *hookKit) install(t *testing.T, changes map[string]any, query string) testkit.Response {
	t.Helper()
	m := k.manifest("1.0.0")
	maps.Copy(m, changes)
	return k.Do(t, testkit.Request{
		Method: http.MethodPost, Path: extensions + "/plugin/install" + query, Token: k.admin,
		Body: testkit.PluginArchive(t, m, nil), Header: http.Header{"Content-Type": {"application/zip"}},
	})
}

// do makes a request that must succeed.
func (k *hookKit) do(t *testing.T, r testkit.Request) testkit.Response {
	t.Helper()
	res := k.Do(t, r)
	if res.Status >= 300 {
		t.Fatalf("%s %s: %d %s", r.Method, r.Path, res.Status, res.Body)
	}
	return res
}

// instance creates an instance and returns its path.
func (k *hookKit) instance(t *testing.T, key string, enabled bool) string {
	t.Helper()
	res := k.do(t, testkit.Post(k.admin, pluginsPath+"hooked/instances", map[string]any{
		"instanceKey": key, "enabled": enabled, "config": map[string]any{"apiKey": "of " + key},
	}))
	return pluginsPath + "hooked/instances/" + res.Text(t, "data.installationId")
}

// path returns the path of the default instance.
func (k *hookKit) path(t *testing.T) string {
	t.Helper()
	res := k.do(t, testkit.Get(k.admin, pluginsPath+"hooked/instances"))
	for _, in := range items(t, res) {
		if in["instanceKey"] == "default" {
			return pluginsPath + "hooked/instances/" + in["installationId"].(string)
		}
	}
	t.Fatalf("no default instance in %s", res.Body)
	return ""
}

// items returns the items of a list.
func items(t *testing.T, res testkit.Response) []map[string]any {
	t.Helper()
	var list []map[string]any
	for _, item := range res.Get(t, "data.items").([]any) {
		list = append(list, item.(map[string]any))
	}
	return list
}

// quiet waits until nothing that is due is left.
func (k *hookKit) quiet(t *testing.T) {
	t.Helper()
	waittest.True(t, "nothing is due", func() bool {
		var n int
		err := k.DB.Conn().Read.QueryRowContext(t.Context(), `
			SELECT (SELECT count(*) FROM events WHERE NOT spread)
				+ (SELECT count(*) FROM delivery_queues WHERE due_ms <= $1 OR lease <> '')`,
			database.Millis(k.Clock.Now())).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
}

// events returns the types of all events since the last call.
func (k *hookKit) events(t *testing.T) []string {
	t.Helper()
	list, err := database.Texts(t.Context(), k.DB.Conn().Read,
		`SELECT type FROM events WHERE type <> 'user.registered' ORDER BY seq`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.DB.Conn().Write.ExecContext(t.Context(), `DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	return append([]string{}, list...)
}

// later moves the clock and wakes the deliveries that are due by then.
func (k *hookKit) later(d time.Duration) {
	k.Clock.Advance(d)
	k.DB.Conn().Announce(store.NewIn(delivery.Plugins))
}

// sorted returns the names of each instance together, which are in order; those of
// different instances may arrive in any.
func sorted(names []string) []string {
	slices.SortStableFunc(names, func(a, b string) int {
		a, _, _ = strings.Cut(a, " ")
		b, _, _ = strings.Cut(b, " ")
		return strings.Compare(a, b)
	})
	return names
}
