package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit"
)

const ownLicenses = "/api/marketplace/licenses"

func TestDeactivatingFreesASeat(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "free") // one seat
		a.Activate(t, key, "a.example")
		testkit.WantFlatError(t, a.Activate(t, key, "b.example"), 400, "ACTIVATION_FAILED")

		first := a.Deactivate(t, key, " A.Example ")
		again := a.Deactivate(t, key, "a.example")
		never := a.Deactivate(t, key, "never.example")
		for _, res := range []testkit.Response{first, again, never} {
			if res.Status != http.StatusOK || res.Get(t, "license.currentInstances") != 0.0 || res.Text(t, "license.licenseKey") != key {
				t.Errorf("deactivate = %d %s", res.Status, res.Body)
			}
		}
		testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "a.example"), "not_activated")
		if res := a.Activate(t, key, "b.example"); res.Status != http.StatusOK || res.Get(t, "license.currentInstances") != 1.0 {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}
	})
}

func TestWhatNoLongerWorksCanBeDeactivated(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	root := a.Admin(t, "root")

	expired, revoked := a.BuyKey(t, "", "monthly"), a.BuyKey(t, "", "monthly")
	a.Activate(t, expired, "a.example")
	id := a.UseLicense(t, revoked)
	a.Clock.Advance(40 * 24 * time.Hour)
	a.Do(t, testkit.Request{Method: http.MethodPost, Path: "/api/v1/admin/licenses/" + id + "/revoke", Token: root.Access})
	for key, instance := range map[string]string{expired: "a.example", revoked: "first.example"} {
		res := a.Deactivate(t, key, instance)
		if res.Status != http.StatusOK || res.Get(t, "license.currentInstances") != 0.0 || res.Text(t, "license.status") == "active" {
			t.Errorf("deactivate = %d %s", res.Status, res.Body)
		}
	}
}

func TestDeactivateRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")
	other := a.Send(t, testkit.Products+"/bare/purchase", `{"tierId":"only","paymentMethod":"card"}`).Text(t, "licenseKey")

	for _, tt := range []struct {
		name, slug string
		body       any
		status     int
		code       string
		issues     string
	}{
		{"nothing", "mail-pack", `{}`, 400, "VALIDATION_ERROR", "licenseKey instanceId"},
		{"long instance", "mail-pack", map[string]any{"licenseKey": key, "instanceId": strings.Repeat("ä", 254)}, 400, "VALIDATION_ERROR", "instanceId"},
		{"unknown product", "nope", map[string]any{"licenseKey": key, "instanceId": "a"}, 404, "NOT_FOUND", ""},
		{"typo", "mail-pack", map[string]any{"licenseKey": key + "X", "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{"unknown key", "mail-pack", map[string]any{"licenseKey": testkit.UnknownKey(), "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
		{"key of another product", "mail-pack", map[string]any{"licenseKey": other, "instanceId": "a"}, 400, "ACTIVATION_FAILED", ""},
	} {
		res := a.Send(t, testkit.Products+"/"+tt.slug+"/deactivate", tt.body)
		testkit.WantFlatError(t, res, tt.status, tt.code)
		if got := testkit.IssuePaths(t, res); got != tt.issues {
			t.Errorf("%s: issues = %q, want %q", tt.name, got, tt.issues)
		}
	}
}

// Seats change hands many times over, at once: there is never one too many, and
// the counter says what is there.
func TestSeatsThatChangeHandsStayExact(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		key := a.BuyKey(t, "", "once") // three seats
		var (
			wg   sync.WaitGroup
			held atomic.Int32
		)
		for i := range 12 {
			wg.Go(func() {
				for range 8 {
					instance := fmt.Sprintf("host-%d.example", i)
					res := a.Activate(t, key, instance)
					if res.Status != http.StatusOK {
						testkit.WantFlatError(t, res, 400, "ACTIVATION_FAILED")
						continue
					}
					if n := held.Add(1); n > 3 {
						t.Errorf("%d instances hold a seat", n)
					}
					held.Add(-1)
					if res := a.Deactivate(t, key, instance); res.Status != http.StatusOK {
						t.Errorf("deactivate = %d %s", res.Status, res.Body)
					}
				}
			})
		}
		wg.Wait()
		if got := a.Deactivate(t, key, "none.example").Get(t, "license.currentInstances"); got != 0.0 {
			t.Errorf("currentInstances = %v, want 0: all were freed", got)
		}
	})
}

