package extension_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/extension/install"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

// market is an App whose shop publishes packages.
type market struct {
	*testkit.App

	admin string
}

func newMarket(tb testing.TB, options ...testkit.Option) market {
	tb.Helper()
	a := testkit.NewShop(tb, append(options, acme.Trusted)...)
	return market{a, a.Admin(tb, "root").Access}
}

func (m market) publish(tb testing.TB, product string, pkg []byte) testkit.Response {
	tb.Helper()
	return m.Do(tb, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/admin/products/" + product + "/package", Token: m.admin,
		Body: pkg, Header: http.Header{"Content-Type": {"application/zip"}},
	})
}

func (m market) install(tb testing.TB, product, key string) testkit.Response {
	tb.Helper()
	body := map[string]any{}
	if key != "" {
		body["licenseKey"] = key
	}
	return m.Do(tb, testkit.Post(m.admin, "/api/v1/admin/market/"+product+"/install", body))
}

// wantAnswer fails the test unless an answer has that status and that code, if there is one.
func wantAnswer(tb testing.TB, res testkit.Response, status int, code string) {
	tb.Helper()
	if res.Status != status || code != "" && res.Text(tb, "error.code") != code {
		tb.Fatalf("answer = %d %s; want %d %s", res.Status, res.Body, status, code)
	}
}

// packages returns the names in the folder of published archives.
func (m market) packages(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(m.DataDir, "market", "*"))
	if err != nil {
		tb.Fatal(err)
	}
	return paths
}

func TestProductsCarryPackages(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		one := acme.Sign(t, idle(t, "courier", "1.9.0"))
		res := m.publish(t, "mail-pack", one)
		wantAnswer(t, res, 201, "")
		if got := res.Get(t, "data.size"); got != float64(len(one)) || res.Text(t, "data.signedBy") != "acme" ||
			res.Text(t, "data.slug") != "courier" || res.Text(t, "data.kind") != "plugin" {
			t.Errorf("published: %s", res.Body)
		}
		wantAnswer(t, m.publish(t, "mail-pack", one), 200, "") // the same again
		wantAnswer(t, m.publish(t, "mail-pack", acme.Sign(t, idle(t, "courier", "1.10.0"))), 201, "")
		wantAnswer(t, m.publish(t, "mail-pack", acme.Sign(t, idle(t, "courier", "1.2.0"))), 201, "")
		if n := len(m.packages(t)); n != 3 {
			t.Errorf("%d archives are kept, want 3", n)
		}

		// The highest is offered, by number. Its hash is not for everybody.
		shown, _ := m.Do(t, testkit.Get("", testkit.Products+"/mail-pack")).Get(t, "package").(object)
		versions, _ := shown["versions"].([]any)
		delete(shown, "versions")
		if got := fmt.Sprintf("%v %d %v", shown, len(versions), versions[2].(object)["version"]); got != "map[kind:plugin minPlatform:<nil> "+
			"permissions:[] signedBy:acme slug:courier version:1.10.0] 3 1.2.0" {
			t.Errorf("everybody sees %s", got)
		}
		page := string(m.Fetch(t, "/p/mail-pack").Body)
		for _, want := range []string{">Signed by<", ">acme<", ">Permissions<", ">none<", ">Earlier versions<", ">1.9.0 ", ">1.2.0 "} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		managed := m.Do(t, testkit.Get(m.admin, "/api/v1/admin/products/mail-pack"))
		if managed.Text(t, "data.package.version") != "1.10.0" || managed.Text(t, "data.package.signedBy") != "acme" ||
			managed.Text(t, "data.package.zipHash") == "" {
			t.Errorf("administrators see %s", managed.Body)
		}
		if bare := m.Do(t, testkit.Get("", testkit.Products+"/bare")); strings.Contains(string(bare.Body), `"package"`) {
			t.Errorf("a product without a package shows %s", bare.Body)
		}

		wantAnswer(t, m.publish(t, "mail-pack", acme.Sign(t, testkit.ExternalPlugin(t, "courier", map[string]any{
			"version": "1.9.0",
		}))), 409, "VERSION_CONFLICT")
		wantAnswer(t, m.publish(t, "mail-pack", acme.Sign(t, idle(t, "other", "2.0.0"))), 409, "CONFLICT")
		wantAnswer(t, m.publish(t, "bare", acme.Sign(t, idle(t, "courier", "2.0.0"))), 409, "CONFLICT")
		wantAnswer(t, m.publish(t, "nope", one), 404, "NOT_FOUND")
		if n := len(m.packages(t)); n != 3 {
			t.Errorf("refused archives stay: %d", n)
		}
		log := m.Do(t, testkit.Get(m.admin, "/api/v1/admin/audit?action=product.publish"))
		if n := len(log.Get(t, "data.items").([]any)); n != 3 {
			t.Errorf("%d entries in the audit log, want 3\n%s", n, log.Body)
		}
	})
}

