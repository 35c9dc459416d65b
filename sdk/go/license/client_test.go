package license_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/sdk/go/license"
)

// vendor is a stoa that sells mail-pack.
func vendor(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.New(t)
	a.SellMailPack(t)
	return a
}

// network is a transport that can be cut, or answered by somebody else.
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

// install buys a licence and returns an installation of the app.
func install(t *testing.T, a *testkit.App) (*license.Client, *network) {
	t.Helper()
	keys, err := license.ParseJWKS(a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/license-keys"}).Body)
	if err != nil {
		t.Fatal(err)
	}
	wire := &network{RoundTripper: a.Client.Transport}
	return &license.Client{
		BaseURL: a.URL + "/", Product: "mail-pack", LicenseKey: a.BuyMailPack(t), Instance: "A.example", Keys: keys,
		Store: license.FileStore(filepath.Join(t.TempDir(), "lease.json")), HTTP: &http.Client{Transport: wire}, Now: a.Clock.Now,
	}, wire
}

// clientOf is the same installation with another store, started anew.
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

func TestAnAppGoesOnWithoutNetworkAsLongAsItsLease(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)

	var refused *license.Refused
	if _, err := c.Check(t.Context()); !errors.As(err, &refused) || refused.Code != "not_activated" {
		t.Fatalf("Check before activation = %v, want refused: not_activated", err)
	}
	for range 2 {
		if l, err := c.Activate(t.Context()); err != nil || l.CurrentInstances != 1 || l.Status != "active" {
			t.Fatalf("Activate = %+v, %v", l, err)
		}
	}
	if l, err := c.Verify(t.Context()); err != nil || l.Features[0] != "templates" || l.ExpiresAt.IsZero() {
		t.Fatalf("Verify = %+v, %v", l, err)
	}
	wantState(t, c, true, license.Valid)
	wire.cut = true
	wantState(t, c, false, license.Valid)
	a.Clock.Advance(7*24*time.Hour - time.Second)
	wantState(t, c, false, license.Valid)
	a.Clock.Advance(time.Second)
	wantState(t, c, false, license.Grace)
	a.Clock.Advance(3 * 24 * time.Hour)
	wantState(t, c, false, license.Expired)

	// The clock set back: not while offline, and forgiven by the vendor's word.
	a.Clock.Advance(-5 * 24 * time.Hour)
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrClock) {
		t.Errorf("Check with the clock set back = %v, want ErrClock", err)
	}
	wire.cut = false
	wantState(t, c, true, license.Valid)
	wire.cut = true
	wantState(t, c, false, license.Valid)
}

func TestOnlyTheVendorCanSpeakForTheVendor(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	// Answers of the vendor's, to play back.
	var recorded http.Handler
	record := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		res, err := wire.RoundTripper.RoundTrip(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		recorded = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range res.Header {
				w.Header()[name] = values
			}
			w.WriteHeader(res.StatusCode)
			_, _ = w.Write(body)
		})
		recorded.ServeHTTP(w, r)
	})
	wire.impostor = record
	wantState(t, c, true, license.Valid)

	says := func(status int, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	for name, impostor := range map[string]http.Handler{
		"an old answer":   recorded,
		"a grant":         says(200, `{"valid":true,"license":{},"features":["everything"]}`),
		"a refusal":       says(200, `{"valid":false}`),
		"a captive page":  says(200, "<html>"),
		"an error":        says(500, `{"error":"INTERNAL_ERROR","message":"x"}`),
		"that it is gone": says(404, `{"error":"NOT_FOUND","message":"x"}`),
	} {
		wire.impostor = impostor
		if _, err := c.Verify(t.Context()); !errors.Is(err, license.ErrUnsigned) {
			t.Errorf("Verify with %s = %v, want ErrUnsigned", name, err)
		}
		wantState(t, c, false, license.Valid)
	}

	// Without a lease there is nothing to fall back to, and no error holds the key.
	c = clientOf(c, nil)
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrNoLease) || !errors.Is(err, license.ErrUnsigned) || strings.Contains(err.Error(), c.LicenseKey[5:16]) {
		t.Errorf("Check without a lease = %v", err)
	}
	wire.cut = true
	if _, err := c.Activate(t.Context()); err == nil || strings.Contains(err.Error(), c.LicenseKey[5:16]) || strings.Contains(err.Error(), "/api/") {
		t.Errorf("Activate without network = %v", err)
	}
}

func TestASignedRefusalEndsTheLease(t *testing.T) {
	t.Parallel()
	a := vendor(t)
	c, wire := install(t, a)
	mustActivate(t, c)
	wantState(t, c, true, license.Valid)
	other, _ := install(t, a)
	other.LicenseKey, other.Instance = c.LicenseKey, "b.example"
	var failed *license.Error
	if _, err := other.Activate(t.Context()); !errors.As(err, &failed) || failed.Code != "ACTIVATION_FAILED" || failed.Status != 400 {
		t.Errorf("a second Activate = %v, want ACTIVATION_FAILED", err)
	}
	if _, err := c.Deactivate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Activate(t.Context()); err != nil {
		t.Errorf("Activate after the seat was given back: %v", err)
	}
	wantState(t, other, true, license.Valid)
	a.Clock.Advance(40 * 24 * time.Hour) // past the term
	var refused *license.Refused
	if _, err := other.Check(t.Context()); !errors.As(err, &refused) || refused.Code != "expired" {
		t.Errorf("Check after the term = %v, want refused: expired", err)
	}
	if _, err := c.Offline(); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Offline after the seat was given back = %v, want ErrNoLease", err)
	}
	for name, client := range map[string]*license.Client{"refused": other, "and started anew": clientOf(other, other.Store)} {
		if _, err := client.Offline(); !errors.As(err, &refused) || refused.Code != "expired" {
			t.Errorf("Offline of who was %s = %v, want refused: expired", name, err)
		}
	}
	wire.cut = true
	if _, err := c.Check(t.Context()); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Check without lease and network = %v", err)
	}
	c.Product = "other"
	wire.cut = false
	if _, err := c.Check(t.Context()); !errors.As(err, &failed) || failed.Code != "NOT_FOUND" {
		t.Errorf("Check of an unknown product = %v, want NOT_FOUND", err)
	}
}

func TestFileStore(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	s := license.FileStore(filepath.Join(dir, "lease"))
	if data, err := s.Load(); data != nil || err != nil {
		t.Errorf("Load of nothing = %q, %v", data, err)
	}
	for _, text := range []string{"one", "two"} {
		if err := s.Save([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := s.Load(); string(data) != text || err != nil {
			t.Errorf("Load = %q, %v; want %q", data, err, text)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%d files in the folder, %v; want one", len(files), err)
	}
	if err := license.FileStore(filepath.Join(dir, "none", "lease")).Save(nil); err == nil {
		t.Error("Save in a folder that is not there succeeds")
	}
	if err := license.FileStore(dir).Save(nil); err == nil {
		t.Error("Save over a folder succeeds")
	}
	if files, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(files) != 1 {
		t.Errorf("%d files beside the folder, %v; want none", len(files)-1, err)
	}
	c := license.Client{Store: s}
	if _, err := c.Offline(); !errors.Is(err, license.ErrNoLease) {
		t.Errorf("Offline with a damaged file = %v, want ErrNoLease", err)
	}
}
