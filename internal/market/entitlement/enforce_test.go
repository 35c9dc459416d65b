package entitlement_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/market/entitlement"
	"stoa/internal/testkit"
)

// hooks returns the hooks that B has recorded for the plugin since the last call, the oldest first, with the
// reason that they give.
func (p *pair) hooks(t *testing.T, told map[string]bool) string {
	t.Helper()
	res := p.b.Do(t, testkit.Get(p.b.Login(t, "root").Access, "/api/v1/admin/plugins/echo/hooks?limit=100"))
	if res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	var page struct {
		Data struct {
			Items []struct{ ID, Name string }
		}
	}
	if err := json.Unmarshal(res.Body, &page); err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := len(page.Data.Items) - 1; i >= 0; i-- {
		if d := page.Data.Items[i]; !told[d.ID] {
			told[d.ID] = true
			list = append(list, d.Name)
		}
	}
	return strings.Join(list, " ")
}

// kept returns what must be the same byte for byte after a license lapsed and came back.
func (p *pair) kept(t *testing.T) string {
	t.Helper()
	var all []string
	for _, query := range []string{
		`SELECT id || instance_key || enabled || config_sealed || granted || version || updated_at_ms FROM plugin_instances`,
		`SELECT current_sealed FROM plugin_secrets`, `SELECT settings_json || zip_hash FROM plugin_packages`,
		`SELECT key || size FROM plugin_storage`,
	} {
		rows, err := p.b.DB.Conn().Read.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				t.Fatal(err)
			}
			all = append(all, text)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(all, "\n")
}

// A market that is away for seven days costs no call. Ten days and a second after the last lease everything
// stops, and nothing is lost; with the market, everything comes back.
func TestAMarketThatIsAway(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	before, told := p.kept(t), map[string]bool{}
	p.hooks(t, told)
	p.way.cut.Store(true)
	for range 7 * 24 {
		p.pass(t, time.Hour)
		if res, _ := p.call(t, nil); res.Status != http.StatusOK {
			t.Fatalf("after %s: %d %s", p.b.Clock.Now().Sub(testkit.T0), res.Status, res.Body)
		}
	}
	p.is(t, "after seven days", entitlement.Grace, "")
	p.pass(t, 3*day-time.Second)
	p.is(t, "the last second of the grace", entitlement.Grace, "")
	p.b.Clock.Advance(time.Second) // no check: the moment alone stops it
	p.is(t, "after the grace", entitlement.Lapsed, entitlement.Unreachable)
	if got := p.hooks(t, told); got != "" {
		t.Errorf("hooks before the lapse is recorded: %s", got)
	}
	p.pass(t, time.Second)
	p.is(t, "recorded", entitlement.Lapsed, entitlement.Unreachable)
	if got := p.hooks(t, told); got != "onDisable" {
		t.Errorf("hooks of the lapse: %s", got)
	}
	if after := p.kept(t); after != before {
		t.Errorf("the lapse changed\n%s\nto\n%s", before, after)
	}
	p.b.Clock.Advance(-9 * day)
	p.tend(t)
	p.is(t, "the clock set back", entitlement.Lapsed, entitlement.Unreachable)
	p.b.Clock.Advance(9 * day)
	p.way.cut.Store(false)
	p.pass(t, time.Hour)
	p.is(t, "the market is back", entitlement.Valid, "")
	if got := p.hooks(t, told); got != "onEnable" {
		t.Errorf("hooks of the return: %s", got)
	}
	if after := p.kept(t); after != before {
		t.Errorf("the return changed\n%s\nto\n%s", before, after)
	}
}

