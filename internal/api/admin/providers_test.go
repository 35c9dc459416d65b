package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/idptest"
)

const providersPath = "/api/v1/admin/identity-providers"

func TestProvidersAreManagedAndTheirSecretIsNeverShown(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root").Access
		op := idptest.Start(t)
		form := map[string]any{
			"kind": "oidc", "name": "Example", "issuer": op.URL, "clientId": idptest.ClientID, "clientSecret": idptest.Secret,
			"enabled": true,
		}
		put := func(slug string, status int) testkit.Response {
			t.Helper()
			return manage(t, a, root, http.MethodPut, providersPath+"/"+slug, form, status)
		}
		first := put("op", http.StatusOK)
		if first.Text(t, "data.redirectUri") != a.URL+"/auth/oidc/op/callback" || first.Get(t, "data.hasSecret") != true {
			t.Errorf("PUT = %s", first.Body)
		}
		delete(form, "clientSecret") // it stays
		form["name"] = "Another name"
		for _, res := range []testkit.Response{
			put("op", http.StatusOK), a.Do(t, testkit.Get(root, providersPath+"/op")), a.Do(t, testkit.Get(root, providersPath)),
			a.Do(t, testkit.Get(root, "/api/v1/admin/audit?limit=100")),
		} {
			if strings.Contains(string(res.Body), idptest.Secret) {
				t.Errorf("the secret is in %s", res.Body)
			}
		}
		if res := a.Do(t, testkit.Get(root, providersPath+"/op")); res.Get(t, "data.hasSecret") != true || res.Text(t, "data.name") != "Another name" {
			t.Errorf("GET = %s", res.Body)
		}
		testkit.WantError(t, put("twin", http.StatusConflict), http.StatusConflict, "CONFLICT")
		testkit.WantError(t, put("Not_a_slug", http.StatusNotFound), http.StatusNotFound, "NOT_FOUND")

		check := func() testkit.Response { return a.Do(t, testkit.Post(root, providersPath+"/op/test", nil)) }
		if res := check(); res.Get(t, "data.ok") != true {
			t.Errorf("test = %s", res.Body)
		}
		op.Change(func() { op.KeySet = http.NotFound })
		if res := check(); res.Get(t, "data.ok") != false || !strings.Contains(res.Text(t, "data.fault"), "keys") {
			t.Errorf("test of a provider without keys = %s", res.Body)
		}

		for i := range 19 {
			form["issuer"] = fmt.Sprintf("https://id%d.example", i)
			put(fmt.Sprint("p", i), http.StatusOK)
		}
		form["issuer"] = "https://one-more.example"
		testkit.WantError(t, put("one-more", http.StatusConflict), http.StatusConflict, "TOO_MANY")
		put("p0", http.StatusOK) // a change is none more
		if res := a.Do(t, testkit.Delete(root, providersPath+"/op")); res.Text(t, "data.slug") != "op" {
			t.Errorf("DELETE = %s", res.Body)
		}
		testkit.WantError(t, a.Do(t, testkit.Get(root, providersPath+"/op")), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, check(), http.StatusNotFound, "NOT_FOUND")
		if got := audited(t, a, root, "provider.delete"); len(got) != 1 || got[0] != "provider.delete provider:op" {
			t.Errorf("audited: %q", got)
		}
	})
}
