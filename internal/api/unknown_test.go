package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/testkit"
)

// A change that names a field that does not exist would change nothing, and nobody would notice. What
// a GET shows may be sent back (contract 1.5).
func TestChangesRefuseUnknownFields(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, id := a.InstallPay(t)
	pack, inst, set := "/api/v1/admin/plugins/pay", "/api/v1/admin/plugins/pay/instances/"+id, "/api/v1/admin/settings"
	tests := []struct {
		path, body string
		want       []string
		message    string // a part of it
	}{
		{pack, `{"settings":{"keepRunning":true}}`, []string{"settings unknown_field"}, "Send keepRunning itself"},
		{pack, `{"settings":{}}`, []string{"settings unknown_field"}, "settings is not a field here. Did you mean "},
		{pack, `{"timeoutms":5000}`, []string{"timeoutms unknown_field"}, "Did you mean timeoutMs?"},
		{pack, `{"AllowCookies":true}`, []string{"AllowCookies unknown_field"}, "Did you mean allowCookies?"},
		{pack, `{"allowAuthorisation":true}`, []string{"allowAuthorisation unknown_field"}, "Did you mean allowAuthorization?"},
		{
			pack, `{"nonsuch":1,"timeoutMs":1,"allowCookies":7}`,
			[]string{"nonsuch unknown_field", "allowCookies wrong_type", "timeoutMs out_of_range"},
			"nonsuch is not a field here.",
		},
		{inst, `{"enable":false}`, []string{"enable unknown_field"}, "Did you mean enabled?"},
		{inst, `{"permissions":[]}`, []string{"permissions unknown_field"}, "Did you mean grantedPermissions?"},
		{inst, `{"data":{"enabled":false}}`, []string{"data unknown_field"}, "Send enabled itself"},
		{inst, `{"nonsuch":1,"enabled":"no"}`, []string{"nonsuch unknown_field", "enabled wrong_type"}, ""},
		{set, `{"settings":{"shopName":"Acme"}}`, []string{"settings unknown_field"}, "Send shopName itself"},
		{set, `{"shopname":"Acme","accent":"red"}`, []string{"shopname unknown_field", "accent invalid"}, "Did you mean shopName?"},
		{set, `{"":"x"}`, []string{" unknown_field"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			t.Parallel()
			res := a.Do(t, testkit.Request{Method: "PATCH", Path: tt.path, Token: admin, Body: tt.body})
			if diff := cmp.Diff(tt.want, issuesOf(t, res)); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
			if !strings.Contains(res.Text(t, "error.message"), tt.message) {
				t.Errorf("message = %q, want %q in it", res.Text(t, "error.message"), tt.message)
			}
		})
	}
}

func TestWhatWasReadMayBeSentBack(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.ArchiveTypes = extension.Types{extension.Plugin: {".txt", "license"}, extension.ThemeShop: {".svg"}}
	})
	admin, id := a.InstallPay(t)
	for _, path := range []string{
		"/api/v1/admin/plugins/pay", "/api/v1/admin/plugins/pay/instances/" + id, "/api/v1/admin/settings",
	} {
		before := a.Do(t, testkit.Get(admin, path))
		shown, _ := before.Get(t, "data").(map[string]any)
		if settings, ok := shown["settings"].(map[string]any); ok { // one level below
			delete(shown, "settings")
			for name, value := range settings {
				shown[name] = value
			}
		}
		body, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		res := a.Do(t, testkit.Request{Method: "PATCH", Path: path, Token: admin, Body: string(body)})
		if res.Status != http.StatusOK {
			t.Errorf("%s sent back: %d %s", path, res.Status, res.Body)
		}
		// What cannot be changed is ignored.
		res = a.Do(t, testkit.Request{Method: "PATCH", Path: path, Token: admin, Body: `{"updatedAt":"2001-01-01T00:00:00.000Z"}`})
		if res.Status != http.StatusOK {
			t.Errorf("%s with updatedAt: %d %s", path, res.Status, res.Body)
		}
	}
	// A body full of unknown fields is answered all the same.
	many := make(map[string]int)
	for i := range 50_000 {
		many[strings.Repeat("x", i%15)+string(rune('a'+i%26))+strings.Repeat("y", i/1000)] = i
	}
	res := a.Do(t, testkit.Request{Method: "PATCH", Path: "/api/v1/admin/settings", Token: admin, Body: many})
	testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
}
