package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/examples/plugins"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/run/node"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/nodetest"
)

// inspect returns an example's archive and manifest as an install reads them.
func inspect(tb testing.TB, name string, overrides map[string]any) (*archive.Contents, plugin.Manifest) {
	tb.Helper()
	content, err := plugins.Archive(name, overrides)
	if err != nil {
		tb.Fatal(err)
	}
	contents, err := archive.Inspect(bytes.NewReader(content), int64(len(content)), plugin.Registry{}.Profile())
	if err != nil {
		tb.Fatal(err)
	}
	m, err := plugin.ParseManifest(contents.Manifest, contents.Has)
	if err != nil {
		tb.Fatal(err)
	}
	return contents, m
}

// install installs an example in a stoa and returns its default instance's id.
func install(t *testing.T, a *testkit.App, admin, name string, overrides map[string]any) (id string) {
	t.Helper()
	archive, err := plugins.Archive(name, overrides)
	if err != nil {
		t.Fatal(err)
	}
	res := a.Install(t, admin, "plugin", archive)
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	return res.Text(t, "data.defaultInstance.installationId")
}

func TestEveryExampleIsAnInstallablePackage(t *testing.T) {
	t.Parallel()
	for _, name := range append(plugins.Names(), "order-reports", "wish-lists", "wish-lists/1.0.0", "newsletter", "newsletter-go", "delivery-dates") {
		if _, m := inspect(t, name, nil); m.Slug != strings.TrimSuffix(name, "/1.0.0") {
			t.Errorf("%s: the slug is %q", name, m.Slug)
		}
	}
	if _, err := plugins.Archive("unknown", nil); err == nil {
		t.Error("an unknown plugin: no error")
	}
}

func TestTheSameArchiveEachTime(t *testing.T) {
	t.Parallel()
	for _, overrides := range []map[string]any{nil, {"externalBaseUrl": "http://127.0.0.1:9", "name": "x"}} {
		first, err1 := plugins.Archive("loyalty-points", overrides)
		second, err2 := plugins.Archive("loyalty-points", overrides)
		if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Errorf("overrides %v: two archives differ (%v, %v)", overrides, err1, err2)
		}
	}
}

func TestOverridesReplaceManifestFields(t *testing.T) {
	t.Parallel()
	_, m := inspect(t, "loyalty-points", map[string]any{"externalBaseUrl": "http://127.0.0.1:9"})
	if m.ExternalBaseURL != "http://127.0.0.1:9" || m.Name != "Loyalty points" {
		t.Errorf("got %q of %q", m.ExternalBaseURL, m.Name)
	}
}

// running is an internal example in a real process.
type running struct {
	*node.Runtime

	in plugin.Installed
}

func run(tb testing.TB, name string, config map[string]any) *running {
	tb.Helper()
	contents, manifest := inspect(tb, name, nil)
	dir := tb.TempDir()
	files := filepath.Join(dir, "plugins", name, "1")
	if err := os.MkdirAll(files, 0o755); err != nil {
		tb.Fatal(err)
	}
	root, err := os.OpenRoot(files)
	if err != nil {
		tb.Fatal(err)
	}
	defer root.Close()
	if err := contents.ExtractTo(root); err != nil {
		tb.Fatal(err)
	}
	text, err := json.Marshal(config)
	if err != nil {
		tb.Fatal(err)
	}
	const long = 2 * time.Minute // the machine may be busy
	children := child.New(child.Config{Log: logtest.New(tb), ProbeTimeout: long})
	rt := node.New(node.Config{
		Log: logtest.New(tb), Children: children, DataDir: dir, CacheDir: nodetest.CacheDir(),
		Stall: long, StartTimeout: long, StartWait: long,
	})
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), time.Minute)
		defer cancel()
		if err := errors.Join(rt.Close(ctx), children.Close()); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return &running{rt, plugin.Installed{
		Package:  plugin.Package{InstallPath: "plugins/" + name + "/1", Manifest: manifest},
		Instance: plugin.Instance{ID: "installation-" + name, Slug: name, Enabled: true, Config: text, Version: 1},
	}}
}

