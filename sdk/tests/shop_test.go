// Package tests runs the Go SDK against a real stoa. It belongs to the module of
// the server, so that the SDK's own module depends on nothing, not even in tests.
package tests

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"stoa.example/sdk/go/license"

	"stoa/internal/testkit"
)

// vendor is a stoa that sells the product mail-pack.
func vendor(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.New(t)
	a.SellMailPack(t)
	return a
}

// network is a transport that can be cut, or lead to an impostor.
type network struct {
	http.RoundTripper

	cut      bool
	impostor http.Handler
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case n.cut:
		return nil, errors.New("no route to host")
	case n.impostor != nil:
		rec := httptest.NewRecorder()
		n.impostor.ServeHTTP(rec, r)
		return rec.Result(), nil
	}
	return n.RoundTripper.RoundTrip(r)
}

func mustActivate(t *testing.T, c *license.Client) {
	t.Helper()
	if _, err := c.Activate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// install buys a license and returns an installation of the app.
func install(t *testing.T, a *testkit.App) (*license.Client, *network) {
	t.Helper()
	keys, err := license.ParseJWKS(publicKeys(t, a))
	if err != nil {
		t.Fatal(err)
	}
	wire := &network{RoundTripper: a.Client.Transport}
	return &license.Client{
		BaseURL: a.URL + "/", Product: "mail-pack", LicenseKey: a.BuyMailPack(t), Instance: "A.example", Keys: keys,
		Store: license.FileStore(filepath.Join(t.TempDir(), "lease.json")),
		HTTP:  &http.Client{Transport: wire}, Now: a.Clock.Now,
	}, wire
}

// publicKeys returns the key set that a vendor publishes.
func publicKeys(t *testing.T, a *testkit.App) []byte {
	t.Helper()
	return a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"}).Body
}

// clientOf returns the same installation after a restart, with this store.
func clientOf(c *license.Client, store license.Store) *license.Client {
	return &license.Client{
		BaseURL: c.BaseURL, Product: c.Product, LicenseKey: c.LicenseKey, Instance: c.Instance, Keys: c.Keys,
		Store: store, HTTP: c.HTTP, Now: c.Now,
	}
}

func wantState(t *testing.T, c *license.Client, online bool, state license.State) {
	t.Helper()
	s, err := c.Check(t.Context())
	if err != nil || s.Online != online || s.State != state || (s.Cause == nil) != online {
		t.Fatalf("Check = online %v, %s, %v (%v); want online %v, %s", s.Online, s.State, err, s.Cause, online, state)
	}
}
