package entitlement_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// What follows from a refusal is recorded with it: if that fails, or stoa is killed before, nothing has
// happened, and the next check finds the refusal again.
func TestARefusalAndWhatFollowsAreOne(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	told := map[string]bool{}
	p.hooks(t, told)
	exec := func(statement string) {
		t.Helper()
		if _, err := p.b.DB.Conn().Write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	p.revoke(t)
	for _, table := range []string{"deliveries", "audit_log"} { // written before and after each other
		exec(`CREATE TRIGGER halt BEFORE INSERT ON ` + table + ` BEGIN SELECT RAISE(ABORT, 'halt here'); END`)
		if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err == nil || !strings.Contains(err.Error(), "halt here") {
			t.Errorf("%s: Check = %v", table, err)
		}
		exec(`DROP TRIGGER halt`)
		p.is(t, "halted in "+table, entitlement.Valid, "")
		if got := p.hooks(t, told); got != "" {
			t.Errorf("halted in %s: hooks %s", table, got)
		}
	}
	for range 2 {
		if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
			t.Fatal(err)
		}
	}
	p.is(t, "again", entitlement.Lapsed, entitlement.Revoked)
	if got := p.hooks(t, told); got != "onDisable" {
		t.Errorf("hooks %s", got)
	}
	log := string(p.b.Do(t, testkit.Get(p.b.Login(t, "root").Access, "/api/v1/admin/audit?action=extension.license")).Body)
	for _, part := range []string{`"kind":"system"`, `"from":"valid"`, `"to":"lapsed"`, `"reason":"revoked"`, `"cause":"refused"`} {
		if !strings.Contains(log, part) {
			t.Errorf("the audit log has no %s: %s", part, log)
		}
	}
}

// Administrators are mailed when a grace begins, a day before it ends, and at its end, once each.
func TestMailsOfAGrace(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.b.Mails(t)
	mails := func(what string, want int) {
		t.Helper()
		list := p.b.Mails(t)
		if len(list) != want {
			t.Fatalf("%s: %d mails, want %d", what, len(list), want)
		}
		for _, m := range list {
			if !strings.Contains(m.Subject, "echo") || strings.Contains(m.Text, p.key) {
				t.Errorf("%s: %q\n%s", what, m.Subject, m.Text)
			}
		}
	}
	p.way.cut.Store(true)
	p.pass(t, 7*day-time.Second)
	mails("before the grace", 0)
	p.pass(t, time.Second)
	mails("the first day", 1)
	p.pass(t, 2*day-time.Second)
	mails("in between", 0)
	p.pass(t, time.Second)
	mails("the last day", 1)
	p.pass(t, time.Hour)
	mails("and later", 0)
	p.way.cut.Store(false)
	p.pass(t, time.Hour)
	p.is(t, "back", entitlement.Valid, "")
	p.way.cut.Store(true)
	p.pass(t, 7*day)
	mails("the next grace", 1)
	known := p.b.Entitlements.Markets
	again := func() { // until the next grace
		t.Helper()
		p.b.Entitlements.Markets = known
		p.way.cut.Store(false)
		p.pass(t, time.Hour)
		p.is(t, "back", entitlement.Valid, "")
		p.way.cut.Store(true)
	}
	again()
	p.b.Entitlements.Markets = noMarkets{known}
	p.pass(t, 7*day)
	mails("of a market that is not known any more", 1)
	p.pass(t, 3*day)
	mails("the end", 1)
	p.pass(t, time.Hour)
	mails("after the end", 0)
	again()
	if _, err := p.b.DB.Conn().Write.ExecContext(t.Context(), `CREATE TRIGGER halt BEFORE UPDATE OF mailed ON package_licenses
		WHEN NEW.mailed = 'began' BEGIN SELECT RAISE(ABORT, 'halt here'); END`); err != nil {
		t.Fatal(err)
	}
	p.a.Clock.Advance(7 * day)
	p.b.Clock.Advance(7 * day)
	if err := p.b.Entitlements.Tend(t.Context(), false); err == nil {
		t.Error("nothing halts it")
	}
	mails("posted before it is noted", 1)
}

