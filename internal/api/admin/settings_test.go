package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

const (
	settingsPath     = "/api/v1/admin/settings"
	shopSettingsPath = "/api/v1/shop/settings"
)

// What an administrator sets is what buyers see next, and null takes it back.
func TestSettingsAreWhatBuyersSee(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.NewShop(t, append(options, func(_ testing.TB, cfg *app.Config) { cfg.Name = "Old name" })...)
		root := a.Admin(t, "root").Access
		res := a.Do(t, testkit.Get("", shopSettingsPath))
		if res.Text(t, "data.shopName") != "Old name" || res.Get(t, "data.accent") != nil ||
			res.Text(t, "data.payments") != "test" || res.Get(t, "data.sellsPaid") != true ||
			res.Get(t, "data.registration.minPasswordLength") != 6.0 {
			t.Errorf("settings of a new shop: %s", res.Body)
		}
		before := a.Do(t, testkit.Get(root, settingsPath))
		if before.Get(t, "data.shopName") != nil || before.Text(t, "data.defaultShopName") != "Old name" {
			t.Errorf("administrators see %s", before.Body)
		}
		changed := manage(t, a, root, http.MethodPatch, settingsPath, map[string]any{
			"shopName": "Acme & Söhne", "accent": "#0F766E", "supportEmail": "help@acme.example",
			"supportUrl": "https://acme.example/help", "termsUrl": "http://acme.example/terms?v=2",
		}, http.StatusOK, before.Header.Get("ETag"))
		if changed.Header.Get("ETag") == before.Header.Get("ETag") || changed.Get(t, "data.updatedAt") == nil {
			t.Errorf("after a change: %v %s", changed.Header, changed.Body)
		}
		res = a.Do(t, testkit.Get("", shopSettingsPath))
		if res.Text(t, "data.shopName") != "Acme & Söhne" || res.Text(t, "data.accent") != "#0f766e" ||
			res.Text(t, "data.termsUrl") != "http://acme.example/terms?v=2" || res.Get(t, "data.privacyUrl") != nil {
			t.Errorf("buyers see %s", res.Body)
		}
		page := a.Do(t, testkit.Get("", "/register"))
		if !strings.Contains(string(page.Body), "<title>Create an account · Acme &amp; Söhne</title>") {
			t.Errorf("the page does not name the shop:\n%.300s", page.Body)
		}
		a.Do(t, testkit.Post("", "/auth/forgot-password", map[string]string{"email": "root@example.com"}))
		if mails := a.Mails(t); len(mails) != 1 || !strings.Contains(mails[0].Text, "at Acme & Söhne") {
			t.Errorf("mails do not name the shop: %v", mails)
		}
		manage(t, a, root, http.MethodPatch, settingsPath, `{"shopName":null,"accent":"","termsUrl":null}`, http.StatusOK)
		res = a.Do(t, testkit.Get("", shopSettingsPath))
		if res.Text(t, "data.shopName") != "Old name" || res.Get(t, "data.accent") != nil ||
			res.Get(t, "data.termsUrl") != nil || res.Text(t, "data.supportEmail") != "help@acme.example" {
			t.Errorf("after null: %s", res.Body)
		}
		page = a.Do(t, testkit.Get("", "/register"))
		if !strings.Contains(string(page.Body), "<title>Create an account · Old name</title>") {
			t.Errorf("the page keeps a name that is gone:\n%.300s", page.Body)
		}
	})
}

// Two administrators do not overwrite each other, and a change that changes nothing leaves no
// trace.
func TestSettingsChangeUnderTheirETagOnly(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root").Access
		tag := a.Do(t, testkit.Get(root, settingsPath)).Header.Get("ETag")
		manage(t, a, root, http.MethodPatch, settingsPath, `{"shopName":"One"}`, http.StatusOK, tag)
		stale := manage(t, a, root, http.MethodPatch, settingsPath, `{"shopName":"Two"}`, http.StatusPreconditionFailed, tag)
		testkit.WantError(t, stale, http.StatusPreconditionFailed, "PRECONDITION_FAILED")
		now := manage(t, a, root, http.MethodPatch, settingsPath, `{"shopName":"One"}`, http.StatusOK)
		if now.Text(t, "data.shopName") != "One" {
			t.Errorf("after a stale change: %s", now.Body)
		}
		if got := strings.Join(audited(t, a, root, "settings"), ", "); got != "settings.update settings:" {
			t.Errorf("audit log: %s", got)
		}
	})
}

func TestSettingsRefuseWhatNoPageMayShow(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	root := a.Admin(t, "root").Access
	for body, want := range map[string]string{
		`{"shopName":"` + strings.Repeat("ä", 65) + `"}`:                       "shopName",
		`{"shopName":"a\nb"}`:                                                  "shopName",
		`{"shopName":" a"}`:                                                    "shopName",
		`{"shopName":7,"accent":false}`:                                        "shopName accent",
		`{"accent":"red"}`:                                                     "accent",
		`{"accent":"#12345"}`:                                                  "accent",
		`{"accent":"#1234567"}`:                                                "accent",
		`{"supportEmail":"Ann <a@example.com>"}`:                               "supportEmail",
		`{"supportEmail":"nobody"}`:                                            "supportEmail",
		`{"supportEmail":"` + strings.Repeat("a", 251) + `@b.c"}`:              "supportEmail",
		`{"supportUrl":"javascript:alert(1)","termsUrl":"/terms"}`:             "supportUrl termsUrl",
		`{"privacyUrl":"https://u:p@example.com"}`:                             "privacyUrl",
		`{"privacyUrl":"https://example.com/\"><script>"}`:                     "privacyUrl",
		`{"termsUrl":"https://example.com/` + strings.Repeat("a", 2048) + `"}`: "termsUrl",
		`{"archiveTypes":[".md"]}`:                                             "archiveTypes",

		`{"archiveTypes":{"widget":[".md"],"plugin":".md","bundle":[7]}}`:        "archiveTypes.bundle archiveTypes.plugin archiveTypes.widget",
		`{"archiveTypes":{"plugin":[".md",".node",".SH","*","../x"," .wasm "]}}`: "archiveTypes.plugin[1] archiveTypes.plugin[2] archiveTypes.plugin[3] archiveTypes.plugin[4] archiveTypes.plugin[5]",
		`{"archiveTypes":{"plugin":[` + strings.Repeat(`".a",`, 64) + `".a"]}}`:  "archiveTypes.plugin",
	} {
		res := a.Do(t, testkit.Patch(root, settingsPath, body))
		if got := testkit.IssuePaths(t, res); res.Status != http.StatusBadRequest || got != want {
			t.Errorf("PATCH %.60s = %d, faults of %q, want of %q", body, res.Status, got, want)
		}
	}
	ok := `{"shopName":"` + strings.Repeat("ä", 64) + `","termsUrl":"https://example.com/` + strings.Repeat("a", 2028) + `"}`
	manage(t, a, root, http.MethodPatch, settingsPath, ok, http.StatusOK)
	user := a.Register(t, "ada").Access
	for token, want := range map[string]int{"": http.StatusUnauthorized, user: http.StatusForbidden} {
		if res := a.Do(t, testkit.Patch(token, settingsPath, `{"shopName":"Mine"}`)); res.Status != want {
			t.Errorf("PATCH = %d, want %d", res.Status, want)
		}
		if res := a.Do(t, testkit.Get(token, settingsPath)); res.Status != want {
			t.Errorf("GET = %d, want %d", res.Status, want)
		}
	}
}