func TestMarketTakesOnlyWhatATrustedKeySigned(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	for name, test := range map[string]struct {
		pkg  []byte
		want string
	}{
		"unsigned": {idle(t, "courier", "1.0.0"), "stoa-signature.json required"},
		"a foreign key": {
			testkit.Publisher("stranger").Sign(t, idle(t, "courier", "1.0.0")), "stoa-signature.json untrusted_key",
		},
		"an unlisted file": {
			testkit.WithEntry(t, acme.Sign(t, idle(t, "courier", "1.0.0")), testkit.Entry{Name: "x.js"}), "x.js bad_signature",
		},
	} {
		res := m.publish(t, "mail-pack", test.pkg)
		wantAnswer(t, res, 400, "INVALID_ARCHIVE")
		if got := issuesOf(t, res); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: issues %q, want %q", name, got, test.want)
		}
	}
	if left := m.packages(t); len(left) > 0 {
		t.Errorf("kept: %q", left)
	}
	wantAnswer(t, m.install(t, "mail-pack", testkit.UnknownKey()), 404, "NOT_FOUND")
}

func TestFreeProductsAreInstalledWithoutALicense(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		wantAnswer(t, m.publish(t, "bare", acme.Sign(t, idle(t, "courier", "1.0.0"))), 201, "")
		updates := func() string {
			t.Helper()
			res := m.Do(t, testkit.Get(m.admin, "/api/v1/admin/market/updates"))
			wantAnswer(t, res, 200, "")
			return fmt.Sprint(res.Get(t, "data.items"))
		}
		res := m.install(t, "bare", "")
		wantAnswer(t, res, 201, "")
		if res.Text(t, "data.source") != "official-market" || res.Text(t, "data.signedBy") != "acme" {
			t.Errorf("installed: %s", res.Body)
		}
		if res := m.install(t, "bare", ""); res.Get(t, "data.duplicate") != true {
			t.Errorf("again: %d %s", res.Status, res.Body)
		}
		if got := updates(); got != "[]" {
			t.Errorf("updates of the present version: %s", got)
		}

		// Not even an administrator replaces a version that came from the market.
		replaced := m.Do(t, testkit.Request{
			Method: http.MethodPost, Path: extensions + "/plugin/install?replace=true", Token: m.admin,
			Body:   testkit.ExternalPlugin(t, "courier", nil),
			Header: http.Header{"Content-Type": {"application/zip"}},
		})
		wantAnswer(t, replaced, 409, "VERSION_CONFLICT")

		wantAnswer(t, m.publish(t, "bare", acme.Sign(t, idle(t, "courier", "1.1.0"))), 201, "")
		if got, want := updates(), "[map[installedVersion:1.0.0 kind:plugin market:self productName:Bare productSlug:bare slug:courier "+
			"version:1.1.0]]"; got != want {
			t.Errorf("updates = %s, want %s", got, want)
		}
		res = m.install(t, "bare", "")
		wantAnswer(t, res, 200, "")
		if res.Text(t, "data.previousVersion") != "1.0.0" || res.Text(t, "data.version") != "1.1.0" {
			t.Errorf("update: %s", res.Body)
		}
		if got := updates(); got != "[]" {
			t.Errorf("updates after the update: %s", got)
		}
	})
}

