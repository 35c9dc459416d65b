package httpapi_test

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
)

// under returns a request with an Idempotency-Key.
func under(key string, req testkit.Request) testkit.Request {
	header := http.Header{}
	maps.Copy(header, req.Header)
	header["Idempotency-Key"] = []string{key}
	req.Header = header
	return req
}

func activation(licenseKey, instance string) testkit.Request {
	return testkit.Post("", testkit.Products+"/mail-pack/activate", map[string]any{
		"licenseKey": licenseKey, "instanceId": instance,
	})
}

func installation(token string, archive []byte) testkit.Request {
	return testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/admin/extensions/plugin/install", Token: token,
		Body: archive, Header: http.Header{"Content-Type": {"application/zip"}},
	}
}

// wantReplay checks that got is a replay of want.
func wantReplay(tb testing.TB, want, got testkit.Response) {
	tb.Helper()
	if got.Status != want.Status || string(got.Body) != string(want.Body) ||
		got.Header.Get("Idempotency-Replayed") != "true" {
		tb.Errorf("answer = %d %s (Idempotency-Replayed: %q); want a replay of %d %s",
			got.Status, got.Body, got.Header.Get("Idempotency-Replayed"), want.Status, want.Body)
	}
	for _, name := range []string{"Content-Type", "Cache-Control", "Location", "ETag"} {
		if got.Header.Get(name) != want.Header.Get(name) {
			tb.Errorf("%s = %q, want %q", name, got.Header.Get(name), want.Header.Get(name))
		}
	}
	if got.Header.Get("X-Request-Id") == want.Header.Get("X-Request-Id") {
		tb.Error("X-Request-Id is the first request's")
	}
}

// wantAnew checks that an answer is not a replay.
func wantAnew(tb testing.TB, res testkit.Response, status int) {
	tb.Helper()
	if res.Status != status || res.Header.Get("Idempotency-Replayed") != "" {
		tb.Fatalf("answer = %d %s (Idempotency-Replayed: %q), want %d anew", res.Status, res.Body,
			res.Header.Get("Idempotency-Replayed"), status)
	}
}

func TestARepeatedRequestIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		a.ImportCatalog(t)
		admin, _ := a.InstallPay(t)
		license := a.BuyKey(t, "", "once")
		before := dbtest.Count(t, db, `SELECT count(*) FROM audit_log`)
		for name, tt := range map[string]struct {
			req    testkit.Request
			status int
		}{
			"purchase": {testkit.Purchase("", "once"), 200},
			"activate": {activation(license, "a.example"), 200},
			"install":  {installation(admin, testkit.ExternalPlugin(t, "hello", nil)), 201},
			"instance": {
				testkit.Post(admin, testkit.PayInstances, map[string]any{
					"instanceKey": "eu", "config": testkit.PayConfig(),
				}), 201,
			},
			"refusal": {testkit.Purchase("", "no-such-tier"), 400},
			"no product": {
				testkit.Post("", testkit.Products+"/nope/activate", map[string]any{
					"licenseKey": "x", "instanceId": "y",
				}), 404,
			},
			"conflict": {
				testkit.Post(admin, testkit.PayInstances, map[string]any{
					"instanceKey": "default", "config": testkit.PayConfig(),
				}), 409,
			},
		} {
			first := a.Do(t, under("key of "+name, tt.req))
			wantAnew(t, first, tt.status)
			wantReplay(t, first, a.Do(t, under("key of "+name, tt.req)))
			wantReplay(t, first, b.Do(t, under("key of "+name, tt.req)))
		}
		// The spelling of a key does not matter, and each route has keys of its
		// own.
		wantAnew(t, a.Do(t, under("k", testkit.Purchase("", "once"))), 200)
		res := a.Do(t, under(`"k"`, testkit.Purchase("", "once")))
		if res.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the quoted spelling of a key = %d %s, want a replay", res.Status, res.Body)
		}
		wantAnew(t, a.Do(t, under("k", activation(license, "a.example"))), 200)
		for query, want := range map[string]int{
			`SELECT count(*) FROM orders`:            3,
			`SELECT count(*) FROM licenses`:          3,
			`SELECT count(*) FROM license_instances`: 1,
			`SELECT count(*) FROM plugin_packages`:   2,
			`SELECT count(*) FROM plugin_instances`:  3,
			`SELECT count(*) FROM audit_log`:         before + 2,
		} {
			if n := dbtest.Count(t, db, query); n != want {
				t.Errorf("%s = %d, want %d", query, n, want)
			}
		}
	})
}

