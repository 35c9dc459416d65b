package admin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

const adminLicenses = "/api/v1/admin/licenses"

// manageLicense is manage for a path below that of licenses. An empty body is
// none.
func manageLicense(tb testing.TB, a *testkit.App, token, method, path, body string, want int) testkit.Response {
	tb.Helper()
	if body == "" {
		return manage(tb, a, token, method, adminLicenses+path, nil, want)
	}
	return manage(tb, a, token, method, adminLicenses+path, body, want)
}

func TestOnlyAdministratorsManageLicenses(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada := a.Register(t, "ada")
	id := a.UseLicense(t, a.BuyKey(t, ada.Access, "once"))
	for _, op := range []string{
		"GET ", "POST ", "POST /lookup", "GET /ID", "PATCH /ID", "POST /ID/renew",
		"POST /ID/revoke", "GET /ID/activations", "DELETE /ID/activations/first.example",
	} {
		method, path, _ := strings.Cut(strings.ReplaceAll(op, "ID", id), " ")
		body := ""
		if method == http.MethodPost || method == http.MethodPatch {
			body = `{"maxInstances":9}`
		}
		manageLicense(t, a, "", method, path, body, http.StatusUnauthorized)
		manageLicense(t, a, ada.Access, method, path, body, http.StatusForbidden)
	}
}

func TestAdministratorsFindLicenses(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		a.Admin(t, "root")
		ada := a.Register(t, "ada")
		monthly, once := a.BuyKey(t, ada.Access, "monthly"), a.BuyKey(t, ada.Access, "once")
		a.Send(t, testkit.Products+"/bare/purchase", `{"tierId":"only","paymentMethod":"card"}`)
		a.Clock.Advance(40 * 24 * time.Hour)
		root := a.Login(t, "root") // a token of before has expired
		manageLicense(t, a, root.Access, http.MethodPost, "/"+a.UseLicense(t, once)+"/revoke", "", http.StatusOK)

		for query, want := range map[string]string{
			"":                               "active expired revoked",
			"?product=mail-pack":             "expired revoked",
			"?product=bare":                  "active",
			"?product=nope":                  "",
			"?user=" + ada.UserID:            "expired revoked",
			"?user=anonymous":                "active",
			"?status=active":                 "active",
			"?status=expired&product=bare":   "",
			"?status=revoked&limit=1&page=1": "revoked",
			"?limit=2&page=9":                "",
		} {
			res := manageLicense(t, a, root.Access, http.MethodGet, query, "", http.StatusOK)
			var got []string
			for _, it := range res.Get(t, "data.items").([]any) {
				got = append(got, fmt.Sprint(it.(map[string]any)["status"]))
			}
			slices.Sort(got)
			if strings.Join(got, " ") != want || strings.Contains(string(res.Body), "STOA-") {
				t.Errorf("GET %s = %q, want %q\n%s", query, got, want, res.Body)
			}
		}
		bad := manageLicense(t, a, root.Access, http.MethodGet,
			"?page=0&limit=101&product=A%00&user=%F0%9F%98%80&status=gone", "", http.StatusBadRequest)
		if got := testkit.IssuePaths(t, bad); got != "page limit product user status" {
			t.Errorf("faults = %q", got)
		}

		// By key, as people type it, of any product and in any state.
		for key, want := range map[string]string{
			strings.ToLower(monthly): "expired", strings.ReplaceAll(once, "-", " "): "revoked",
		} {
			res := manageLicense(t, a, root.Access, http.MethodPost, "/lookup", fmt.Sprintf(`{"licenseKey":%q}`, key),
				http.StatusOK)
			if res.Text(t, "data.status") != want || res.Text(t, "data.productSlug") != "mail-pack" ||
				res.Text(t, "data.userId") != ada.UserID || res.Header.Get("ETag") == "" ||
				res.Text(t, "data.userEmail") != "ada@example.com" {
				t.Errorf("lookup = %s", res.Body)
			}
			one := manageLicense(t, a, root.Access, http.MethodGet, "/"+res.Text(t, "data.id"), "", http.StatusOK)
			if diff := cmp.Diff(string(one.Body), string(res.Body)); diff != "" {
				t.Errorf("GET by id and by key differ:\n%s", diff)
			}
		}
		for _, key := range []string{"x", once + "X", testkit.UnknownKey()} {
			manageLicense(t, a, root.Access, http.MethodPost, "/lookup", fmt.Sprintf(`{"licenseKey":%q}`, key),
				http.StatusNotFound)
		}
		manageLicense(t, a, root.Access, http.MethodPost, "/lookup", `{}`, http.StatusBadRequest)
		for _, id := range []string{"nobody", "a%00b", "%F0%9F%98%80"} {
			manageLicense(t, a, root.Access, http.MethodGet, "/"+id, "", http.StatusNotFound)
			manageLicense(t, a, root.Access, http.MethodGet, "/"+id+"/activations", "", http.StatusNotFound)
			manageLicense(t, a, root.Access, http.MethodPatch, "/"+id, `{"maxInstances":2}`, http.StatusNotFound)
			manageLicense(t, a, root.Access, http.MethodPost, "/"+id+"/renew", `{"periods":1}`, http.StatusNotFound)
			manageLicense(t, a, root.Access, http.MethodDelete, "/"+id+"/activations/x", "", http.StatusNotFound)
		}
	})
}

