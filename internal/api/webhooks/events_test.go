package webhooks_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account/leave"
	"stoa/internal/data/database"
	"stoa/internal/testkit"
)

// recorded is an event without id and time.
type recorded struct {
	Type string
	Data map[string]string
}

// events returns the events since the last call, and deletes them.
func events(t *testing.T, a *testkit.App) []recorded {
	t.Helper()
	list, err := database.All(t.Context(), a.DB.Conn().Read, func(row database.Scanner) (e recorded, err error) {
		var data string
		if err := row.Scan(&e.Type, &data); err != nil {
			return e, err
		}
		err = json.Unmarshal([]byte(data), &e.Data)
		return e, err
	}, `SELECT type, data_json FROM events ORDER BY seq`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.DB.Conn().Write.ExecContext(t.Context(), `DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	return list
}

// Each operation of accounts and the market records what it did, once, with ids only.
func TestOperationsTellTheirEvents(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "root").Access
		a.ImportCatalog(t)
		if got := events(t, a); len(got) != 0 {
			t.Errorf("an administrator of the command line and a catalog record %v", got)
		}
		want := func(what string, list ...recorded) {
			t.Helper()
			got := events(t, a)
			if diff := cmp.Diff(got, append([]recorded(nil), list...)); diff != "" {
				t.Errorf("%s (-got +want):\n%s", what, diff)
			}
		}
		ada := a.Register(t, "ada")
		want("register", recorded{"user.registered", map[string]string{"userId": ada.UserID}})

		bought := a.Buy(t, ada.Access, "once")
		orderID := bought.Text(t, "orderId")
		o := a.StoredOrder(t, orderID)
		license := map[string]string{"licenseId": o.LicenseID, "productId": o.ProductID, "userId": ada.UserID}
		order := map[string]string{"orderId": orderID, "licenseId": o.LicenseID, "productId": o.ProductID, "userId": ada.UserID}
		want("purchase", recorded{"order.paid", order}, recorded{"license.issued", license})

		key := bought.Text(t, "licenseKey")
		a.Activate(t, key, "shop.example.com")
		want("activate", recorded{"license.activated", license})
		a.Activate(t, key, "shop.example.com")
		want("activate again")
		a.Deactivate(t, key, "shop.example.com")
		want("deactivate", recorded{"license.deactivated", license})
		a.Deactivate(t, key, "shop.example.com")
		want("deactivate again")
		a.Refund(t, admin, orderID)
		want("refund", recorded{"order.refunded", order}, recorded{"license.revoked", license})
		a.Refund(t, admin, orderID)
		want("refund again")

		guest := a.Buy(t, "", "free")
		g := a.StoredOrder(t, guest.Text(t, "orderId"))
		nobodys := map[string]string{"licenseId": g.LicenseID, "productId": g.ProductID}
		want("purchase of a guest",
			recorded{"order.paid", map[string]string{"orderId": g.ID, "licenseId": g.LicenseID, "productId": g.ProductID}},
			recorded{"license.issued", nobodys})
		revoke := testkit.Post(admin, "/api/v1/admin/licenses/"+g.LicenseID+"/revoke", nil)
		a.Do(t, revoke)
		want("revoke", recorded{"license.revoked", nobodys})
		a.Do(t, revoke)
		want("revoke again")

		granted := a.Do(t, testkit.Post(admin, "/api/v1/admin/licenses", map[string]any{
			"productSlug": "mail-pack", "tierId": "once", "userId": ada.UserID,
		}))
		want("grant", recorded{"license.issued", map[string]string{
			"licenseId": granted.Text(t, "data.id"), "productId": o.ProductID, "userId": ada.UserID,
		}})

		monthly := a.StoredOrder(t, a.Buy(t, ada.Access, "monthly").Text(t, "orderId"))
		events(t, a)
		its := map[string]string{"licenseId": monthly.LicenseID, "productId": o.ProductID, "userId": ada.UserID}
		renew := testkit.Post(admin, "/api/v1/admin/licenses/"+monthly.LicenseID+"/renew",
			map[string]any{"periods": 1, "reference": "in_1"})
		a.Do(t, renew)
		want("renew", recorded{"license.renewed", its})
		a.Do(t, renew)
		want("renew for the same payment")

		theme := testkit.ThemePack(t, "aurora", "1.0.0", nil, nil)
		about := map[string]string{"kind": "theme-shop", "slug": "aurora"}
		a.Install(t, admin, "theme-shop", theme)
		want("install a theme", recorded{"extension.installed", about})
		a.Install(t, admin, "theme-shop", theme)
		want("install a theme again")
		a.Do(t, testkit.Delete(admin, "/api/v1/admin/extensions/theme-shop/aurora"))
		want("uninstall a theme", recorded{"extension.uninstalled", about})
	})
}

// Whoever keeps users' addresses by what events tell has the present one, and knows whether it is proven.
func TestWhatBecomesOfAnAddressTellsItsEvents(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		link := func(page string) (token string) {
			t.Helper()
			for _, m := range a.AllMails(t) {
				if _, after, ok := strings.Cut(m.Text, "/"+page+"#"); ok {
					token, _, _ = strings.Cut(after, "\n")
				}
			}
			if token == "" {
				t.Fatalf("no link to /%s was mailed", page)
			}
			return token
		}
		send := func(bearer, path string, body map[string]string) {
			t.Helper()
			if res := a.Do(t, testkit.Post(bearer, path, body)); res.Status/100 != 2 {
				t.Fatalf("POST %s = %d %s", path, res.Status, res.Body)
			}
		}
		want := func(what, kind, userID string) {
			t.Helper()
			if diff := cmp.Diff(events(t, a), []recorded{{kind, map[string]string{"userId": userID}}}); diff != "" {
				t.Errorf("%s (-got +want):\n%s", what, diff)
			}
		}
		ada := a.Register(t, "ada")
		events(t, a)
		send("", "/auth/forgot-password", map[string]string{"email": "ada@example.com"})
		reset := map[string]string{"token": link("reset-password"), "newPassword": "a completely new one"}
		send("", "/auth/reset-password", reset)
		want("a reset of an unproven account", "user.email_verified", ada.UserID)

		bob := a.Register(t, "bob")
		events(t, a)
		send(bob.Access, "/auth/email/change", map[string]string{"newEmail": "thief@example.net"})
		send(bob.Access, "/auth/email/change/confirm", map[string]string{"token": link("change-email")})
		want("a change", "user.email_changed", bob.UserID)
		send("", "/auth/email/change/revert", map[string]string{"token": link("revert-email")})
		want("a change that is taken back", "user.email_changed", bob.UserID)

		eve := a.Register(t, "eve")
		events(t, a)
		send("", "/auth/email/disown", map[string]string{"token": link("disown")})
		want("an account that is disowned", "user.email_changed", eve.UserID)
		gone := a.Register(t, "gone")
		events(t, a)
		if err := a.Leaving.Erase(t.Context(), gone.UserID, leave.Confirmation{Username: "gone"}); err != nil {
			t.Fatal(err)
		}
		want("an account that is removed", "user.deleted", gone.UserID)
	})
}

// An instance gets the events it subscribes to while it is enabled and may, and no client
// reaches the path where it gets them.
func TestPluginsGetTheEventsTheySubscribeTo(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		k := newAddress(t, a)
		m := testkit.ExternalManifest("listener", strings.TrimSuffix(k.url, "/hook?key=1"))
		m["permissions"] = []string{"events:subscribe"}
		m["events"] = map[string]any{"subscribe": []string{"user.*"}, "path": "/api/on/events"}
		res := k.Install(t, k.admin, "plugin", testkit.PluginArchive(t, m, nil))
		if res.Status != http.StatusCreated {
			t.Fatalf("install: %d %s", res.Status, res.Body)
		}
		k.quiet(t)
		k.answer(http.StatusOK)
		ada := k.Register(t, "ada")
		k.quiet(t)
		got := k.messages()
		if len(got) != 1 {
			t.Fatalf("%d messages, want one", len(got))
		}
		var body struct {
			ID, Type, OccurredAt string
			Data                 map[string]string
		}
		if err := json.Unmarshal([]byte(got[0].body), &body); err != nil {
			t.Fatal(err)
		}
		if body.Type != "user.registered" || body.ID == "" || body.OccurredAt != "2030-03-01T12:00:00.000Z" ||
			body.Data["userId"] != ada.UserID {
			t.Errorf("body = %s", got[0].body)
		}
		h := got[0].header
		if h.Get("X-Hook-Id") == "" || h.Get("X-Hook-Attempt") != "1" || h.Get("X-Platform-Signature") == "" ||
			h.Get("X-Installation-Key") != "default" {
			t.Errorf("header = %v", h)
		}

		for _, p := range []string{
			"/api/on/events", "/api/on/events/", "/api/on/events/x", "/api/on/%65vents", "/api/on/EVENTS", "/api/on%2fevents",
			"/api/on/%2565vents", "/api/on/events;x=1", "/api/on/events.", "/api/on;y/events", "/api/%6fn/events?x=1",
		} {
			for _, r := range []testkit.Request{
				testkit.Post("", "/api/v1/shop/plugins/listener"+p, map[string]any{}),
				testkit.Post(k.admin, "/api/v1/admin/plugins/listener"+p, map[string]any{}),
				testkit.Post("", "/api/extensions/plugin/listener/api"+p, map[string]any{}),
			} {
				if res := k.DoUnchecked(t, r); res.Status != http.StatusNotFound {
					t.Errorf("%s: %d, want 404", r.Path, res.Status)
				}
			}
		}
		if res := k.DoUnchecked(t, testkit.Get("", "/api/v1/shop/plugins/listener/api/on/event")); res.Status != http.StatusOK {
			t.Errorf("another path: %d, want the plugin's 200", res.Status)
		}

		instance := "/api/v1/admin/plugins/listener/instances/" + res.Text(t, "data.defaultInstance.installationId")
		for _, change := range []map[string]any{{"grantedPermissions": []string{}}, {
			"grantedPermissions": []string{"events:subscribe"}, "enabled": false,
		}} {
			k.do(t, testkit.Patch(k.admin, instance, change))
			k.quiet(t)
			k.answer(http.StatusOK)
			k.Register(t, "user"+strings.Repeat("x", len(change)))
			k.quiet(t)
			if n := len(k.messages()); n != 0 {
				t.Errorf("with %v the instance got %d events", change, n)
			}
		}
	})
}
