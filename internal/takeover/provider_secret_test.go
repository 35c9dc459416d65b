package takeover_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/idptest"
)

// The secret of a client is never shown, nor sent to a server that whoever changes its provider has chosen: it belongs
// to the provider for which it was entered.
func TestTheSecretOfAClientGoesToNoOtherProvider(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		evil := idptest.Start(t)
		put := func(slug string, changes map[string]any) testkit.Response {
			form := map[string]any{}
			for name, value := range o.form {
				form[name] = value
			}
			delete(form, "clientSecret")
			for name, value := range changes {
				form[name] = value
			}
			return w.Do(t, testkit.Request{
				Method: http.MethodPut, Path: "/api/v1/admin/identity-providers/" + slug, Token: w.admin.Access, Body: form,
			})
		}
		for name, changes := range map[string]map[string]any{
			"another issuer": {"issuer": evil.URL},
			"another kind":   {"kind": "github", "issuer": "", "verifiesAddresses": false},
		} {
			res := put("op", changes)
			testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
			if got := testkit.IssuePaths(t, res); got != "clientSecret" {
				t.Errorf("%s: the issues are of %q, want clientSecret", name, got)
			}
		}
		(&traveler{w: w}).honest(t, o, "ada", victims, "ada") // the provider gets the secret as before

		// Everything else may change without it, and with a secret, or none, the issuer too.
		for name, changes := range map[string]map[string]any{
			"the same":       {"name": "Another name"},
			"a new secret":   {"issuer": evil.URL, "clientSecret": "another"},
			"its secret":     {"clientSecret": idptest.Secret},
			"without secret": {"issuer": evil.URL, "clientSecret": ""},
		} {
			if res := put("op", changes); res.Status != http.StatusOK {
				t.Errorf("%s: %d %s", name, res.Status, res.Body)
			}
			put("op", map[string]any{"clientSecret": idptest.Secret})
		}
		// A provider that had no secret has none to give away.
		put("op", map[string]any{"clientSecret": ""})
		if res := put("op", map[string]any{"issuer": evil.URL}); res.Status != http.StatusOK {
			t.Errorf("of a provider without a secret: %d %s", res.Status, res.Body)
		}
	})
}