func TestPaidProductsNeedAUsableLicense(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		pkg := acme.Sign(t, idle(t, "courier", "1.0.0"))
		wantAnswer(t, m.publish(t, "mail-pack", pkg), 201, "")
		refused := func(key, reason string) {
			t.Helper()
			res := m.install(t, "mail-pack", key)
			wantAnswer(t, res, 403, "LICENSE_REFUSED")
			if got := res.Text(t, "error.details.reason"); got != reason {
				t.Errorf("reason = %s, want %s", got, reason)
			}
		}
		wantAnswer(t, m.install(t, "mail-pack", ""), 400, "VALIDATION_ERROR")
		refused("not a key", "not_found")
		refused(testkit.UnknownKey(), "not_found")
		other := m.Do(t, testkit.Post("", testkit.Products+"/bare/purchase", map[string]any{
			"tierId": "only", "paymentMethod": "card",
		})).Text(t, "licenseKey")
		refused(other, "not_found") // of another product

		monthly, revoked := m.BuyKey(t, "", "monthly"), m.BuyKey(t, "", "once")
		list := m.Do(t, testkit.Post(m.admin, "/api/v1/admin/licenses/lookup", map[string]any{"licenseKey": revoked}))
		wantAnswer(t, m.Do(t, post(m.admin, "/api/v1/admin/licenses/"+list.Text(t, "data.id")+"/revoke")), 200, "")
		refused(revoked, "revoked")

		key := m.BuyKey(t, "", "once")
		wantAnswer(t, m.install(t, "mail-pack", " "+strings.ToLower(key)), 201, "")
		// No seat is taken, and none is needed.
		license := m.Do(t, testkit.Post(m.admin, "/api/v1/admin/licenses/lookup", map[string]any{"licenseKey": key}))
		if n := license.Get(t, "data.currentInstances"); n != 0.0 {
			t.Errorf("the install took a seat: %s", license.Body)
		}
		testkit.WantRefused(t, m.Verify(t, "mail-pack", key, "shop.example"), "not_activated")

		m.Clock.Advance(60 * 24 * time.Hour)
		m.admin = m.Login(t, "root").Access
		refused(monthly, "expired")
	})
}

func TestDraftsAndProductsWithoutAPackageAreNotInstalled(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	wantAnswer(t, m.publish(t, "hidden", acme.Sign(t, idle(t, "courier", "1.0.0"))), 201, "")
	wantAnswer(t, m.install(t, "hidden", ""), 404, "NOT_FOUND")
	wantAnswer(t, m.install(t, "bare", ""), 404, "NOT_FOUND")
	wantAnswer(t, m.install(t, "nope", ""), 404, "NOT_FOUND")
	guest := m.Register(t, "guest").Access
	for _, token := range []string{"", guest} {
		res := m.Do(t, testkit.Post(token, "/api/v1/admin/market/bare/install", map[string]any{}))
		if res.Status != 401 && res.Status != 403 {
			t.Errorf("install = %d", res.Status)
		}
	}
}

// What was published is checked again: its files in the data folder may be changed, and its
// publisher may have lost the trust.
func TestMarketPackagesAreCheckedAgain(t *testing.T) {
	t.Parallel()

	var dir, at string
	keep := func(_ testing.TB, cfg *app.Config) {
		dir, at = cfg.DataDir, cfg.DatabaseURL
	}
	m := newMarket(t, keep)
	pkg := acme.Sign(t, idle(t, "courier", "1.0.0"))
	wantAnswer(t, m.publish(t, "bare", pkg), 201, "")
	archive := m.packages(t)[0]

	distrusting := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.DataDir, cfg.DatabaseURL = dir, at })
	res := market{distrusting, m.admin}.install(t, "bare", "")
	wantAnswer(t, res, 400, "INVALID_ARCHIVE")
	if got := issuesOf(t, res); len(got) != 1 || got[0] != "stoa-signature.json untrusted_key" {
		t.Errorf("issues = %q", got)
	}

	changed := bytes.Clone(pkg)
	changed[len(changed)/2] ^= 1
	for _, content := range [][]byte{changed, acme.Sign(t, idle(t, "courier", "9.0.0")), nil} {
		if err := os.WriteFile(archive, content, 0o600); err != nil {
			t.Fatal(err)
		}
		wantAnswer(t, m.install(t, "bare", ""), 500, "INTERNAL_ERROR")
	}
	if err := os.WriteFile(archive, pkg, 0o600); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, m.install(t, "bare", ""), 201, "")
}

