package license_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"stoa.example/sdk/go/license"
)

func TestRedirectsAreNotFollowedBecauseTheyWouldLeakTheKey(t *testing.T) {
	t.Parallel()

	var reached atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		reached.Add(1)
		t.Errorf("the target of the redirect received %s with body %q, Referer %q", r.URL, body, r.Referer())
	}))
	defer elsewhere.Close()
	for _, status := range []int{
		http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
	} {
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/steal?"+r.URL.RawQuery, status)
		}))
		defer shop.Close()
		follows := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
		for _, client := range []*http.Client{nil, {}, follows} {
			c := &license.Client{
				BaseURL: shop.URL, Product: "mail-pack", LicenseKey: "STOA-SECRET", Instance: "a.example", HTTP: client,
			}
			wantRedirectError(t, c, status)
		}
		if follows.CheckRedirect == nil || follows.CheckRedirect(nil, nil) != nil {
			t.Error("the app's own client was changed")
		}
	}
	if reached.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

func wantRedirectError(t *testing.T, c *license.Client, status int) {
	t.Helper()
	ctx := context.Background()
	for name, call := range map[string]func() error{
		"Activate": func() error { _, err := c.Activate(ctx); return err },
		"Verify":   func() error { _, err := c.Verify(ctx); return err },
		"Check":    func() error { _, err := c.Check(ctx); return err },
	} {
		err := call()
		if err == nil || !strings.Contains(err.Error(), "redirect") || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s with status %d = %v, want an error that names the redirect and not the key", name, status, err)
		}
	}
}
