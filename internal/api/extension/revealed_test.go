package extension_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

const payPath = "/api/v1/admin/plugins/pay"

// keyed is the archive of the plugin pay in a version whose schema has that field apiKey, or none.
func keyed(tb testing.TB, number string, apiKey object) []byte {
	tb.Helper()
	schema := object{"region": object{"type": "string"}}
	if apiKey != nil {
		schema["apiKey"] = apiKey
	}
	return testkit.ExternalPlugin(tb, "pay", object{"version": number, "configSchema": schema})
}

// A value that was secret is not readable because another version of the plugin does not call it so.
func TestASecretIsNotReadableInAnotherVersion(t *testing.T) {
	t.Parallel()

	secret := object{"type": "secret"}
	config, hidden := object{"apiKey": "hunter2", "region": "eu"}, object{"apiKey": "", "region": "eu"}
	gone := object{"region": "eu"}
	steps := []struct {
		name string
		do   func(tb testing.TB, a *testkit.App, admin string) testkit.Response
		want object
	}{
		{"secret in other words", upgradeTo(object{"type": "text", "sensitive": true}), hidden},
		{"a field that is not secret", upgradeTo(object{"type": "string"}), gone},
		{"no field", upgradeTo(nil), gone},
		{"the same version again", func(tb testing.TB, a *testkit.App, admin string) testkit.Response {
			tb.Helper()
			return a.Do(tb, testkit.Request{
				Method: http.MethodPost, Path: extensions + "/plugin/install?replace=true", Token: admin,
				Body: keyed(tb, "1.0.0", nil), Header: http.Header{"Content-Type": {"application/zip"}},
			})
		}, gone},
		{"a bundle", func(tb testing.TB, a *testkit.App, admin string) testkit.Response {
			tb.Helper()
			return a.Install(tb, admin, "bundle", testkit.Bundle(tb, testkit.BundleManifest("starter", "1.0.0", payItem()),
				map[string][]byte{"items/pay.zip": keyed(tb, "1.1.0", nil)}))
		}, gone},
		{"a rollback", func(tb testing.TB, a *testkit.App, admin string) testkit.Response {
			tb.Helper()
			upgradeTo(secret)(tb, a, admin)
			return a.Do(tb, post(admin, payPath+"/rollback"))
		}, gone},
	}
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		for _, step := range steps {
			first := secret
			if step.name == "a rollback" { // to a version that does not know the field
				first = nil
			}
			at := testkit.PayInstances + "/" + mustInstall(t, a, admin, "plugin", keyed(t, "1.0.0", first), http.StatusCreated).
				Text(t, "data.defaultInstance.installationId")
			a.Do(t, testkit.Patch(admin, at, object{"enabled": false, "config": config})) // nothing is probed
			before := a.Do(t, testkit.Get(admin, at)).Header.Get("ETag")
			if res := step.do(t, a, admin); res.Status >= 300 {
				t.Fatalf("%s: %d %s", step.name, res.Status, res.Body)
			}
			res := a.Do(t, testkit.Get(admin, at))
			if diff := cmp.Diff(step.want, res.Get(t, "data.config")); diff != "" {
				t.Errorf("%s: config (-want +got):\n%s", step.name, diff)
			}
			if changed := before != res.Header.Get("ETag"); changed != (len(step.want) == 1) {
				t.Errorf("%s: a new ETag: %v", step.name, changed)
			}
			// What is gone is not back with the version that calls it secret.
			if step.name == "no field" {
				res := a.Do(t, post(admin, payPath+"/rollback"))
				if res.Status != http.StatusOK || a.Do(t, testkit.Get(admin, at)).
					Get(t, "data.configMeta.secretFields.apiKey.configured") != false {
					t.Errorf("after the rollback: %d %s", res.Status, a.Do(t, testkit.Get(admin, at)).Body)
				}
			}
			a.Do(t, remove(admin, starter))
			if res := a.Do(t, remove(admin, payPath+"?purge=true")); res.Status != http.StatusOK {
				t.Fatalf("purge = %d %s", res.Status, res.Body)
			}
		}
	})
}

func upgradeTo(apiKey object) func(testing.TB, *testkit.App, string) testkit.Response {
	return func(tb testing.TB, a *testkit.App, admin string) testkit.Response {
		tb.Helper()
		return a.Install(tb, admin, "plugin", keyed(tb, "1.1.0", apiKey))
	}
}

// An enabled instance does not lose a value that the next version requires.
func TestARequiredFieldThatIsNoLongerSecretStopsAnUpgrade(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	a.Install(t, admin, "plugin", keyed(t, "1.0.0", object{"type": "secret"}))
	at := testkit.PayInstances + "/" + instanceOf(t, a, admin, "default")["installationId"].(string)
	a.Do(t, testkit.Patch(admin, at, object{"config": object{"apiKey": "hunter2"}}))
	needy := keyed(t, "1.1.0", object{"type": "string", "required": true})
	res := a.Install(t, admin, "plugin", needy)
	testkit.WantError(t, res, http.StatusUnprocessableEntity, "UPGRADE_FAILED")
	if got := testkit.IssuePaths(t, res); got != "instances.default.config.apiKey" {
		t.Errorf("issues = %q", got)
	}
	if res := a.Do(t, testkit.Get(admin, at)); res.Get(t, "data.configMeta.secretFields.apiKey.configured") != true {
		t.Errorf("instance = %s", res.Body)
	}
	a.Do(t, testkit.Patch(admin, at, object{"enabled": false}))
	if res := a.Install(t, admin, "plugin", needy); res.Status != http.StatusOK {
		t.Errorf("upgrade of what is disabled = %d %s", res.Status, res.Body)
	}
}