func TestAdministratorsGrantLicenses(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		root, ada := a.Admin(t, "root"), a.Register(t, "ada")
		before := a.Fetch(t, testkit.Products+"/mail-pack").Get(t, "downloadCount")

		plain := manageLicense(t, a, root.Access, http.MethodPost, "", `{"productSlug":"mail-pack","tierId":"monthly"}`,
			http.StatusCreated)
		for path, want := range map[string]any{
			"data.userId": "anonymous", "data.type": "subscription", "data.expiresAt": "2030-04-01T12:00:00.000Z",
			"data.maxInstances": 1.0, "data.periodMonths": 1.0, "data.paid": true,
		} {
			if got := plain.Get(t, path); got != want {
				t.Errorf("%s = %v, want %v", path, got, want)
			}
		}
		if plain.Header.Get("Location") != adminLicenses+"/"+plain.Text(t, "data.id") ||
			plain.Header.Get("ETag") != `"1"` || plain.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers = %v", plain.Header)
		}
		res := a.Activate(t, plain.Text(t, "data.licenseKey"), "a.example")
		if fmt.Sprint(res.Get(t, "license.features")) != "[Mails Support]" {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}

		own := manageLicense(t, a, root.Access, http.MethodPost, "", fmt.Sprintf(
			`{"productSlug":"mail-pack","tierId":"once","userId":%q,"maxInstances":7,`+
				`"features":["A","B"],"expiresAt":"2030-12-31T23:59:59+01:00"}`, ada.UserID), http.StatusCreated)
		if own.Text(t, "data.type") != "subscription" || own.Text(t, "data.expiresAt") != "2030-12-31T22:59:59.000Z" ||
			own.Get(t, "data.maxInstances") != 7.0 {
			t.Errorf("grant = %s", own.Body)
		}
		mine := a.Do(t, testkit.Get(ada.Access, "/api/marketplace/licenses")).JSON(t)["licenses"].([]any)
		if len(mine) != 1 || mine[0].(map[string]any)["licenseKey"] != own.Text(t, "data.licenseKey") {
			t.Errorf("ada has %v", mine)
		}
		forever := manageLicense(t, a, root.Access, http.MethodPost, "",
			`{"productSlug":"hidden","tierId":"only","expiresAt":null}`, http.StatusCreated)
		if forever.Text(t, "data.type") != "perpetual" || forever.Get(t, "data.expiresAt") != nil {
			t.Errorf("grant = %s", forever.Body)
		}
		if got := a.Fetch(t, testkit.Products+"/mail-pack").Get(t, "downloadCount"); got != before {
			t.Errorf("downloadCount = %v, want %v: nobody bought anything", got, before)
		}
		for _, tt := range []struct{ body, want string }{
			{`{}`, "productSlug tierId"},
			{
				`{"productSlug":"nope","tierId":"x","userId":"nobody","maxInstances":0,` +
					`"features":[""],"expiresAt":"soon"}`,
				"expiresAt features[0] maxInstances productSlug userId",
			},
			{
				`{"productSlug":"mail-pack","tierId":"gold","userId":"a\u0000b","maxInstances":1000001}`,
				"maxInstances tierId userId",
			},
			{
				`{"productSlug":1,"tierId":[],"userId":{},"features":"x","maxInstances":1.5,"expiresAt":5}`,
				"expiresAt features maxInstances productSlug tierId userId",
			},
			// Zero in Go; only null means for ever.
			{`{"productSlug":"mail-pack","tierId":"once","expiresAt":"0001-01-01T00:00:00Z"}`, "expiresAt"},
			{`{"productSlug":"mail-pack","tierId":"once","expiresAt":"1969-12-31T00:00:00Z"}`, "expiresAt"},
		} {
			got := strings.Fields(testkit.IssuePaths(t,
				manageLicense(t, a, root.Access, http.MethodPost, "", tt.body, http.StatusBadRequest)))
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s: faults %q, want %q", tt.body, got, tt.want)
			}
		}
		manageLicense(t, a, root.Access, http.MethodPost, "",
			`{"productSlug":"mail-pack","tierId":"once","maxInstances":1000000}`, http.StatusCreated)
		if got := audited(t, a, root.Access, "license.grant"); len(got) != 4 {
			t.Errorf("%d entries in the audit log, want 4", len(got))
		}
	})
}