// A form has other boundaries each time.
func TestAKeyOfAnInstallStandsForTheArchive(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	archive := testkit.ExternalPlugin(t, "hello", nil)
	send := func(archive []byte) testkit.Response {
		body, header := testkit.Form(t, archive)
		req := installation(admin, body)
		req.Header = header
		return a.Do(t, under("k", req))
	}
	first := send(archive)
	wantAnew(t, first, http.StatusCreated)
	wantReplay(t, first, send(archive))
	wantReplay(t, first, a.Do(t, under("k", installation(admin, archive))))
	testkit.WantError(t, send(testkit.ExternalPlugin(t, "other", nil)), http.StatusUnprocessableEntity,
		"IDEMPOTENCY_KEY_REUSED")
}

func TestAKeyStandsForOneRequest(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	first := a.Do(t, under("k", testkit.Purchase("", "once")))
	other := testkit.Purchase("", "once")
	other.Path = testkit.Products + "/bare/purchase"
	for name, req := range map[string]testkit.Request{
		"another body": testkit.Purchase("", "monthly"),
		"the same with a space": {
			Method: http.MethodPost, Path: testkit.Purchase("", "").Path,
			Body: `{"paymentMethod":"card", "tierId":"once"}`,
		}, "another product": other,
	} {
		res := a.Do(t, under("k", req))
		testkit.WantFlatError(t, res, http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	wantReplay(t, first, a.Do(t, under("k", testkit.Purchase("", "once"))))
}

// Answers contain license keys: guessing an Idempotency-Key must not reveal
// one.
func TestNobodyGetsAnAnswerWithAnothersKey(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) {
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	from := func(address string, req testkit.Request) testkit.Request {
		req = under("1", req)
		req.Header["X-Forwarded-For"] = []string{address}
		return req
	}
	ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
	seen := map[string]string{}
	for name, req := range map[string]testkit.Request{
		"ada":               from("203.0.113.1", testkit.Purchase(ada.Access, "once")),
		"bob":               from("203.0.113.1", testkit.Purchase(bob.Access, "once")),
		"a guest":           from("203.0.113.1", testkit.Purchase("", "once")),
		"a guest elsewhere": from("203.0.113.2", testkit.Purchase("", "once")),
		"IPv6":              from("2001:db8:0:1::1", testkit.Purchase("", "once")),
		"the next network":  from("2001:db8:0:2::1", testkit.Purchase("", "once")),
	} {
		res := a.Do(t, req)
		wantAnew(t, res, http.StatusOK)
		if other, known := seen[res.Text(t, "licenseKey")]; known {
			t.Errorf("%s got the license of %s", name, other)
		}
		seen[res.Text(t, "licenseKey")] = name
	}
	// A user is known by the account and not by the address.
	res := a.Do(t, from("203.0.113.9", testkit.Purchase(ada.Access, "once")))
	if seen[res.Text(t, "licenseKey")] != "ada" {
		t.Errorf("ada from elsewhere = %d %s, want her first answer", res.Status, res.Body)
	}
}

func TestAReplayIsOnlyForWhoMayStillCall(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.InstallPay(t)
	root, second := a.Login(t, "root"), a.Admin(t, "second")
	req := under("k",
		testkit.Post(second.Access, testkit.PayInstances, map[string]any{
			"instanceKey": "eu", "config": testkit.PayConfig(),
		}))
	wantAnew(t, a.Do(t, req), http.StatusCreated)
	res := a.Do(t, testkit.Patch(root.Access, "/api/v1/admin/users/"+second.UserID, map[string]any{"role": "USER"}))
	if res.Status != http.StatusOK {
		t.Fatal(string(res.Body))
	}
	testkit.WantError(t, a.Do(t, req), http.StatusForbidden, "FORBIDDEN")
	a.Do(t, testkit.Post(second.Access, "/auth/logout", nil))
	testkit.WantError(t, a.Do(t, req), http.StatusUnauthorized, "UNAUTHORIZED")
}

func TestAKeyIsRememberedFor24Hours(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		first := a.Do(t, under("k", testkit.Purchase("", "once")))
		a.Clock.Advance(24*time.Hour - time.Millisecond)
		wantReplay(t, first, a.Do(t, under("k", testkit.Purchase("", "once"))))
		a.Clock.Advance(time.Millisecond)
		again := a.Do(t, under("k", testkit.Purchase("", "monthly"))) // another body, too
		wantAnew(t, again, http.StatusOK)
		if again.Text(t, "orderId") == first.Text(t, "orderId") {
			t.Error("after 24 hours: the same order")
		}
	})
}

