package extension_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// What a bundle adds to a config counts with what is there, also where neither is too large by itself.
func TestAConfigThatABundleFillsInHasItsLimit(t *testing.T) {
	t.Parallel()

	const limit = 65536
	const there = limit / 2 // without the name and the quotes
	around := len(`{"apiKey":"k","a":"","b":""}`)
	cases := []struct{ name, version string }{
		{"what is installed", "1.0.0"}, {"an upgrade", "1.1.0"}, {"a restore", "1.0.0"},
	}
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		for _, tt := range cases {
			mustInstall(t, a, admin, "plugin", pay(t, "1.0.0"), http.StatusCreated)
			at := testkit.PayInstances + "/" + instanceOf(t, a, admin, "default")["installationId"].(string)
			a.Do(t, testkit.Patch(admin, at, object{
				"enabled": false, "config": object{"apiKey": "k", "a": strings.Repeat("a", there)},
			}))
			if tt.name == "a restore" {
				a.Do(t, remove(admin, payPath))
			}
			bundle := func(b int) []byte {
				in := object{"instanceKey": "default", "config": object{"b": strings.Repeat("b", b)}}
				return testkit.Bundle(t, testkit.BundleManifest("starter", "1.0.0", payItem(in)),
					map[string][]byte{"items/pay.zip": pay(t, tt.version)})
			}
			res := a.Install(t, admin, "bundle", bundle(limit-there-around+1))
			testkit.WantError(t, res, http.StatusBadRequest, "INVALID_BUNDLE")
			if got := testkit.IssuePaths(t, res); got != "items[0].instances[0].config" {
				t.Errorf("%s: issues = %q %s", tt.name, got, res.Body)
			}
			mustInstall(t, a, admin, "bundle", bundle(limit-there-around), http.StatusCreated)
			if got := instanceOf(t, a, admin, "default")["config"].(object); len(got) != 3 {
				t.Errorf("%s: the config has %d values", tt.name, len(got))
			}
			a.Do(t, remove(admin, starter))
			a.Do(t, remove(admin, payPath+"?purge=true"))
		}
	})
}
