package testkit

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
)

// PayInstances is the path of the instances of the plugin pay (InstallPay).
const PayInstances = "/api/v1/admin/plugins/pay/instances"

// PayConfig returns a complete config of the plugin pay.
func PayConfig() map[string]any { return map[string]any{"apiKey": "k-1", "region": "eu"} }

// InstallPay creates the administrator root and installs the plugin pay, which requires
// a config. It returns the administrator's token and the id of the default instance.
func (a *App) InstallPay(tb testing.TB) (admin, defaultID string) {
	tb.Helper()
	admin = a.Admin(tb, "root").Access
	res := a.Install(tb, admin, "plugin", ExternalPlugin(tb, "pay", map[string]any{
		"permissions": []string{"orders:read", "orders:write"},
		"configSchema": map[string]any{
			"apiKey": map[string]any{"type": "secret", "required": true},
			"region": map[string]any{"type": "string", "required": true},
			"limit":  map[string]any{"type": "number"},
		},
	}))
	if res.Status != http.StatusCreated {
		tb.Fatalf("install: %d\n%s", res.Status, res.Body)
	}
	return admin, res.Text(tb, "data.defaultInstance.installationId")
}

// EchoPath is the path of the plugin echo (InstallEcho) in the shop.
const EchoPath = "/api/v1/shop/plugins/echo"

// Echo is an App with the external plugin echo, which answers with the path of each
// request and records the requests that reach it.
type Echo struct {
	*App

	Admin Tokens
	ID    string // of the default instance

	seen chan *http.Request
}

// InstallEcho creates the administrator root and installs the plugin echo, with changes
// to its manifest.
func (a *App) InstallEcho(tb testing.TB, changes map[string]any) *Echo {
	tb.Helper()
	e := &Echo{App: a, Admin: a.Admin(tb, "root"), seen: make(chan *http.Request, 64)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.seen <- r
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, r.RequestURI)
	}))
	tb.Cleanup(srv.Close)
	m := ExternalManifest("echo", srv.URL)
	maps.Copy(m, changes)
	res := a.Install(tb, e.Admin.Access, "plugin", PluginArchive(tb, m, nil))
	if res.Status != http.StatusCreated {
		tb.Fatalf("install: %d %s", res.Status, res.Body)
	}
	e.ID = res.Text(tb, "data.defaultInstance.installationId")
	return e
}

// Reached returns the next request that reached the plugin, or nil.
func (e *Echo) Reached() *http.Request {
	select {
	case r := <-e.seen:
		return r
	default:
		return nil
	}
}

// Instance creates an instance of the plugin and returns its id.
func (e *Echo) Instance(tb testing.TB, key string) string {
	tb.Helper()
	res := e.Do(tb, Post(e.Admin.Access, "/api/v1/admin/plugins/echo/instances", map[string]any{"instanceKey": key}))
	if res.Status != http.StatusCreated {
		tb.Fatalf("create instance: %d %s", res.Status, res.Body)
	}
	return res.Text(tb, "data.installationId")
}