func TestOwnersSeeTheirLicenses(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
		first := a.BuyKey(t, ada.Access, "once")
		a.Clock.Advance(time.Minute)
		second := a.BuyKey(t, ada.Access, "monthly")
		a.BuyKey(t, bob.Access, "free")
		a.BuyKey(t, "", "free") // nobody's
		a.Activate(t, first, "b.example")
		a.Clock.Advance(time.Minute)
		a.Activate(t, first, "a.example")

		list := func(who testkit.Tokens, query string) testkit.Response {
			return a.Do(t, testkit.Request{Method: http.MethodGet, Path: ownLicenses + query, Token: who.Access})
		}
		res := list(ada, "")
		items, _ := res.Get(t, "licenses").([]any)
		if len(items) != 2 || res.Get(t, "pagination.total") != 2.0 {
			t.Fatalf("GET licenses = %d %s", res.Status, res.Body)
		}
		newest, oldest := items[0].(map[string]any), items[1].(map[string]any)
		if newest["licenseKey"] != second || oldest["licenseKey"] != first || oldest["currentInstances"] != 2.0 || oldest["productSlug"] != "mail-pack" || oldest["productName"] != "Mail Pack" || oldest["paid"] != true {
			t.Errorf("GET licenses = %s", res.Body)
		}
		if cc := res.Header.Get("Cache-Control"); cc != "no-store" {
			t.Errorf("Cache-Control = %q", cc)
		}
		if got := list(ada, "?limit=1&page=2").JSON(t)["licenses"].([]any); len(got) != 1 || got[0].(map[string]any)["licenseKey"] != first {
			t.Errorf("page 2 = %v", got)
		}
		if got := list(bob, "?page=9").JSON(t)["licenses"].([]any); len(got) != 0 {
			t.Errorf("beyond the last page = %v", got)
		}
		testkit.WantFlatError(t, list(ada, "?limit=101"), 400, "VALIDATION_ERROR")
		testkit.WantFlatError(t, list(testkit.Tokens{}, ""), 401, "UNAUTHORIZED")

		id := oldest["id"].(string)
		res = a.Do(t, testkit.Request{Method: http.MethodGet, Path: ownLicenses + "/" + id + "/activations", Token: ada.Access})
		var got []string
		for _, it := range res.JSON(t)["activations"].([]any) {
			got = append(got, fmt.Sprint(it.(map[string]any)["instanceId"]))
		}
		if strings.Join(got, " ") != "b.example a.example" {
			t.Errorf("activations = %d %s", res.Status, res.Body)
		}
	})
}