func TestABadKeyIsAFaultBesideThoseOfTheBody(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	admin, _ := a.InstallPay(t)
	for name, values := range map[string][]string{
		"empty": {""}, "blank": {"  "}, "not ASCII": {"ключ"}, "two": {"a", "b"}, "two joined": {"a, b"},
		"no end": {`"a`}, "parameters": {`"a";b`}, "too long": {strings.Repeat("k", 256)},
	} {
		req := under("", testkit.Purchase("", "once"))
		req.Header["Idempotency-Key"] = values
		res := a.Do(t, req)
		testkit.WantFlatError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		if got := testkit.IssuePaths(t, res); got != "Idempotency-Key" {
			t.Errorf("%s: issues about %q", name, got)
		}
		req.Body = map[string]any{"tierId": 1}
		if got := testkit.IssuePaths(t, a.Do(t, req)); got != "Idempotency-Key tierId paymentMethod" {
			t.Errorf("%s: issues about %q", name, got)
		}
		for _, req := range []testkit.Request{
			installation(admin, testkit.ExternalPlugin(t, "hello", nil)),
			testkit.Post(admin, testkit.PayInstances, map[string]any{
				"instanceKey": "eu", "config": testkit.PayConfig(),
			}),
		} {
			req = under("", req)
			req.Header["Idempotency-Key"] = values
			testkit.WantError(t, a.Do(t, req), http.StatusBadRequest, "VALIDATION_ERROR")
		}
	}
	if res := a.Fetch(t, testkit.Products+"/mail-pack"); res.Get(t, "downloadCount") != 100.0 {
		t.Errorf("something was bought: %s", res.Body)
	}
	wantAnew(t, a.Do(t, under(strings.Repeat("k", 255), testkit.Purchase("", "once"))), http.StatusOK)
}

