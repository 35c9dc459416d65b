package entitlement_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// host is as what the market knows the stoa that buys.
const host = "b.example.org"

// way is the way from B to A. It can be cut, and somebody may answer on it in place of A.
type way struct {
	proxy  *httputil.ReverseProxy
	liar   atomic.Pointer[http.HandlerFunc]
	cut    atomic.Bool
	leases atomic.Int64 // that were asked for
}

// ServeHTTP implements http.Handler.
func (w *way) ServeHTTP(res http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/api/marketplace/products/mail-pack/license/lease" {
		w.leases.Add(1)
	}
	switch liar := w.liar.Load(); {
	case w.cut.Load():
		panic(http.ErrAbortHandler)
	case liar != nil:
		(*liar)(res, req)
	default:
		w.proxy.ServeHTTP(res, req)
	}
}

func (w *way) lie(h http.HandlerFunc) { w.liar.Store(&h) }
func (w *way) honest()                { w.liar.Store(nil) }

// pair are two stoas: A sells mail-pack, and B has the plugin echo with a license for it.
type pair struct {
	a    *testkit.App
	b    *testkit.Echo
	way  *way
	of   entitlement.Subject
	key  string
	root testkit.Tokens // an administrator of A
}

// newPair returns a pair in which the license is not activated.
func newPair(t *testing.T, options ...testkit.Option) *pair {
	t.Helper()
	a := testkit.NewShop(t, testkit.AsMarket)
	target, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{a: a, root: a.Admin(t, "root"), way: &way{proxy: httputil.NewSingleHostReverseProxy(target)}}
	p.way.proxy.Transport = a.Client.Transport
	between := httptest.NewServer(p.way)
	t.Cleanup(between.Close)
	options = append(options, func(_ testing.TB, cfg *app.Config) {
		if cfg.PublicURL == "" {
			cfg.PublicURL = "https://" + host
		}
	})
	p.b = testkit.New(t, options...).InstallEcho(t, map[string]any{
		"lifecycle": map[string]bool{"onEnable": true, "onDisable": true, "onUninstall": true},
	})
	files, err := http.Get(a.URL + terms.MetadataPath + "1.root.json")
	if err != nil {
		t.Fatal(err)
	}
	defer files.Body.Close()
	m, err := p.b.Markets.Add(t.Context(), between.URL, fingerprint(t, files))
	if err != nil {
		t.Fatal(err)
	}
	p.of = entitlement.Subject{Kind: extension.Plugin, Slug: "echo", Market: m.ID, Product: "mail-pack"}
	p.key = a.BuyKey(t, "", "once")
	p.cameFrom(t, "plugin_packages", p.of)
	return p
}

// cameFrom makes an uploaded package the one of the market.
func (p *pair) cameFrom(t *testing.T, table string, of entitlement.Subject) {
	t.Helper()
	if _, err := p.b.DB.Conn().Write.ExecContext(t.Context(), `DELETE FROM package_origins WHERE kind <> $1`, string(of.Kind)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.b.DB.Conn().Write.ExecContext(t.Context(), `
		INSERT INTO package_origins (kind, slug, zip_hash, market_id, product, product_name)
		SELECT $1, slug, zip_hash, $2, $3, 'Mail Pack' FROM `+table+` WHERE slug = $4`,
		string(of.Kind), of.Market, of.Product, of.Slug); err != nil {
		t.Fatal(err)
	}
}

// licensed returns a pair with an active license, as the operator of B begins a day.
func licensed(t *testing.T, options ...testkit.Option) *pair {
	t.Helper()
	p := newPair(t, options...)
	if _, err := p.b.Entitlements.Activate(t.Context(), p.of, p.key); err != nil {
		t.Fatal(err)
	}
	p.tend(t)
	return p
}

// tend does what B does every few seconds.
func (p *pair) tend(t *testing.T) {
	t.Helper()
	if err := p.b.Entitlements.Tend(t.Context(), false); err != nil {
		t.Fatal(err)
	}
}

// pass lets time pass in both, and B look after its licenses at the end.
func (p *pair) pass(t *testing.T, d time.Duration) {
	t.Helper()
	p.a.Clock.Advance(d)
	p.b.Clock.Advance(d)
	p.tend(t)
}

func (p *pair) license(t *testing.T) entitlement.License {
	t.Helper()
	l, err := p.b.Entitlements.Get(t.Context(), p.of.Kind, p.of.Slug)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// is fails the test unless the license has a state now, and calls of the plugin are answered as that means.
func (p *pair) is(t *testing.T, what string, want entitlement.State, why entitlement.Reason) {
	t.Helper()
	l := p.license(t)
	if state, reason := l.At(p.b.Clock.Now()); state != want || reason != why {
		t.Errorf("%s: %s %q, want %s %q", what, state, reason, want, why)
	}
	status := http.StatusOK
	if want == entitlement.Lapsed {
		status = http.StatusNotFound
	}
	if res, _ := p.call(t, nil); res.Status != status {
		t.Errorf("%s: a call is answered with %d %s, want %d", what, res.Status, res.Body, status)
	}
}

// call calls the plugin as a guest, and returns the answer and what the plugin got.
func (p *pair) call(t *testing.T, header http.Header) (res testkit.Response, got http.Header) {
	t.Helper()
	req := testkit.Get("", testkit.EchoPath+"/api/x")
	req.Header = header
	res = p.b.Do(t, req)
	for r := p.b.Reached(); r != nil; r = p.b.Reached() { // hooks, too
		if r.URL.Path == "/api/x" {
			got = r.Header
		}
	}
	return res, got
}

// instances returns how many instances have a seat of the license.
func (p *pair) instances(t *testing.T, key string) int {
	t.Helper()
	l, err := p.a.Licenses.GetByKey(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return l.License.Instances
}

func (p *pair) revoke(t *testing.T) {
	t.Helper()
	l, err := p.a.Licenses.GetByKey(t.Context(), p.key)
	if err != nil {
		t.Fatal(err)
	}
	if res := p.a.Do(t, testkit.Post(p.root.Access, "/api/v1/admin/licenses/"+l.License.ID+"/revoke", nil)); res.Status != http.StatusOK {
		t.Fatalf("revoke: %d %s", res.Status, res.Body)
	}
}

func fingerprint(t *testing.T, res *http.Response) string {
	t.Helper()
	root, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return terms.Fingerprint(root)
}
