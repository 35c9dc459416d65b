package extension_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/testkit/tuftest"
	"stoa/internal/testkit/waittest"
)

const marketsPath = "/api/v1/admin/markets"

// add asks to add a market.
func add(t *testing.T, a *testkit.App, token, url, fingerprint string) testkit.Response {
	t.Helper()
	body := map[string]any{"url": url}
	if fingerprint != "" {
		body["rootFingerprint"] = fingerprint
	}
	return a.Do(t, testkit.Post(token, marketsPath, body))
}

// An administrator confirms the fingerprint of a market, sees what state it is in, and removes it.
func TestMarketsAreAddedByTheirConfirmedFingerprint(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.New(t, options...)
		admin := a.Admin(t, "root").Access
		m := tuftest.New(t, "Acme", a.Clock.Now)
		for name, given := range map[string]string{"none": "", "another": strings.Repeat("0", 64)} {
			res := add(t, a, admin, m.URL+"/", given)
			if res.Status != http.StatusConflict || res.Text(t, "error.code") != "MARKET_UNCONFIRMED" ||
				res.Text(t, "error.details.rootFingerprint") != m.Fingerprint() {
				t.Errorf("%s: %d %s", name, res.Status, res.Body)
			}
		}
		res := add(t, a, admin, m.URL, m.Fingerprint())
		if res.Status != http.StatusCreated || res.Text(t, "data.state") != "ok" || res.Text(t, "data.name") != "Acme" ||
			res.Text(t, "data.url") != m.URL || res.Text(t, "data.rootFingerprint") != m.Fingerprint() {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		id := res.Text(t, "data.market")
		if res := add(t, a, admin, m.URL, m.Fingerprint()); res.Status != http.StatusConflict || res.Text(t, "error.code") != "CONFLICT" {
			t.Errorf("again: %d %s", res.Status, res.Body)
		}
		list := a.Do(t, testkit.Get(admin, marketsPath)).Get(t, "data.items").([]any)
		local, other := list[0].(object), list[1].(object)
		if got := []any{
			local["market"], local["state"], local["rootFingerprint"], other["market"], other["state"],
		}; !cmp.Equal(got, []any{"self", "ok", nil, id, "ok"}) {
			t.Errorf("listed %v", got)
		}
		a.Clock.Advance(terms.TimestampLife + time.Second)
		admin = a.Login(t, "root").Access
		check := func(id string) testkit.Response {
			return a.Do(t, testkit.Post(admin, marketsPath+"/"+id+"/check", nil))
		}
		if res := check(id); res.Status != http.StatusOK || res.Text(t, "data.state") != "stale" {
			t.Errorf("frozen: %d %s", res.Status, res.Body)
		}
		m.Publish()
		if res := check(id); res.Status != http.StatusOK || res.Text(t, "data.state") != "ok" || res.Get(t, "data.reason") != nil {
			t.Errorf("published: %d %s", res.Status, res.Body)
		}
		if res := check("self"); res.Status != http.StatusOK || res.Text(t, "data.url") != a.URL {
			t.Errorf("self: %d %s", res.Status, res.Body)
		}
		remove := func(id string) int { return a.Do(t, testkit.Delete(admin, marketsPath+"/"+id)).Status }
		if got := []int{remove("self"), remove(id), remove(id), check(id).Status, check("x").Status}; !cmp.Equal(got, []int{409, 200, 404, 404, 404}) {
			t.Errorf("removed: %v", got)
		}
		var actions []string
		for _, e := range a.Do(t, testkit.Get(admin, "/api/v1/admin/audit?target="+id)).Get(t, "data.items").([]any) {
			actions = append(actions, e.(object)["action"].(string))
		}
		if got := strings.Join(actions, " "); got != "market.remove market.add" {
			t.Errorf("audited %s", got)
		}
	})
}

