package operation_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/operation"
	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/tuftest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const (
	acme = testkit.Publisher("acme")
	evil = testkit.Publisher("evil")
)

type object = map[string]any

// service is a plugin that answers everything.
var service = sync.OnceValue(func() string {
	return httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).URL
})

// unsigned returns a plugin that asks for permissions.
func unsigned(tb testing.TB, slug, version string, permissions ...string) []byte {
	tb.Helper()
	return testkit.ExternalPlugin(tb, slug, object{"version": version, "permissions": permissions, "externalBaseUrl": service()})
}

// plugin returns a signed plugin that asks for permissions.
func plugin(tb testing.TB, by testkit.Publisher, slug, version string, permissions ...string) []byte {
	tb.Helper()
	return by.Sign(tb, unsigned(tb, slug, version, permissions...))
}

// buyer is a stoa that trusts a market. It trusts no publisher.
type buyer struct {
	*testkit.App

	admin  testkit.Tokens
	market string
}

func newBuyer(t *testing.T, url, fingerprint string, options ...testkit.Option) *buyer {
	t.Helper()
	a := testkit.New(t, options...)
	b := &buyer{App: a, admin: a.Admin(t, "root")}
	m, err := a.Markets.Add(t.Context(), url, fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	b.market = m.ID
	return b
}

const marketsPath = "/api/v1/admin/markets/"

func (b *buyer) post(t *testing.T, path string, body any) testkit.Response {
	t.Helper()
	return b.Do(t, testkit.Post(b.admin.Access, marketsPath+b.market+"/"+path, body))
}

// install asks for an install; an empty key is none.
func (b *buyer) install(t *testing.T, product, key string, grants ...string) testkit.Response {
	t.Helper()
	body := object{"grants": append([]string{}, grants...)}
	if key != "" {
		body["licenseKey"] = key
	}
	return b.post(t, "products/"+product+"/install", body)
}

// settled waits until an operation that was accepted goes no further now, and returns it.
func (b *buyer) settled(t *testing.T, res testkit.Response) testkit.Response {
	t.Helper()
	if res.Status != http.StatusAccepted {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	if err := b.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b.operation(t, res.Text(t, "data.operationId"))
}

func (b *buyer) operation(t *testing.T, id string) testkit.Response {
	t.Helper()
	return b.Do(t, testkit.Get(b.admin.Access, "/api/v1/admin/market-operations/"+id))
}

// steps returns the steps of an operation, and its error's code at the end.
func steps(t *testing.T, op testkit.Response) (list []string) {
	t.Helper()
	items, _ := op.Get(t, "data.steps").([]any)
	for _, item := range items {
		list = append(list, item.(object)["name"].(string))
	}
	if code := op.Text(t, "data.error.code"); code != "" {
		list = append(list, code)
	}
	return list
}

func wantSteps(t *testing.T, op testkit.Response, want ...string) {
	t.Helper()
	if got := steps(t, op); !slices.Equal(got, want) {
		t.Fatalf("steps %v, want %v: %s", got, want, op.Body)
	}
}

func want(t *testing.T, res testkit.Response, status int, code string) {
	t.Helper()
	if res.Status != status || res.Text(t, "error.code") != code {
		t.Fatalf("%d %s, want %d %s", res.Status, res.Body, status, code)
	}
}

// version returns which version of a plugin is installed; "" if none is.
func (b *buyer) version(t *testing.T, slug string) string {
	t.Helper()
	return b.Do(t, testkit.Get(b.admin.Access, "/api/v1/admin/plugins/"+slug)).Text(t, "data.version")
}

// granted returns what the default instance of a plugin may do.
func (b *buyer) granted(t *testing.T, slug string) []any {
	t.Helper()
	res := b.Do(t, testkit.Get(b.admin.Access, "/api/v1/admin/plugins/"+slug+"/instances"))
	items, _ := res.Get(t, "data.items").([]any)
	list, _ := items[0].(object)["grantedPermissions"].([]any)
	return list
}

// way is the way from one stoa to another. Somebody may answer on it in place of the other.
type way struct {
	proxy *httputil.ReverseProxy
	mu    sync.Mutex
	liar  http.HandlerFunc
}

func (w *way) ServeHTTP(res http.ResponseWriter, req *http.Request) {
	w.mu.Lock()
	liar := w.liar
	w.mu.Unlock()
	if liar != nil {
		liar(res, req)
		return
	}
	w.proxy.ServeHTTP(res, req)
}

// pair are two stoas over real sockets: A sells, B buys.
type pair struct {
	*buyer

	a    *testkit.App
	root testkit.Tokens // an administrator of A
	way  *way
}

func newPair(t *testing.T, options ...testkit.Option) *pair {
	t.Helper()
	p := &pair{way: new(way)}
	between := httptest.NewServer(p.way)
	t.Cleanup(between.Close)
	p.a = testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.PublicURL = between.URL }, acme.Trusted, testkit.AsMarket)
	target, err := url.Parse(p.a.URL)
	if err != nil {
		t.Fatal(err)
	}
	p.way.proxy = httputil.NewSingleHostReverseProxy(target)
	p.way.proxy.Transport = p.a.Client.Transport
	p.root = p.a.Admin(t, "root")
	first := p.a.Fetch(t, terms.MetadataPath+"1.root.json")
	p.buyer = newBuyer(t, between.URL, terms.Fingerprint(first.Body), options...)
	return p
}