// A refusal before the operation leaves the key free: the client corrects the
// request, or waits, and sends it again.
func TestARequestThatWasNotCarriedOutLeavesItsKeyFree(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	pad := func(size int) string {
		body := `{"tierId":"once","paymentMethod":"card","pad":""}`
		return strings.Replace(body, `"pad":"`, `"pad":"`+strings.Repeat("x", size-len(body)), 1)
	}
	bad := testkit.Purchase("", "once")
	bad.Body = map[string]any{"paymentMethod": "card"}
	large := testkit.Purchase("", "once")
	large.Body = pad(1<<20 + 1)
	text := testkit.Purchase("", "once")
	text.Header = http.Header{"Content-Type": {"text/plain"}}
	testkit.WantFlatError(t, a.Do(t, under("k", bad)), http.StatusBadRequest, "VALIDATION_ERROR")
	testkit.WantFlatError(t, a.Do(t, under("k", large)), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	testkit.WantFlatError(t, a.Do(t, under("k", text)), http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	testkit.WantFlatError(t, a.Do(t, under("k", testkit.Purchase("no token", "once"))), http.StatusUnauthorized,
		"UNAUTHORIZED")
	fits := testkit.Purchase("", "once")
	fits.Body = pad(1 << 20)
	first := a.Do(t, under("k", fits))
	wantAnew(t, first, http.StatusOK)
	wantReplay(t, first, a.Do(t, under("k", fits)))
	testkit.WantError(t, a.Do(t, under("k", installation(a.Admin(t, "root").Access, []byte("x")))),
		http.StatusBadRequest, "INVALID_ARCHIVE")
}

// A refusal by the operation is an answer like any other: the same request gets
// it again, even if it would succeed by now.
func TestARefusalIsReplayed(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	license := a.BuyKey(t, "", "monthly")
	a.Activate(t, license, "a.example")
	refused := a.Do(t, under("k", activation(license, "b.example")))
	testkit.WantFlatError(t, refused, http.StatusBadRequest, "ACTIVATION_FAILED")
	catalog := strings.Replace(testkit.Catalog, "published: false", "published: true", 1)
	notYet := testkit.Purchase("", "only")
	notYet.Path = testkit.Products + "/hidden/purchase"
	testkit.WantFlatError(t, a.Do(t, under("k", notYet)), http.StatusBadRequest, "PURCHASE_FAILED")
	if _, err := a.Catalog.Import(t.Context(), fstest.MapFS{
		"c.yaml": {Data: []byte(catalog)}, "mail.svg": {Data: []byte(testkit.SVG)},
	}, "c.yaml"); err != nil {
		t.Fatal(err)
	}
	res := a.Do(t, under("k", notYet))
	testkit.WantFlatError(t, res, http.StatusBadRequest, "PURCHASE_FAILED")
	if res.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("the refusal is not a replay")
	}
	wantAnew(t, a.Do(t, under("another", notYet)), http.StatusOK)
	wantReplay(t, refused, a.Do(t, under("k", activation(license, "b.example"))))
}

// The table of idempotency keys reveals no license key, no buyer and no guest's
// address.
func TestAnswersAreSealedAtRest(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, _ *testkit.App, db *sql.DB) {
		a.ImportCatalog(t)
		req := testkit.Purchase("", "once")
		req.Body = map[string]any{
			"tierId": "once", "paymentMethod": "card", "billingInfo": map[string]any{"email": "ada@example.com"},
		}
		res := a.Do(t, under("my-order-7", req))
		wantAnew(t, res, http.StatusOK)
		var id, fingerprint, sealed string
		err := db.QueryRowContext(t.Context(), `SELECT id, fingerprint, answer_sealed FROM idempotency_keys`).Scan(&id,
			&fingerprint, &sealed)
		if err != nil {
			t.Fatal(err)
		}
		if len(id) != 64 || len(fingerprint) != 64 || !strings.HasPrefix(sealed, "s1.") {
			t.Errorf("row = %q %q %q, want two hashes and a sealed text", id, fingerprint, sealed)
		}
		for _, secret := range []string{res.Text(t, "licenseKey"), "my-order-7", "ada@example.com", "127.0.0.1"} {
			if strings.Contains(id+fingerprint+sealed, secret) {
				t.Errorf("the row holds %q", secret)
			}
		}
	})
}

// An order's id opens its receipt, with the license key.
func TestAClientCannotChooseTheIDOfItsOrder(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	theirs := a.Do(t, testkit.Purchase("", "once"))
	req := testkit.Purchase("", "once")
	for _, name := range []string{"-", "OrderID", "orderId", "orderID", ""} {
		req.Body = map[string]any{"tierId": "once", "paymentMethod": "card", name: theirs.Text(t, "orderId")}
		for _, req := range []testkit.Request{req, under("key "+name, req)} {
			res := a.Do(t, req)
			wantAnew(t, res, http.StatusOK)
			if res.Text(t, "licenseKey") == theirs.Text(t, "licenseKey") {
				t.Errorf("with %q the answer is another's receipt: %s", name, res.Body)
			}
		}
	}
}

// No limit counts requests by their keys (contract 1.8): a guest's office may send many.
func TestGuestsKeysAreNotLimited(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.Limited)
	a.ImportCatalog(t)
	for i := range 601 {
		req := under(fmt.Sprint(i), activation("STOA-TYPO", "a.example"))
		req.Header["X-Forwarded-For"] = []string{"203.0.113.1"}
		if res := a.Do(t, req); res.Status != http.StatusBadRequest || res.Header.Get("RateLimit") != "" {
			t.Fatalf("request %d = %d %s, RateLimit %q", i+1, res.Status, res.Body, res.Header.Get("RateLimit"))
		}
	}
}
