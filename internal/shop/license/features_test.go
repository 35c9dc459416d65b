package license

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa/internal/base/text"
	"stoa/internal/shop/license/lease"
	"stoa/internal/shop/product"
	"stoa/internal/trust/keyring"
)

// readableLease is the longest lease that sdk/go and sdk/js accept.
const readableLease = 256 << 10

// A license with as many features as allowed, each as long as allowed, still gets a lease that apps
// accept. The characters tried are those that HTML-safe JSON makes six bytes long, and those of four bytes
// in UTF-8.
func TestTheLargestLeaseIsReadable(t *testing.T) {
	t.Parallel()

	for name, char := range map[string]string{
		"HTML": "<", "quotes": `"`, "four bytes": "\U0001F600", "next to DEL": "~",
	} {
		features := slices.Repeat([]string{strings.Repeat(char, text.Short)}, maxFeatures)
		if is := (Change{Features: &features}).Issues(); is.Len() > 0 {
			t.Fatalf("%s: features = %v, want them allowed", name, is)
		}
		claims := lease.Claims{
			Issuer: "https://" + strings.Repeat("i", 253), Subject: strings.Repeat("s", 32),
			Product:    lease.Product{ID: strings.Repeat("p", 32), Slug: strings.Repeat("s", product.MaxSlug)},
			InstanceID: strings.Repeat(char, maxInstanceID), Features: features, LicenseType: string(Subscription),
			LicenseExpiresAt: 1 << 37, IssuedAt: 1 << 37, ExpiresAt: 1 << 37, GraceUntil: 1 << 37,
			Tier: strings.Repeat("t", 64), Nonce: strings.Repeat("n", 128),
		}
		raw, err := lease.Sign(keyring.GenerateKey(), claims)
		if err != nil || len(raw) > readableLease-1024 {
			t.Errorf("%s: a lease of %d bytes, %v; want at most %d", name, len(raw), err, readableLease-1024)
		}
	}
	// The separators are the only characters that encoding/json always escapes.
	separator := []string{"a\u2028b"}
	more := slices.Repeat([]string{"x"}, maxFeatures+1)
	for _, features := range [][]string{separator, {"a\u2029b"}, more, {strings.Repeat("x", text.Short+1)}} {
		if is := (Change{Features: &features}).Issues(); is.Len() != 1 {
			t.Errorf("%d features, first of %d bytes: %v, want one issue", len(features), len(features[0]), is)
		}
	}
}

func TestATierHasNoMoreFeaturesThanALicenseMayHave(t *testing.T) {
	t.Parallel()

	read := func(features int) error {
		return product.ReadCatalog([]byte(fmt.Sprintf(`products: [{
			slug: a, name: A, category: c, shortDescription: s, description: d, icon: /i.svg,
			pricingTiers: [{id: t, name: T, price: 0, currency: EUR, features: [%s]}]}]`,
			strings.TrimSuffix(strings.Repeat("x,", features), ","))), false).Err()
	}
	if err := read(1); err != nil {
		t.Errorf("one feature = %v", err)
	}
	if err := read(maxFeatures + 1); err == nil {
		t.Errorf("%d features are taken", maxFeatures+1)
	}
}

// Browsers remove dot segments from addresses, so nobody could deactivate such an instance.
func TestDotSegmentsAreNotInstanceIDs(t *testing.T) {
	t.Parallel()

	for id, want := range map[string]bool{
		".": false, "..": false, " .. ": false, "...": true, ".a": true, "a.": true, "a..b": true,
	} {
		if _, ok := normalInstanceID(id); ok != want {
			t.Errorf("normalInstanceID(%q) = %t, want %t", id, ok, want)
		}
		is := UseRequest{LicenseKey: "k", InstanceID: id}.Issues()
		if (is.Len() == 0) != want || !want && is.List()[0].Path != "instanceId" {
			t.Errorf("Issues with %q = %v", id, is)
		}
	}
}
