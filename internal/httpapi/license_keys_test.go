package httpapi_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// kids returns the ids of the keys at an address.
func kids(t *testing.T, a *testkit.App, path string) map[string]bool {
	t.Helper()
	res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: path})
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

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		const path = "/api/marketplace/license-keys"
		tokens, licenses := kids(t, a, "/.well-known/jwks.json"), kids(t, a, path)
		if len(licenses) != 2 {
			t.Fatalf("%d licence keys, want the current and the next", len(licenses))
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
			t.Errorf("after a rotation of licence keys there are %d of them and %d of tokens, want 3 and %d", len(after), len(again), len(tokens))
		}
	})
}
