package extension_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

func TestSigningSecretRotates(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "pay", nil))
		a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "other", nil))
		path := "/api/v1/admin/plugins/pay/secret"
		rotate := testkit.Post(admin, path+"/rotate", nil)
		secret := func(res testkit.Response) map[string]any { return res.Get(t, "data").(map[string]any) }

		first := a.Do(t, testkit.Get(admin, path))
		one, _ := secret(first)["secret"].(string)
		if len(one) < 43 || len(secret(first)) != 1 || first.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("secret = %s, Cache-Control %q", first.Body, first.Header.Get("Cache-Control"))
		}
		if a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/other/secret")).Text(t, "data.secret") == one {
			t.Error("two packages have one secret")
		}
		rotated := secret(a.Do(t, rotate))
		until := testkit.T0.Add(24 * time.Hour).Format("2006-01-02T15:04:05.000Z")
		two, _ := rotated["secret"].(string)
		if two == one || rotated["previousSecret"] != one || rotated["previousUntil"] != until {
			t.Errorf("rotated = %v, want a new secret, the old one until %s", rotated, until)
		}
		a.Clock.Advance(24*time.Hour - time.Millisecond)
		admin = a.Login(t, "root").Access
		if diff := cmp.Diff(rotated, secret(a.Do(t, testkit.Get(admin, path)))); diff != "" {
			t.Errorf("a moment before the end (-want +got):\n%s", diff)
		}
		a.Clock.Advance(time.Millisecond)
		if diff := cmp.Diff(map[string]any{"secret": two}, secret(a.Do(t, testkit.Get(admin, path)))); diff != "" {
			t.Errorf("24 h after (-want +got):\n%s", diff)
		}
		testkit.WantError(t, a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/nope/secret")), http.StatusNotFound,
			"NOT_FOUND")
		testkit.WantError(t, a.Fetch(t, path), http.StatusUnauthorized, "UNAUTHORIZED")
	})
}