// A bundle's license stops what the bundle brought, and nothing else.
func TestABundleStopsWhatItBrought(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	root := p.b.Admin.Access
	install := func(archive []byte) testkit.Response {
		t.Helper()
		return p.b.Install(t, root, "bundle", archive)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(srv.Close)
	pack := func(version string) []byte {
		return testkit.Bundle(t, testkit.BundleManifest("starter", version,
			map[string]any{"kind": "plugin", "path": "pay.zip"}, map[string]any{"kind": "theme-shop", "path": "aurora.zip"}),
			map[string][]byte{
				"pay.zip":    testkit.ExternalPlugin(t, "pay", map[string]any{"version": version, "externalBaseUrl": srv.URL}),
				"aurora.zip": testkit.ThemePack(t, "aurora", version, nil, nil),
			})
	}
	if res := install(pack("1.0.0")); res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	p.of.Kind, p.of.Slug = extension.Bundle, "starter"
	p.cameFrom(t, "bundles", p.of)
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	activate := testkit.Post(root, "/api/v1/admin/themes/shop/activate", map[string]any{"slug": "aurora"})
	if res := p.b.Do(t, activate); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	reason := func(slug string) any {
		t.Helper()
		res := p.b.Do(t, testkit.Get(root, "/api/v1/admin/plugins/"+slug+"/api/x"))
		if res.Status == http.StatusOK {
			return "runs"
		}
		return res.Get(t, "error.details.reason")
	}
	if got := reason("pay"); got == "unlicensed" {
		t.Errorf("before: %v", got)
	}
	p.revoke(t)
	p.tend(t)
	if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	if got := reason("pay"); got != "unlicensed" {
		t.Errorf("what the bundle brought: %v", got)
	}
	if got := reason("echo"); got != "runs" {
		t.Errorf("what it did not bring: %v", got)
	}
	if res := p.b.Do(t, testkit.Get(root, "/api/v1/admin/themes/shop")); res.Text(t, "data.active.slug") != "aurora" {
		t.Errorf("the active theme: %s", res.Body)
	}
	for what, res := range map[string]testkit.Response{
		"an activation": p.b.Do(t, activate), "an upgrade of the bundle": install(pack("1.1.0")),
		"an upgrade of the plugin": p.b.Install(t, root, "plugin", testkit.ExternalPlugin(t, "pay", map[string]any{"version": "3.0.0"})),
		"an upgrade of the theme":  p.b.Install(t, root, "theme-shop", testkit.ThemePack(t, "aurora", "3.0.0", nil, nil)),
	} {
		if res.Status != http.StatusForbidden || res.Text(t, "error.code") != "LICENSE_REFUSED" {
			t.Errorf("%s: %d %s", what, res.Status, res.Body)
		}
	}
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.a.BuyKey(t, "", "once")); err != nil {
		t.Fatal(err)
	}
	if got := reason("pay"); got == "unlicensed" {
		t.Errorf("returned: %v", got)
	}
	if res := install(pack("1.1.0")); res.Status != http.StatusOK {
		t.Errorf("an upgrade: %d %s", res.Status, res.Body)
	}
}

// Of two replicas one checks, and what it finds holds on both.
func TestALapseHoldsOnAllReplicas(t *testing.T) {
	t.Parallel()

	var url string
	shared := func(_ testing.TB, cfg *app.Config) {
		if url == "" {
			url = cfg.DatabaseURL
		}
		cfg.DatabaseURL, cfg.CheckLicenses = url, 100*time.Millisecond
	}
	p := newPair(t, testkit.OnPostgres, shared)
	other := testkit.New(t, testkit.OnPostgres, shared)
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	calls := func(want int) bool {
		res, _ := p.call(t, nil)
		return res.Status == want && other.Fetch(t, testkit.EchoPath+"/api/x").Status == want
	}
	waittest.True(t, "both replicas call the plugin", func() bool { return calls(http.StatusOK) })
	waittest.True(t, "one replica has seen the package", func() bool { return p.license(t).Installed })
	asked := p.way.leases.Load()
	p.revoke(t)
	for _, replica := range []*testkit.App{p.b.App, other} {
		replica.Clock.Advance(6 * time.Hour)
	}
	waittest.True(t, "no replica calls the plugin", func() bool { return calls(http.StatusNotFound) })
	if n := p.way.leases.Load() - asked; n != 1 {
		t.Errorf("the market was asked %d times", n)
	}
	if _, err := other.Entitlements.Activate(t.Context(), p.of, p.a.BuyKey(t, "", "once")); err != nil {
		t.Fatal(err)
	}
	waittest.True(t, "both replicas call the plugin again", func() bool { return calls(http.StatusOK) })
	p.way.cut.Store(true)
	for _, replica := range []*testkit.App{p.b.App, other} { // at the same moment, whoever checks
		replica.Clock.Advance(11 * day)
		if res := replica.Fetch(t, testkit.EchoPath+"/api/x"); res.Status != http.StatusNotFound {
			t.Errorf("after the grace: %d", res.Status)
		}
	}
}

// Whoever asks for a license that is not there learns so.
func TestCheckWithoutALicense(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	for _, at := range []string{"plugins/echo", "plugins/none", "extensions/plugin/echo", "extensions/theme-shop/none"} {
		if res := p.b.Do(t, testkit.Post(p.b.Admin.Access, "/api/v1/admin/"+at+"/license/check", nil)); res.Status != http.StatusNotFound {
			t.Errorf("%s: %d %s", at, res.Status, res.Body)
		}
	}
	if _, err := p.b.Entitlements.Check(t.Context(), extension.Plugin, "echo"); !errors.Is(err, entitlement.ErrNotFound) {
		t.Error(err)
	}
}

// Administrators see the license; the end of the key only those who may read licenses.
func TestTheLicenseIsShown(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	for _, at := range []string{"plugins/echo", "extensions/plugin/echo"} {
		res := p.b.Do(t, testkit.Get(p.b.Admin.Access, "/api/v1/admin/"+at))
		if got := res.Text(t, "data.license.keyTail"); res.Text(t, "data.license.state") != "valid" || !strings.HasSuffix(p.key, got) ||
			strings.Contains(string(res.Body), p.key) {
			t.Errorf("%s: %s", at, res.Body)
		}
	}
	overview := func() string {
		t.Helper()
		return string(p.b.Do(t, testkit.Get(p.b.Login(t, "root").Access, "/api/v1/admin/overview")).Body)
	}
	if got := overview(); !strings.Contains(got, `"licenses":[]`) {
		t.Errorf("overview: %s", got)
	}
	p.way.cut.Store(true)
	p.pass(t, 8*day)
	if got := overview(); !strings.Contains(got, `"licenses":[{"kind":"plugin","slug":"echo","state":"grace","reason":null,`) {
		t.Errorf("overview: %s", got)
	}
}
