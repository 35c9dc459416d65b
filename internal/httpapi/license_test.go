package httpapi_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stoa/internal/app"
	"stoa/internal/market"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

// A key is as good as a password: it must not be in any log, at any level.
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
	for _, res := range []testkit.Response{a.Verify(t, "mail-pack", key, "a.example"), a.Activate(t, key, "a.example")} {
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
	// With the database gone, a typo is refused all the same: nobody asked it.
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key[:len(key)-1]+"U", "a.example"), "not_found")
}

func TestARevokedLicenseIsRefused(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)

	p, err := a.Market.Get(t.Context(), "mail-pack")
	if err != nil {
		t.Fatal(err)
	}
	key := market.NewLicenseKey()
	l := market.License{
		ID: "l", ProductID: p.ID, KeyHash: a.Market.Keys.Hash(key), KeySealed: a.Market.Keys.Seal(key, "l"), Type: market.Perpetual,
		MaxInstances: 1, Paid: true, RevokedAt: testkit.T0, CreatedAt: testkit.T0,
	}
	if err := a.Market.Sales.CreateLicense(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	testkit.WantFlatError(t, a.Activate(t, key.Reveal(), "a.example"), 400, "ACTIVATION_FAILED")
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key.Reveal(), "a.example"), "revoked")
	if back, err := a.Market.Keys.Open(l.KeySealed, "l"); err != nil || back != key {
		t.Errorf("Open = %v, want the key for its owner", err)
	}
	if _, err := a.Market.Keys.Open(l.KeySealed, "m"); err == nil {
		t.Error("the key opens for another licence")
	}
}

// A copy of the database must not hold a key that works.
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

	fsys := fstest.MapFS{"c.yaml": {Data: []byte(strings.Replace(testkit.Catalog, "slug: mail-pack\n", "slug: mail-pack\n    published: false\n", 1))}, "mail.svg": {Data: []byte(testkit.SVG)}}
	if _, err := a.Market.Import(t.Context(), fsys, "c.yaml"); err != nil {
		t.Fatal(err)
	}
	testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/mail-pack"), 404, "NOT_FOUND")
	testkit.WantFlatError(t, a.Send(t, testkit.Products+"/mail-pack/purchase", `{"tierId":"once","paymentMethod":"card"}`), 400, "PURCHASE_FAILED")
	if res := a.Activate(t, key, "a.example"); res.Status != http.StatusOK {
		t.Errorf("activate = %d %s", res.Status, res.Body)
	}
	if a.Verify(t, "mail-pack", key, "a.example").Get(t, "valid") != true {
		t.Error("the licence stopped working")
	}
}

// Many buyers at once: each purchase is counted.
func TestEveryPurchaseIsCounted(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { a.BuyKey(t, "", "monthly") })
		}
		wg.Wait()
		if got := a.Fetch(t, testkit.Products+"/mail-pack").Get(t, "downloadCount"); got != 120.0 {
			t.Errorf("downloadCount = %v, want 120", got)
		}
	})
}