func TestOwnersFreeSeats(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		key := a.BuyKey(t, ada.Access, "free")
		// Whatever may be the name of an instance can be put into an address.
		for _, instance := range []string{"shop.example.com", "a/b//c", "...", "50%", "ä b?c#d", "x;y=z&w", "+", `"'\`} {
			res := a.Activate(t, key, instance)
			if res.Status != http.StatusOK {
				t.Fatalf("activate %q = %d %s", instance, res.Status, res.Body)
			}
			path := ownLicenses + "/" + res.Text(t, "license.id") + "/activations/" + url.PathEscape(instance)
			gone := a.Do(t, testkit.Request{Method: http.MethodDelete, Path: path, Token: ada.Access})
			if gone.Status != http.StatusOK || gone.Get(t, "license.currentInstances") != 0.0 || gone.Text(t, "license.licenseKey") != key {
				t.Errorf("DELETE %s = %d %s", path, gone.Status, gone.Body)
			}
			testkit.WantRefused(t, a.Verify(t, "mail-pack", key, instance), "not_activated")
			testkit.WantFlatError(t, a.Do(t, testkit.Request{Method: http.MethodDelete, Path: path, Token: ada.Access}), 404, "NOT_FOUND")
		}
	})
}

// Security: a licence of somebody else looks like one that is not there.
func TestALicenseOfSomebodyElseIsNotFound(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada, eve, root := a.Register(t, "ada"), a.Register(t, "eve"), a.Admin(t, "root")
	ofAda, ofNobody := a.UseLicense(t, a.BuyKey(t, ada.Access, "once")), a.UseLicense(t, a.BuyKey(t, "", "once"))

	for _, op := range []string{"GET /activations", "DELETE /activations/first.example"} {
		method, rest, _ := strings.Cut(op, " ")
		want := a.Do(t, testkit.Request{Method: method, Path: ownLicenses + "/tz4a98xxat96iws9zmbrgj3a" + rest, Token: eve.Access})
		testkit.WantFlatError(t, want, 404, "NOT_FOUND")
		for _, id := range []string{ofAda, ofNobody, "a%00b", "%F0%9F%98%80", "anonymous"} {
			for _, who := range []testkit.Tokens{eve, root} {
				got := a.Do(t, testkit.Request{Method: method, Path: ownLicenses + "/" + id + rest, Token: who.Access})
				if got.Status != want.Status || string(got.Body) != string(want.Body) {
					t.Errorf("%s of %s = %d %s, want the same as of one that is not there", op, id, got.Status, got.Body)
				}
			}
		}
		guest := a.Do(t, testkit.Request{Method: method, Path: ownLicenses + "/" + ofAda + rest})
		testkit.WantFlatError(t, guest, 401, "UNAUTHORIZED")
	}
	if got := a.Do(t, testkit.Request{Method: http.MethodGet, Path: ownLicenses, Token: eve.Access}).Get(t, "pagination.total"); got != 0.0 {
		t.Errorf("eve has %v licences", got)
	}
}

func TestAdministratorsRevokeLicenses(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	root, ada := a.Admin(t, "root"), a.Register(t, "ada")
	key := a.BuyKey(t, ada.Access, "once")
	id := a.UseLicense(t, key)
	revoke := func(who testkit.Tokens, id, match string) testkit.Response {
		h := http.Header{}
		if match != "" {
			h.Set("If-Match", match)
		}
		return a.Do(t, testkit.Request{Method: http.MethodPost, Path: "/api/v1/admin/licenses/" + id + "/revoke", Token: who.Access, Header: h})
	}
	for who, want := range map[testkit.Tokens]int{{}: 401, ada: 403} {
		if res := revoke(who, id, ""); res.Status != want {
			t.Errorf("revoke = %d, want %d", res.Status, want)
		}
	}
	if res := revoke(root, "nobody", ""); res.Status != http.StatusNotFound {
		t.Errorf("revoke = %d %s", res.Status, res.Body)
	}
	if res := revoke(root, id, `"7"`); res.Status != http.StatusPreconditionFailed || res.Text(t, "error.code") != "PRECONDITION_FAILED" {
		t.Errorf("stale revoke = %d %s", res.Status, res.Body)
	}
	if a.Verify(t, "mail-pack", key, "first.example").Get(t, "valid") != true {
		t.Error("refused revocations took effect")
	}
	res := revoke(root, id, `"1"`)
	if res.Status != http.StatusOK || res.Text(t, "data.status") != "revoked" || res.Header.Get("ETag") != `"2"` || strings.Contains(string(res.Body), key) {
		t.Errorf("revoke = %d %s", res.Status, res.Body)
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "revoked")
	testkit.WantFlatError(t, a.Activate(t, key, "first.example"), 400, "ACTIVATION_FAILED")
}