// call returns the status and the answer as JSON.
func (r *running) call(tb testing.TB, method, target, body string) (int, map[string]any) {
	tb.Helper()
	req := httptest.NewRequestWithContext(tb.Context(), method, target, strings.NewReader(body))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	if err := r.Serve(w, req, &r.in); err != nil {
		tb.Fatalf("%s %s: %v", method, target, err)
	}
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		tb.Fatalf("%s %s: %v: %s", method, target, err, w.Body)
	}
	return w.Code, answer
}

func TestGiftNotes(t *testing.T) {
	t.Parallel()
	p := run(t, "gift-notes", nil)

	status, answer := p.call(t, http.MethodPost, "/api/notes", `{"to":"Ada <b>","from":"Grace","occasion":"birthday"}`)
	html, _ := answer["html"].(string)
	if status != http.StatusOK || answer["fits"] != true || !strings.Contains(html, "<p>Dear Ada &lt;b&gt;,</p>") {
		t.Errorf("note: %d %v", status, answer)
	}
	if status, answer = p.call(t, http.MethodPost, "/api/notes",
		`{"to":"Ada","from":"Grace","message":"`+strings.Repeat("long ", 100)+`"}`); status != http.StatusOK ||
		answer["fits"] != false {
		t.Errorf("long note: %d %v", status, answer)
	}
	for _, body := range []string{`{"to":"Ada","from":"Grace"}`, `{"from":"Grace"}`, `{`} {
		if status, answer = p.call(t, http.MethodPost, "/api/notes", body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", body, status, answer)
		}
	}
	if status, answer = p.call(t, http.MethodGet, "/health", ""); status != http.StatusOK || answer["status"] != "ok" ||
		answer["slug"] != "gift-notes" {
		t.Errorf("health: %d %v", status, answer)
	}
}

func TestShippingRates(t *testing.T) {
	t.Parallel()
	p := run(t, "shipping-rates", map[string]any{
		"originCountry": "DE", "currency": "EUR", "baseRate": 4.9, "freeFrom": 50, "carrierApiKey": "demo-carrier-key",
	})

	tests := []struct {
		query string
		zone  string
		price float64
	}{
		{"country=de&weight=1", "domestic", 4.9},
		{"country=DE&weight=1.1", "domestic", 5.64},
		{"country=DE&weight=1&subtotal=50", "domestic", 0},
		{"country=FR&weight=1&subtotal=50", "neighbour", 8.82},
		{"country=US&weight=1", "world", 22.05},
	}
	for _, tt := range tests {
		status, quote := p.call(t, http.MethodGet, "/api/quote?"+tt.query, "")
		services, _ := quote["services"].([]any)
		if status != http.StatusOK || len(services) == 0 || quote["zone"] != tt.zone {
			t.Errorf("%s: %d %v", tt.query, status, quote)
			continue
		}
		if got := services[0].(map[string]any)["price"]; got != tt.price {
			t.Errorf("%s: got price %v, want %v", tt.query, got, tt.price)
		}
	}

	_, quote := p.call(t, http.MethodGet, "/api/quote?country=FR&weight=2", "")
	token, _ := quote["token"].(string)
	if _, answer := p.call(t, http.MethodPost, "/api/quote/verify", `{"token":"`+token+`"}`); answer["valid"] != true {
		t.Errorf("own quote: %v", answer)
	}
	if _, answer := p.call(t, http.MethodPost, "/api/quote/verify",
		`{"token":"A`+token+`"}`); answer["reason"] != "forged" {
		t.Errorf("changed quote: %v", answer)
	}
	if status, answer := p.call(t, http.MethodGet, "/api/quote?country=France&weight=0",
		""); status != http.StatusBadRequest {
		t.Errorf("bad query: %d %v", status, answer)
	}
	// It has none: the gateway answers for it (contract 5.10).
	if status, answer := p.call(t, http.MethodGet, "/health", ""); status != http.StatusNotFound {
		t.Errorf("health: %d %v", status, answer)
	}
}
