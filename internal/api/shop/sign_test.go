package shop_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// kids returns the ids of the keys at a path.
func kids(t *testing.T, a *testkit.App, path string) map[string]bool {
	t.Helper()
	res := a.Fetch(t, path)
	keys, _ := res.Get(t, "keys").([]any)
	ids := make(map[string]bool)
	for _, k := range keys {
		id, _ := k.(map[string]any)["kid"].(string)
		ids[id] = true
	}
	return ids
}

func TestLicenseKeysAreKeysOfTheirOwn(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		const path = "/api/marketplace/license-keys"
		tokens, licenses := kids(t, a, "/.well-known/jwks.json"), kids(t, a, path)
		if len(licenses) != 2 {
			t.Fatalf("%d license keys, want the current and the next", len(licenses))
		}
		for id := range licenses {
			if tokens[id] {
				t.Errorf("key %s is of both purposes", id)
			}
		}
		if _, err := a.LicenseKeys.Rotate(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		after := kids(t, a, path)
		for id := range licenses {
			if !after[id] {
				t.Errorf("key %s is gone after a rotation: what it signed verifies no more", id)
			}
		}
		if again := kids(t, a, "/.well-known/jwks.json"); len(after) != 3 || len(again) != len(tokens) {
			t.Errorf("after a rotation of license keys there are %d of them and %d of tokens, want 3 and %d",
				len(after), len(again), len(tokens))
		}
	})
}

func TestEveryVerifyAnswerIsSigned(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "monthly")
	a.Activate(t, key, "shop.example:8080")

	signed := func(method, path, nonce string, status int, code string) {
		t.Helper()
		res := a.Do(t, testkit.Request{Method: method, Path: path})
		if res.Status != status || res.Header.Get("X-License-Code") != code {
			t.Errorf("%s = %d with code %q, want %d with %q", path, res.Status, res.Header.Get("X-License-Code"),
				status, code)
		}
		wantSigned(t, a, method, path, nonce, res)
	}
	longest := strings.Repeat("aZ0-._~x", 16)
	signed("GET", licensePath("verify", key, "shop.example:8080", ""), "", 200, "")
	signed("GET", licensePath("verify", key, "shop.example:8080", "&nonce="+longest), longest, 200, "")
	signed("HEAD", licensePath("verify", key, "shop.example:8080", "&nonce=n"), "n", 200, "")
	signed("GET", licensePath("verify", key, "other.example", "&nonce=n"), "n", 200, "not_activated")
	signed("GET", licensePath("verify", key+"X", "a b ä+&=?", "&nonce=n"), "n", 200, "not_found")
	signed("GET", testkit.Products+"/mail-pack/license/verify", "", 400, "")
	signed("GET", testkit.Products+"/mail-pack/license/verify?nonce=n", "n", 400, "")
	signed("GET", testkit.Products+"/other%20p%61ck/license/verify?licenseKey=x&instanceId=y", "", 404, "")
	a.Clock.Advance(40 * 24 * time.Hour)
	signed("GET", licensePath("verify", key, "shop.example:8080", ""), "", 200, "expired")

	// After a rotation the new key signs, and signatures of the old one still
	// verify.
	path := licensePath("verify", key, "shop.example:8080", "")
	before := a.Fetch(t, path)
	if _, err := a.LicenseKeys.Rotate(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	signed("GET", path, "", 200, "expired")
	wantSigned(t, a, "GET", path, "", before)

	keys := a.Fetch(t, "/api/marketplace/license-keys") // before the database is gone
	if err := a.DB.Close(); err != nil || keys.Status != http.StatusOK {
		t.Fatal(err)
	}
	signed("GET", licensePath("verify", key, "shop.example:8080", "&nonce=n"), "n", 500, "")
}

func TestABadNonceIsRefusedAndNotEchoed(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")

	for _, nonce := range []string{
		"", "a%20b", "a%22", "%C3%A4", "a%0d%0ab", "a%5C", strings.Repeat("n", 129), "a&nonce=a",
	} {
		path := licensePath("verify", key, "a.example", "&nonce="+nonce)
		res := a.Fetch(t, path)
		testkit.WantFlatError(t, res, 400, "VALIDATION_ERROR")
		if got := testkit.IssuePaths(t, res); got != "nonce" {
			t.Errorf("nonce %q: issues at %q", nonce, got)
		}
		wantSigned(t, a, "GET", path, "", res)
	}
	res := a.Fetch(t, testkit.Products+"/mail-pack/license/verify?nonce=")
	if got := testkit.IssuePaths(t, res); got != "nonce licenseKey instanceId" {
		t.Errorf("issues at %q, want every fault", got)
	}
}
