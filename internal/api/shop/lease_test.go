package shop_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/shop/license"
	"stoa/internal/testkit"
)

// leaseClaims verifies a lease with an independent library and returns its
// claims.
func leaseClaims(tb testing.TB, a *testkit.App, raw string) map[string]any {
	tb.Helper()
	var claims jwt.MapClaims
	t, err := jwt.ParseWithClaims(raw, &claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		return licenseKey(tb, a, kid), nil
	}, jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithTimeFunc(a.Clock.Now))
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{
		"alg": "EdDSA", "typ": "license-lease+jwt", "kid": t.Header["kid"],
	}, t.Header); diff != "" {
		tb.Errorf("header (-want +got):\n%s", diff)
	}
	return claims
}

func unix(t time.Time) float64 { return float64(t.Unix()) }

func TestALeaseSaysWhatTheLicenseAllows(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		now := a.Clock.Now()
		for tier, end := range map[string]time.Time{"once": {}, "monthly": now.AddDate(0, 1, 0)} {
			key := a.BuyKey(t, "", tier)
			l := a.Activate(t, key, "Shop.Example")
			path := licensePath("lease", key, " SHOP.example", "&nonce=n-1")
			res := a.Fetch(t, path)
			wantSigned(t, a, "GET", path, "n-1", res)
			expires, grace := now.Add(168*time.Hour), now.Add(240*time.Hour)
			if res.Get(t, "valid") != true || res.Text(t, "expiresAt") != expires.Format("2006-01-02T15:04:05.000Z") ||
				res.Text(t, "graceUntil") != grace.Format("2006-01-02T15:04:05.000Z") {
				t.Fatalf("lease = %d %s", res.Status, res.Body)
			}
			want := map[string]any{
				"iss": a.URL, "sub": l.Text(t, "license.id"),
				"product":    map[string]any{"id": l.Text(t, "license.productId"), "slug": "mail-pack"},
				"instanceId": "shop.example",
				"features":   l.Get(t, "license.features"), "licenseType": l.Text(t, "license.type"),
				"iat": unix(now), "exp": unix(expires), "graceUntil": unix(grace), "nonce": "n-1", "tier": tier,
			}
			if !end.IsZero() {
				want["licenseExpiresAt"] = unix(end)
			}
			if diff := cmp.Diff(want, leaseClaims(t, a, res.Text(t, "lease"))); diff != "" {
				t.Errorf("%s: claims (-want +got):\n%s", tier, diff)
			}
			if strings.Contains(string(res.Body), key[5:16]) {
				t.Error("the lease holds the license key")
			}
		}
	})
}

func TestWhoMayNotUseALicenseGetsNoLease(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "monthly")
	a.Activate(t, key, "a.example")

	lease := func(key, instance string) testkit.Response {
		path := licensePath("lease", key, instance, "")
		res := a.Fetch(t, path)
		wantSigned(t, a, "GET", path, "", res)
		return res
	}
	testkit.WantRefused(t, lease(key, "b.example"), "not_activated")
	testkit.WantRefused(t, lease(key+"X", "a.example"), "not_found")
	res := a.Fetch(t, testkit.Products+"/mail-pack/license/lease?nonce=%20")
	testkit.WantFlatError(t, res, 400, "VALIDATION_ERROR")
	if got := testkit.IssuePaths(t, res); got != "nonce licenseKey instanceId" {
		t.Errorf("issues at %q, want every fault", got)
	}
	testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/other/license/lease?licenseKey=x&instanceId=y"), 404,
		"NOT_FOUND")

	// A lease lasts to the end of the term and not a moment longer.
	a.Clock.Advance(testkit.T0.AddDate(0, 1, 0).Sub(testkit.T0) - 2*time.Second)
	claims := leaseClaims(t, a, lease(key, "a.example").Text(t, "lease"))
	if end := testkit.T0.AddDate(0, 1, 0); claims["exp"] != unix(end) || claims["graceUntil"] != unix(end) {
		t.Errorf("claims = %v, want them to end with the license at %d", claims, end.Unix())
	}
	a.Clock.Advance(2 * time.Second)
	testkit.WantRefused(t, lease(key, "a.example"), "expired")
}

// A lease is in whole seconds and never longer than its license.
func TestALicenseThatEndsWithinTheSecondGetsNoLease(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	a.Clock.Advance(500 * time.Millisecond)
	key := a.BuyKey(t, "", "monthly")
	a.Activate(t, key, "a.example")
	a.Clock.Advance(testkit.T0.AddDate(0, 1, 0).Sub(testkit.T0) - 100*time.Millisecond)
	if res := a.Verify(t, "mail-pack", key, "a.example"); res.Get(t, "valid") != true {
		t.Fatalf("verify = %s", res.Body)
	}
	testkit.WantRefused(t, a.Fetch(t, licensePath("lease", key, "a.example", "")), "expired")
}

func TestLeaseTermsAreConfigurable(t *testing.T) {
	t.Parallel()
	terms := func(ttl, grace time.Duration) testkit.Option {
		return func(_ testing.TB, cfg *app.Config) { cfg.Leases = license.LeaseTerms{TTL: ttl, Grace: grace} }
	}
	a := testkit.NewShop(t, terms(time.Hour, 0))
	key := a.BuyKey(t, "", "once")
	a.Activate(t, key, "a.example")
	claims := leaseClaims(t, a, a.Fetch(t, licensePath("lease", key, "a.example", "")).Text(t, "lease"))
	if end := unix(a.Clock.Now().Add(time.Hour)); claims["exp"] != end || claims["graceUntil"] != end {
		t.Errorf("claims = %v, want an hour without grace", claims)
	}
	if _, err := app.New(t.Context(), testkit.Config(t, terms(time.Second, 0))); err == nil {
		t.Error("a lease of a second is accepted")
	}
}

// A lease has a key and a typ of its own: it is no access token, and no token
// is a lease.
func TestALeaseIsNoOtherToken(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada := a.Register(t, "ada")
	key := a.BuyKey(t, "", "once")
	a.Activate(t, key, "a.example")
	lease := a.Fetch(t, licensePath("lease", key, "a.example", "")).Text(t, "lease")

	for _, req := range []testkit.Request{
		{Method: http.MethodGet, Path: "/auth/me"},
		{Method: http.MethodGet, Path: "/auth/sessions"},
		{Method: http.MethodGet, Path: "/api/v1/admin/users"},
		{Method: http.MethodGet, Path: "/api/v1/platform/config"},
		{
			Method: http.MethodPost, Path: testkit.Products + "/mail-pack/purchase",
			Body: `{"tierId":"once","paymentMethod":"card"}`,
		},
	} {
		req.Token = lease
		if res := a.Do(t, req); res.Status != http.StatusUnauthorized {
			t.Errorf("%s %s with a lease = %d, want 401", req.Method, req.Path, res.Status)
		}
	}
	if res := a.Send(t, "/auth/refresh", map[string]string{
		"refresh_token": lease,
	}); res.Status != http.StatusUnauthorized {
		t.Errorf("refresh with a lease = %d, want 401", res.Status)
	}
	// Conversely, no key that apps know verifies a token.
	for id := range kids(t, a, "/api/marketplace/license-keys") {
		for name, token := range map[string]string{"access": ada.Access, "refresh": ada.Refresh} {
			_, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return licenseKey(t, a, id), nil },
				jwt.WithTimeFunc(a.Clock.Now))
			if err == nil {
				t.Errorf("license key %s verifies the %s token", id, name)
			}
		}
	}
}