// What cannot be added says why, each with its own code.
func TestMarketsThatCannotBeAdded(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.MarketAllow = cfg.MarketAllow[:1] }) // not ::1
	admin := a.Admin(t, "root").Access
	m := tuftest.New(t, "Acme", a.Clock.Now)
	root := terms.MetadataPath + "1.root.json"
	for _, tt := range []struct {
		name, url string
		serve     http.HandlerFunc
		status    int
		code      string
	}{
		{"no address", "", nil, 400, "VALIDATION_ERROR"},
		{"no URL", "market", nil, 400, "VALIDATION_ERROR"},
		{"a path", m.URL + "/shop", nil, 400, "VALIDATION_ERROR"},
		{"credentials", "https://a:b@market.example", nil, 400, "VALIDATION_ERROR"},
		{"http elsewhere", "http://market.example", nil, 400, "VALIDATION_ERROR"},
		{"private", "https://10.1.2.3", nil, 400, "VALIDATION_ERROR"},
		{"link-local", "https://[fe80::1]", nil, 400, "VALIDATION_ERROR"},
		{"loopback that is not listed", "http://[::1]:1", nil, 400, "VALIDATION_ERROR"},
		{"nobody there", "http://127.0.0.1:1", nil, 502, "MARKET_UNREACHABLE"},
		{"no TLS there", strings.Replace(m.URL, "http:", "https:", 1), nil, 502, "MARKET_UNREACHABLE"},
		{"another stoa", a.URL, nil, 409, "MARKET_UNTRUSTED"},
		{"a redirect", m.URL, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, a.URL, http.StatusFound) }, 409, "MARKET_UNTRUSTED"},
		{"a page", m.URL, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, 409, "MARKET_UNTRUSTED"},
		{"down", m.URL, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 502, "MARKET_UNREACHABLE"},
	} {
		m.Serve(root, tt.serve)
		res := add(t, a, admin, tt.url, m.Fingerprint())
		if res.Status != tt.status || res.Text(t, "error.code") != tt.code {
			t.Errorf("%s: %d %s", tt.name, res.Status, res.Body)
		}
	}
	m.Serve(root, nil)
	a.Clock.Advance(terms.TimestampLife + time.Second)
	admin = a.Login(t, "root").Access
	if res := add(t, a, admin, m.URL, m.Fingerprint()); res.Text(t, "error.details.state") != "stale" {
		t.Errorf("expired: %d %s", res.Status, res.Body)
	}
	m.Put(tuftest.TimestampPath, []byte("{}"))
	if res := add(t, a, admin, m.URL, m.Fingerprint()); res.Text(t, "error.details.state") != "untrusted" {
		t.Errorf("unreadable: %d %s", res.Status, res.Body)
	}
	if list := a.Do(t, testkit.Get(admin, marketsPath)); len(list.Get(t, "data.items").([]any)) != 1 {
		t.Errorf("listed %s", list.Body)
	}
}

// Of all processes on a database one polls the markets.
func TestOneReplicaPollsTheMarkets(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		var at string
		first := testkit.New(t, append(options, func(_ testing.TB, cfg *app.Config) { at = cfg.DatabaseURL })...)
		m := tuftest.New(t, "Acme", first.Clock.Now)
		if _, err := first.Markets.Add(t.Context(), m.URL, m.Fingerprint()); err != nil {
			t.Fatal(err)
		}
		m.Asked()
		polling := func(_ testing.TB, cfg *app.Config) { cfg.PollMarkets, cfg.DatabaseURL = true, at }
		for range 2 {
			testkit.New(t, polling)
		}
		asked := 0
		waittest.True(t, "a poll", func() bool { asked += len(m.Asked()); return asked > 0 })
		duties := func() (n int) {
			err := first.DB.Conn().Read.QueryRowContext(t.Context(), `SELECT count(*) FROM duties WHERE name = 'markets'`).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if asked += len(m.Asked()); asked != 1 || duties() != 1 {
			t.Errorf("asked %d times, %d processes are on duty", asked, duties())
		}
	})
}