// Only what the market signed stops a package, and that does so at once.
func TestOnlySignedRefusalsStop(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	check := func() testkit.Response {
		t.Helper()
		return p.b.Do(t, testkit.Post(p.b.Admin.Access, "/api/v1/admin/plugins/echo/license/check", nil))
	}
	for name, liar := range map[string]http.HandlerFunc{
		"refuses without a signature": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-License-Code", "revoked")
			_, _ = w.Write([]byte(`{"valid":false}`))
		},
		"fails":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"not found": http.NotFound,
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com", http.StatusFound)
		},
		"is a portal": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Sign in")) },
	} {
		p.way.lie(liar)
		if res := check(); res.Status != http.StatusOK {
			t.Errorf("%s: %d %s", name, res.Status, res.Body)
		}
		p.is(t, name, entitlement.Valid, "")
	}
	p.way.honest()
	p.revoke(t)
	p.is(t, "before the check", entitlement.Valid, "")
	res := check()
	if state, reason := res.Text(t, "data.state"), res.Text(t, "data.reason"); res.Status != 200 || state != "lapsed" || reason != "revoked" {
		t.Errorf("%d %s", res.Status, res.Body)
	}
	p.is(t, "after the check", entitlement.Lapsed, entitlement.Revoked)
	p.way.cut.Store(true)
	p.pass(t, 20*day)
	p.is(t, "and much later", entitlement.Lapsed, entitlement.Revoked)
	p.way.cut.Store(false)
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.a.BuyKey(t, "", "once")); err != nil {
		t.Fatal(err)
	}
	p.is(t, "another key", entitlement.Valid, "")
}

// A refund at the market stops the package with the next check, six hours later at the latest.
func TestARefundStopsWithinSixHours(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.revoke(t)
	for range 6 * 12 {
		p.pass(t, 5*time.Minute)
	}
	p.is(t, "after six hours", entitlement.Lapsed, entitlement.Revoked)
}

// A clock that was a year ahead once stops nothing for ever.
func TestOneWrongJumpAheadHeals(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.cut.Store(true)
	p.b.Clock.Advance(365 * day)
	p.tend(t)
	p.is(t, "a year ahead", entitlement.Lapsed, entitlement.Unreachable)
	p.b.Clock.Advance(-365 * day)
	p.tend(t)
	p.is(t, "back, without the market", entitlement.Lapsed, entitlement.Unreachable)
	p.way.cut.Store(false)
	p.pass(t, time.Hour)
	p.is(t, "back, with the market", entitlement.Valid, "")
	if seen := p.license(t).LastSeen; seen.After(p.b.Clock.Now()) {
		t.Errorf("last seen %s, and it is %s", seen, p.b.Clock.Now())
	}
}

// A clock that is set back gains nothing.
func TestAClockThatIsSetBackGainsNothing(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	p.way.cut.Store(true)
	p.pass(t, 8*day)
	p.is(t, "in grace", entitlement.Grace, "")
	p.b.Clock.Advance(-5 * day)
	p.tend(t)
	p.is(t, "set back", entitlement.Grace, "")
}