func TestLicenseKeysOfInstallsAreNeverLogged(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	m := newMarket(t, func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() })
	wantAnswer(t, m.publish(t, "mail-pack", acme.Sign(t, idle(t, "courier", "1.0.0"))), 201, "")
	key, unknown := m.BuyKey(t, "", "once"), testkit.UnknownKey()
	wantAnswer(t, m.install(t, "mail-pack", unknown), 403, "LICENSE_REFUSED")
	res := m.install(t, "mail-pack", key)
	wantAnswer(t, res, 201, "")
	audit := m.Do(t, testkit.Get(m.admin, "/api/v1/admin/audit?limit=100"))
	for _, secret := range []string{key, unknown} {
		for where, text := range map[string]string{
			"log": log.String(), "audit log": string(audit.Body), "answer": string(res.Body),
		} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s has the license key", where)
			}
		}
	}
	if !strings.Contains(log.String(), "extension installed") {
		t.Error("nothing was logged at all")
	}
}

func TestOneOfManyReleasesWithOneSlugIsPublished(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		var wg sync.WaitGroup
		statuses := make(chan int, 8)
		for i := range 8 {
			product := []string{"bare", "mail-pack"}[i%2]
			pkg := acme.Sign(t, idle(t, "courier", fmt.Sprintf("1.0.%d", i)))
			wg.Go(func() { statuses <- m.publish(t, product, pkg).Status })
		}
		wg.Wait()
		close(statuses)
		created := 0
		for s := range statuses {
			if s == 201 {
				created++
			} else if s != 409 {
				t.Errorf("status %d", s)
			}
		}
		if created != 4 || len(m.packages(t)) != 4 {
			t.Errorf("%d published, %d kept; want the 4 of one product", created, len(m.packages(t)))
		}
	})
}

// A crash leaves archives without a record, and so does a product that is deleted.
func TestArchivesWithoutAReleaseAreSwept(t *testing.T) {
	t.Parallel()

	var dir, at string
	m := newMarket(t, func(_ testing.TB, cfg *app.Config) { dir, at = cfg.DataDir, cfg.DatabaseURL })
	wantAnswer(t, m.publish(t, "hidden", acme.Sign(t, idle(t, "gone", "1.0.0"))), 201, "")
	wantAnswer(t, m.publish(t, "bare", acme.Sign(t, idle(t, "courier", "1.0.0"))), 201, "")
	wantAnswer(t, m.Do(t, testkit.Request{
		Method: http.MethodDelete, Path: "/api/v1/admin/products/hidden", Token: m.admin,
	}), 200, "")
	stray := filepath.Join(dir, "market", "plugin-stray.zip")
	if err := os.WriteFile(stray, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range m.packages(t) {
		then := time.Now().Add(-2 * install.LeftoverAge)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.DataDir, cfg.DatabaseURL = dir, at })
	left := m.packages(t)
	if len(left) != 1 || !strings.Contains(left[0], "plugin-courier-1.0.0-") {
		t.Errorf("left: %q", left)
	}
}

func TestRetriedInstallsFromTheMarketAreReplayed(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	wantAnswer(t, m.publish(t, "bare", acme.Sign(t, idle(t, "courier", "1.0.0"))), 201, "")
	req := testkit.Post(m.admin, "/api/v1/admin/market/bare/install", map[string]any{})
	req.Header = http.Header{"Idempotency-Key": {`"once"`}}
	first := m.Do(t, req)
	wantAnswer(t, first, 201, "")
	again := m.Do(t, req)
	wantAnswer(t, again, 201, "")
	if again.Header.Get("Idempotency-Replayed") != "true" || !bytes.Equal(first.Body, again.Body) {
		t.Errorf("again: %v %s", again.Header, again.Body)
	}
}