func TestAdministratorsRenewLicenses(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root, key, id := sellOne(t, a, "monthly")
		for range 2 {
			res := manageLicense(t, a, root.Access, http.MethodPost, "/"+id+"/renew",
				`{"periods":2,"reference":"invoice 7"}`, http.StatusOK)
			if res.Text(t, "data.expiresAt") != "2030-06-01T12:00:00.000Z" || res.Header.Get("ETag") != `"2"` {
				t.Errorf("renew = %s", res.Body)
			}
		}
		a.Clock.Advance(100 * 24 * time.Hour) // 9 June
		root = a.Login(t, "root")
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "expired")
		res := manageLicense(t, a, root.Access, http.MethodPost, "/"+id+"/renew", `{"periods":1}`, http.StatusOK)
		if res.Text(t, "data.status") != "active" || res.Text(t, "data.expiresAt") != "2030-07-09T12:00:00.000Z" {
			t.Errorf("renew = %s", res.Body)
		}
		for body, want := range map[string]string{
			`{}`: "periods", `{"periods":121,"reference":"\u0000"}`: "periods reference", `{"periods":"1"}`: "periods",
		} {
			if got := testkit.IssuePaths(t, manageLicense(t, a, root.Access, http.MethodPost, "/"+id+
				"/renew", body, http.StatusBadRequest)); got != want {
				t.Errorf("%s: faults %q, want %q", body, got, want)
			}
		}
		perpetual := a.UseLicense(t, a.BuyKey(t, "", "once"))
		manageLicense(t, a, root.Access, http.MethodPost, "/"+perpetual+"/renew", `{"periods":1}`, http.StatusConflict)
		manageLicense(t, a, root.Access, http.MethodPost, "/"+id+"/revoke", "", http.StatusOK)
		manageLicense(t, a, root.Access, http.MethodPost, "/"+id+"/renew", `{"periods":1}`, http.StatusConflict)
	})
}

func TestAdministratorsFreeSeats(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root, key, id := sellOne(t, a, "once")
		a.Activate(t, key, "a/b c.example")
		a.Activate(t, key, "localhost")
		res := manageLicense(t, a, root.Access, http.MethodGet, "/"+id+"/activations?limit=2&page=2", "", http.StatusOK)
		if items := res.Get(t, "data.items").([]any); len(items) != 1 ||
			items[0].(map[string]any)["development"] != true || res.Get(t, "data.pagination.total") != 3.0 {
			t.Errorf("activations = %s", res.Body)
		}
		path := "/" + id + "/activations/" + url.PathEscape("A/b C.example")
		freed := manageLicense(t, a, root.Access, http.MethodDelete, path, "", http.StatusOK)
		if freed.Get(t, "data.currentInstances") != 1.0 || freed.Get(t, "data.developmentInstances") != 1.0 ||
			freed.Header.Get("ETag") != `"1"` {
			t.Errorf("DELETE = %s", freed.Body)
		}
		manageLicense(t, a, root.Access, http.MethodDelete, path, "", http.StatusNotFound)
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "a/b c.example"), "not_activated")
		if got := audited(t, a, root.Access, "license.deactivate"); len(got) != 1 ||
			got[0] != "license.deactivate license:"+id {
			t.Errorf("the audit log says %v", got)
		}
	})
}

// A guest's license is known by the address on the bill of its order, also in lists.
func TestALicenseOfAGuestHasTheAddressOfItsOrder(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.NewShop(t, options...)
		admin := a.Admin(t, "root").Access
		a.Buy(t, "", "once") // without a bill
		a.Order(t, "", "once", "Guest@example.com")
		items := a.Do(t, testkit.Get(admin, "/api/v1/admin/licenses?user=anonymous")).Get(t, "data.items").([]any)
		var got []any
		for _, item := range items {
			got = append(got, item.(map[string]any)["billedEmail"])
		}
		if diff := cmp.Diff(got, []any{"Guest@example.com", nil}); diff != "" {
			t.Errorf("addresses (-got +want):\n%s", diff)
		}
	})
}