// While its license has lapsed, a plugin is disabled wherever that counts, and the administrator's choices stay.
func TestLapsedCountsAsDisabled(t *testing.T) {
	t.Parallel()

	p := licensed(t)
	told := map[string]bool{}
	in, err := p.b.Plugins.ByKey(t.Context(), "echo", plugin.DefaultInstance)
	if err != nil {
		t.Fatal(err)
	}
	_, got := p.call(t, nil)
	token := got.Get("X-Platform-Token")
	platform := func(token string) int {
		t.Helper()
		return p.b.DoUnchecked(t, testkit.Get(token, "/api/v1/platform/license")).Status
	}
	if got := platform(token); got != http.StatusOK {
		t.Fatalf("platform API: %d", got)
	}
	p.hooks(t, told)
	p.revoke(t)
	if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
	if got := platform(token); got != http.StatusUnauthorized {
		t.Errorf("the token of a stopped plugin: %d", got)
	}
	if _, err := p.b.Plugins.ByInstallation(t.Context(), in.Instance.ID); err == nil {
		t.Error("a stopped plugin holds its token")
	}
	admin := "/api/v1/admin/plugins/echo"
	res := p.b.Do(t, testkit.Get(p.b.Admin.Access, admin+"/api/x"))
	if reason := res.Text(t, "error.details.reason"); res.Status != http.StatusNotFound || reason != "unlicensed" {
		t.Errorf("on the paths of administrators: %d %s", res.Status, res.Body)
	}
	if res, _ := p.call(t, nil); strings.Contains(string(res.Body), "unlicensed") {
		t.Errorf("shoppers are told why: %s", res.Body)
	}
	instance := admin + "/instances/" + in.Instance.ID
	if res := p.b.Do(t, testkit.Get(p.b.Admin.Access, instance)); !strings.Contains(string(res.Body), `"enabled":true`) {
		t.Errorf("the instance is disabled: %s", res.Body)
	}
	if got := p.hooks(t, told); got != "onDisable" {
		t.Errorf("hooks: %s", got)
	}
	for _, enabled := range []bool{false, true} {
		p.b.Do(t, testkit.Patch(p.b.Admin.Access, instance, map[string]any{"enabled": enabled}))
	}
	if got := p.hooks(t, told); got != "" {
		t.Errorf("hooks of what is stopped anyhow: %s", got)
	}
	next := testkit.ExternalManifest("echo", "http://127.0.0.1:9")
	next["version"] = "9.0.0"
	res = p.b.Install(t, p.b.Admin.Access, "plugin", testkit.PluginArchive(t, next, nil))
	if code := res.Text(t, "error.code"); res.Status != http.StatusForbidden || code != "LICENSE_REFUSED" {
		t.Errorf("an upgrade: %d %s", res.Status, res.Body)
	}
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.a.BuyKey(t, "", "once")); err != nil {
		t.Fatal(err)
	}
	if got := p.hooks(t, told); got != "onEnable" {
		t.Errorf("hooks of the return: %s", got)
	}
	if got := platform(token); got != http.StatusUnauthorized {
		t.Errorf("the token of before: %d", got)
	}
	p.is(t, "returned", entitlement.Valid, "")
	p.revokeAll(t)
	if res := p.b.Do(t, testkit.Delete(p.b.Admin.Access, admin)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	if got := p.hooks(t, told); got != "onDisable onUninstall" { // the first of the lapse
		t.Errorf("hooks of the uninstall: %s", got)
	}
}

// revokeAll makes the present license of the package lapse.
func (p *pair) revokeAll(t *testing.T) {
	t.Helper()
	key, _, err := p.b.Entitlements.Key(t.Context(), p.of)
	if err != nil {
		t.Fatal(err)
	}
	p.key = key
	p.revoke(t)
	if _, err := p.b.Entitlements.Check(t.Context(), p.of.Kind, p.of.Slug); err != nil {
		t.Fatal(err)
	}
}

// Plugins are told of their license, by a header that no client can send.
func TestThePluginIsToldOfItsLicense(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	call := func() http.Header {
		t.Helper()
		res, got := p.call(t, http.Header{"X-Plugin-License": {"forged"}, "X_plugin.license": {"forged"}})
		if res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		return got
	}
	if h := call(); len(h.Values("X-Plugin-License")) != 0 {
		t.Errorf("without a license: %q", h.Values("X-Plugin-License"))
	}
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	p.tend(t)
	told := func(want string) string {
		t.Helper()
		h := call()
		text, err := base64.RawURLEncoding.DecodeString(h.Get("X-Plugin-License"))
		if err != nil || len(h.Values("X-Plugin-License")) != 1 || string(text) != want {
			t.Errorf("told %s, %v, want %s", text, err, want)
		}
		return h.Get("X-Platform-Token")
	}
	told(`{"state":"valid","tier":"once","features":["Mails"],"expiresAt":null,"trial":false}`)
	p.way.cut.Store(true)
	p.b.Clock.Advance(7 * day) // the header follows the clock, not the check
	p.a.Clock.Advance(7 * day)
	token := told(`{"state":"grace","tier":"once","features":["Mails"],"expiresAt":null,"trial":false}`)
	res := p.b.Do(t, testkit.Get(token, "/api/v1/platform/license"))
	var answer struct{ Data map[string]any }
	if err := json.Unmarshal(res.Body, &answer); err != nil || answer.Data["state"] != "grace" {
		t.Errorf("platform/license: %d %s", res.Status, res.Body)
	}
}