func (p *pair) publish(t *testing.T, product string, pkg []byte) {
	t.Helper()
	p.publishAs(t, product, extension.Plugin, pkg)
}

func (p *pair) publishAs(t *testing.T, product string, kind extension.Kind, pkg []byte) {
	t.Helper()
	res := p.a.Do(t, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/admin/products/" + product + "/package?kind=" + string(kind), Token: p.root.Access,
		Body: pkg, Header: http.Header{"Content-Type": {"application/zip"}},
	})
	if res.Status != http.StatusCreated {
		t.Fatalf("publish: %d %s", res.Status, res.Body)
	}
}

// stage is a buyer and a market that may lie about everything but what it signs.
type stage struct {
	*buyer

	m        *tuftest.Market
	licenses *licenses
}

// newStage returns a stage whose market offers the plugin tool 1.0.0, free or not.
func newStage(t *testing.T, paid bool, options ...testkit.Option) *stage {
	t.Helper()
	m := tuftest.New(t, "Acme", testkit.T0.UTC)
	s := &stage{m: m, licenses: &licenses{active: make(map[entitlement.Subject]string)}}
	s.offer(t, paid, plugin(t, acme, "tool", "1.0.0", "storage:read", "events:publish"), "1.0.0")
	s.buyer = newBuyer(t, m.URL, m.Fingerprint(), options...)
	s.Operations.Licenses = s.licenses
	m.Now = s.Clock.Now
	return s
}

// offer signs a package of the product tool.
func (s *stage) offer(t *testing.T, paid bool, archive []byte, version string) {
	t.Helper()
	custom := tuftest.Custom("tool", version, testkit.T0)
	custom.Permissions, custom.Paid = []string{"storage:read", "events:publish"}, paid
	custom.Publisher.Key = base64.StdEncoding.EncodeToString(acme.Public())
	s.m.Carry("tool", custom, archive)
	s.m.Publish()
}

// serve answers a request for a path of the market with JSON.
func (s *stage) serve(path string, status int, body any) {
	s.m.Serve(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	})
}

// licenses are the licenses of a stage: those with the key "good" can be activated.
type licenses struct {
	mu       sync.Mutex
	active   map[entitlement.Subject]string // keys
	seats    int                            // how often a seat was taken
	released int
	away     bool
	trial    bool // all of them are trials
}

const goodKey = "STOA-GOOD"

func (l *licenses) check(key string) error {
	if l.away {
		return remote.ErrUnreachable
	}
	if key != goodKey {
		return operation.ErrLicense.With("reason", "not_found")
	}
	return nil
}

func (l *licenses) Activate(_ context.Context, of entitlement.Subject, key string) (entitlement.License, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(key); err != nil {
		return entitlement.License{}, err
	}
	if l.active[of] != key {
		l.seats++
	}
	l.active[of] = key
	return entitlement.License{}, nil
}

func (l *licenses) Verify(_ context.Context, _ entitlement.Subject, key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.check(key)
}

func (l *licenses) Get(context.Context, extension.Kind, string) (entitlement.License, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return entitlement.License{IsTrial: l.trial}, nil
}

func (l *licenses) Key(_ context.Context, of entitlement.Subject) (string, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, ok := l.active[of]
	return key, ok, nil
}

func (l *licenses) Release(_ context.Context, kind extension.Kind, slug string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.active, func(of entitlement.Subject, _ string) bool { return of.Kind == kind && of.Slug == slug })
	l.released++
	return nil
}
