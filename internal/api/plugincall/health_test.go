package plugincall_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa/internal/testkit"
)

const ownHealth = `{"status":"mine"}`

// A plugin answers /health whenever it answers that path in any way. Only for one whose
// answer is 404 the platform does.
func TestHealthIsThePluginsOwnUnlessItIs404(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	platforms := func(slug string) string {
		return fmt.Sprintf(`{"status":"ok","slug":%q,"version":"1.0.0"}`, slug)
	}
	for slug, p := range map[string]struct {
		source string
		status int
		body   string
	}{
		"nothing":   {"", 200, platforms("nothing")},
		"route":     {"app.get('/health', async () => ({ status: 'mine' }))", 200, ownHealth},
		"wildcard":  {"app.get('/*', async () => ({ status: 'mine' }))", 200, ownHealth},
		"notfound":  {"app.setNotFoundHandler((req, reply) => reply.code(200).send({ status: 'mine' }))", 200, ownHealth},
		"missing":   {"app.setNotFoundHandler((req, reply) => reply.code(404).send({ status: 'mine' }))", 200, platforms("missing")},
		"unhealthy": {"app.get('/health', async (req, reply) => reply.code(503).send({ status: 'mine' }))", 503, ownHealth},
		"raw": {
			"app.get('/health', (req, reply) => { reply.hijack(); reply.raw.writeHead(404, { 'x-own': '1' }); reply.raw.end('none') })",
			200, platforms("raw"),
		},
	} {
		res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.InternalManifest(slug, "index.js"),
			map[string]string{"index.js": "module.exports = async (app) => { " + p.source + " }"}))
		if res.Status != http.StatusCreated {
			t.Fatalf("install of %s: %d %s", slug, res.Status, res.Body)
		}
		res = a.DoUnchecked(t, testkit.Get("", "/api/v1/shop/plugins/"+slug+"/health"))
		if res.Status != p.status || string(res.Body) != p.body || res.Header.Get("X-Own") != "" {
			t.Errorf("%s = %d %s with %v, want %d %s", slug, res.Status, res.Body, res.Header, p.status, p.body)
		}
	}
}

func TestThePlatformAnswersForExternalPluginsWithoutHealth(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Own", "1")
		w.Header().Set("Trailer", "X-Sum")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "a page that says so")
		w.Header().Set("X-Sum", "1")
	}))
	t.Cleanup(srv.Close)
	a := testkit.New(t)
	res := a.Install(t, a.Admin(t, "root").Access, "plugin",
		testkit.PluginArchive(t, testkit.ExternalManifest("far", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	const path = "/api/v1/shop/plugins/far"
	for method, body := range map[string]string{"GET": `{"status":"ok","slug":"far","version":"1.0.0"}`, "HEAD": ""} {
		res := a.DoUnchecked(t, testkit.Request{Method: method, Path: path + "/health"})
		if res.Status != http.StatusOK || string(res.Body) != body || res.Header.Get("X-Own") != "" {
			t.Errorf("%s = %d %s with %v", method, res.Status, res.Body, res.Header)
		}
	}
	if res := a.DoUnchecked(t, testkit.Get("", path+"/api/health")); res.Status != http.StatusNotFound {
		t.Errorf("another path = %d", res.Status)
	}
}
