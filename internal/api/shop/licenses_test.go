package shop_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stoa/internal/app"
	"stoa/internal/shop/license"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

func TestOwnersSeeTheirLicenses(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
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
			return a.Do(t, testkit.Get(who.Access, ownLicenses+query))
		}
		res := list(ada, "")
		items, _ := res.Get(t, "licenses").([]any)
		if len(items) != 2 || res.Get(t, "pagination.total") != 2.0 {
			t.Fatalf("GET licenses = %d %s", res.Status, res.Body)
		}
		newest, oldest := items[0].(map[string]any), items[1].(map[string]any)
		if newest["licenseKey"] != second || oldest["licenseKey"] != first || oldest["currentInstances"] != 2.0 ||
			oldest["productSlug"] != "mail-pack" || oldest["productName"] != "Mail Pack" || oldest["paid"] != true {
			t.Errorf("GET licenses = %s", res.Body)
		}
		if cc := res.Header.Get("Cache-Control"); cc != "no-store" {
			t.Errorf("Cache-Control = %q", cc)
		}
		if got := list(ada, "?limit=1&page=2").JSON(t)["licenses"].([]any); len(got) != 1 ||
			got[0].(map[string]any)["licenseKey"] != first {
			t.Errorf("page 2 = %v", got)
		}
		if got := list(bob, "?page=9").JSON(t)["licenses"].([]any); len(got) != 0 {
			t.Errorf("beyond the last page = %v", got)
		}
		testkit.WantFlatError(t, list(ada, "?limit=101"), 400, "VALIDATION_ERROR")
		testkit.WantFlatError(t, list(testkit.Tokens{}, ""), 401, "UNAUTHORIZED")

		id := oldest["id"].(string)
		res = a.Do(t, testkit.Get(ada.Access, ownLicenses+"/"+id+"/activations"))
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

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		key := a.BuyKey(t, ada.Access, "free")
		// Every valid instance id can be part of a path.
		for _, instance := range []string{
			"shop.example.com", "a/b//c", "...", "50%", "ä b?c#d", "x;y=z&w", "+", `"'\`,
		} {
			res := a.Activate(t, key, instance)
			if res.Status != http.StatusOK {
				t.Fatalf("activate %q = %d %s", instance, res.Status, res.Body)
			}
			path := ownLicenses + "/" + res.Text(t, "license.id") + "/activations/" + url.PathEscape(instance)
			gone := a.Do(t, testkit.Delete(ada.Access, path))
			if gone.Status != http.StatusOK || gone.Get(t, "license.currentInstances") != 0.0 ||
				gone.Text(t, "license.licenseKey") != key {
				t.Errorf("DELETE %s = %d %s", path, gone.Status, gone.Body)
			}
			testkit.WantRefused(t, a.Verify(t, "mail-pack", key, instance), "not_activated")
			testkit.WantFlatError(t, a.Do(t, testkit.Delete(ada.Access, path)), 404, "NOT_FOUND")
		}
	})
}

// Security: another user's license looks like one that does not exist.
func TestALicenseOfSomebodyElseIsNotFound(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada, eve, root := a.Register(t, "ada"), a.Register(t, "eve"), a.Admin(t, "root")
	ofAda, ofNobody := a.UseLicense(t, a.BuyKey(t, ada.Access, "once")), a.UseLicense(t, a.BuyKey(t, "", "once"))

	for _, op := range []string{"GET /activations", "DELETE /activations/first.example"} {
		method, rest, _ := strings.Cut(op, " ")
		want := a.Do(t, testkit.Request{
			Method: method, Path: ownLicenses + "/tz4a98xxat96iws9zmbrgj3a" + rest, Token: eve.Access,
		})
		testkit.WantFlatError(t, want, 404, "NOT_FOUND")
		for _, id := range []string{ofAda, ofNobody, "a%00b", "%F0%9F%98%80", "anonymous"} {
			for _, who := range []testkit.Tokens{eve, root} {
				got := a.Do(t, testkit.Request{Method: method, Path: ownLicenses + "/" + id + rest, Token: who.Access})
				if got.Status != want.Status || string(got.Body) != string(want.Body) {
					t.Errorf("%s of %s = %d %s, want the same as of one that is not there", op, id, got.Status,
						got.Body)
				}
			}
		}
		guest := a.Do(t, testkit.Request{Method: method, Path: ownLicenses + "/" + ofAda + rest})
		testkit.WantFlatError(t, guest, 401, "UNAUTHORIZED")
	}
	if got := a.Do(t, testkit.Get(eve.Access, ownLicenses)).Get(t, "pagination.total"); got != 0.0 {
		t.Errorf("eve has %v licenses", got)
	}
}

// A license key is a secret: it must be in no log, at no level.
func TestLicenseKeysAreNeverLogged(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() })

	key := a.BuyKey(t, "", "once")
	a.Activate(t, key, "a.example")
	a.Verify(t, "mail-pack", key, "a.example")
	a.Verify(t, "mail-pack", key+"X", "a.example")
	if err := a.DB.Close(); err != nil { // make what follows fail, and be logged
		t.Fatal(err)
	}
	for _, res := range []testkit.Response{
		a.Verify(t, "mail-pack", key, "a.example"), a.Activate(t, key, "a.example"),
	} {
		testkit.WantFlatError(t, res, 500, "INTERNAL_ERROR")
	}
	text := strings.ToUpper(log.String())
	if !strings.Contains(text, "REQUEST FAILED") {
		t.Fatalf("nothing was logged:\n%s", text)
	}
	for _, secret := range []string{key, strings.ReplaceAll(key, "-", ""), key[5:16]} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds the key:\n%s", text)
		}
	}
	// Without the database a typo is still refused, because it is malformed.
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key[:len(key)-1]+"U", "a.example"), "not_found")
}

func TestARevokedLicenseIsRefused(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	p, err := a.Catalog.Published(t.Context(), "mail-pack")
	if err != nil {
		t.Fatal(err)
	}
	key := license.NewKey()
	l := license.License{
		ID: "l", ProductID: p.ID, KeyHash: a.Licenses.Vault.Hash(key),
		KeySealed: a.Licenses.Vault.Seal(key, "l"), Type: license.Perpetual,
		MaxInstances: 1, Paid: true, RevokedAt: testkit.T0, CreatedAt: testkit.T0,
	}
	if err := a.Orders.Store.CreateLicense(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	testkit.WantFlatError(t, a.Activate(t, key.Reveal(), "a.example"), 400, "ACTIVATION_FAILED")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key.Reveal(), "a.example"), "revoked")
	if back, err := a.Licenses.Vault.Open(l); err != nil || back != key {
		t.Errorf("Open = %v, want the key for its owner", err)
	}
	other := l
	other.ID = "m"
	if _, err := a.Licenses.Vault.Open(other); err == nil {
		t.Error("the key opens for another license")
	}
}

// A copy of the database must not contain usable keys.
func TestTheDatabaseDoesNotHoldTheKey(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = filepath.Join(dir, "stoa.db") })
	key := a.BuyKey(t, "", "once")
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{key, strings.ReplaceAll(key, "-", ""), key[5:22]} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds the key", f.Name())
			}
		}
	}
}

func TestAProductTakenOffTheShelfGoesOnWorking(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	key := a.BuyKey(t, "", "once")

	fsys := fstest.MapFS{
		"c.yaml": {
			Data: []byte(strings.Replace(testkit.Catalog, "slug: mail-pack\n",
				"slug: mail-pack\n    published: false\n", 1)),
		}, "mail.svg": {Data: []byte(testkit.SVG)},
	}
	if _, err := a.Catalog.Import(t.Context(), fsys, "c.yaml"); err != nil {
		t.Fatal(err)
	}
	testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/mail-pack"), 404, "NOT_FOUND")
	testkit.WantFlatError(t,
		a.Send(t, testkit.Products+"/mail-pack/purchase", `{"tierId":"once","paymentMethod":"card"}`), 400,
		"PURCHASE_FAILED")
	if res := a.Activate(t, key, "a.example"); res.Status != http.StatusOK {
		t.Errorf("activate = %d %s", res.Status, res.Body)
	}
	if a.Verify(t, "mail-pack", key, "a.example").Get(t, "valid") != true {
		t.Error("the license stopped working")
	}
}
