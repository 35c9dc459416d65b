package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/external"
	"stoa/internal/run/gateway"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
	"stoa/internal/trust/signing"
)

var (
	now      = time.UnixMilli(1_900_000_000_000)
	secrets  = []string{"current secret", "previous secret"}
	notFound = errs.New(errs.NotFound, "NOT_FOUND", "Instance not found.")
)

// finder is a plugin.Finder over a list.
type finder struct {
	mu   sync.Mutex
	list []plugin.Installed
}

func (f *finder) ByID(_ context.Context, slug, id string) (*plugin.Installed, error) {
	return f.first(func(in plugin.Installed) bool { return in.Package.Manifest.Slug == slug && in.Instance.ID == id })
}

func (f *finder) ByKey(_ context.Context, slug, key string) (*plugin.Installed, error) {
	return f.first(func(in plugin.Installed) bool { return in.Package.Manifest.Slug == slug && in.Instance.Key == key })
}

func (f *finder) first(match func(plugin.Installed) bool) (*plugin.Installed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		if match(f.list[i]) {
			return &f.list[i], nil
		}
	}
	return nil, notFound.Because(errors.New("no row"))
}

// change changes the first instance as an administrator would.
func (f *finder) change(fn func(in *plugin.Installed)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.Clone(f.list) // running calls keep the old one
	fn(&f.list[0])
	f.list[0].Instance.Version++
}

func (f *finder) SigningSecrets(context.Context, string) ([]string, error) { return secrets, nil }

// tokens numbers the tokens it issues. They live ten minutes.
type tokens struct {
	mu  sync.Mutex
	n   int
	key string
	at  func() time.Time
}

func (k *tokens) PluginTokenKey(context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.key, nil
}

func (k *tokens) IssuePluginToken(_ context.Context, t gateway.PluginToken) (string, time.Time, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n++
	return fmt.Sprintf("token-%d-of-%s", k.n, t.InstallationID), k.at().Add(10 * time.Minute), nil
}

// arrived is a request as the plugin got it.
type arrived struct {
	*http.Request

	body []byte
}

// verified checks the signature as a plugin would.
func (a arrived) verified(tb testing.TB) {
	tb.Helper()
	hash := signing.BodyHash(a.body)
	if len(a.body) > signing.MaxSignedBody {
		hash = signing.UnsignedStream
	}
	for _, secret := range secrets {
		if err := signing.VerifyRequest([]string{secret}, a.Request, hash, now); err != nil {
			tb.Errorf("the plugin, with one of the secrets: %v", err)
		}
	}
}

// kit is a gateway behind a real server, and a plugin behind the gateway, below a base path.
// Everything listens on loopback.
type kit struct {
	*gateway.Gateway

	finder *finder
	tokens *tokens
	front  *httptest.Server
	client *http.Transport
	seen   chan arrived

	mu     sync.Mutex
	now    time.Time
	who    reqctx.Caller
	answer http.HandlerFunc
}

func instance(id, key string, m plugin.Manifest, config string) plugin.Installed {
	in := plugin.Installed{Package: plugin.Package{Manifest: m}}
	in.Instance = plugin.Instance{
		ID: id, Slug: m.Slug, Key: key, Enabled: true, Version: 1, Granted: []string{"orders:read", "gone:away"},
	}
	if config != "" {
		in.Instance.Config = []byte(config)
	}
	return in
}

func newKit(tb testing.TB) *kit {
	tb.Helper()
	k := &kit{seen: make(chan arrived, 8), now: now}
	back := httptest.NewServer(http.HandlerFunc(k.plugin))
	tb.Cleanup(back.Close)
	m := plugin.Manifest{
		Slug: "pay", RuntimeType: plugin.External, ExternalBaseURL: back.URL + "/base/",
		Permissions: []string{"orders:read", "orders:write"},
	}
	other := m
	other.Slug = "other"
	off := instance("id-off", "off", m, "")
	off.Instance.Enabled = false
	k.finder = &finder{list: []plugin.Installed{
		instance("id-default", "default", m, `{"k":1}`), instance("id-eu", "eu", m, ""),
		off, instance("id-other", "default", other, ""),
	}}
	k.tokens = &tokens{at: k.clock}
	rt := external.New(external.Config{Log: logtest.New(tb), Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	tb.Cleanup(rt.Close)
	k.Gateway = &gateway.Gateway{
		Plugins: k.finder, Secrets: k.finder, Tokens: k.tokens, Memory: gateway.NewMemory(), Now: k.clock,
		Runtimes: map[plugin.RuntimeType]run.Runtime{plugin.External: rt},
		Platform: gateway.Platform{ID: "platform-1", Version: "1.2.3", APIBaseURL: "https://shop.example", Locale: "en"},
		Log:      logtest.New(tb), Status: web.Status,
	}
	k.front = httptest.NewServer(http.HandlerFunc(k.serve))
	tb.Cleanup(k.front.Close)
	k.client = &http.Transport{DisableCompression: true}
	tb.Cleanup(k.client.CloseIdleConnections)
	return k
}

func (k *kit) clock() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// plugin is the plugin: it reports what arrived and answers 418, or as k.answer
// says.
func (k *kit) plugin(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	answer := k.answer
	k.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	k.seen <- arrived{r, body}
	w.WriteHeader(http.StatusTeapot)
}

// serve is the server in front of the gateway. Paths are those of plugin pay.
func (k *kit) serve(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	who := k.who
	k.mu.Unlock()
	w.Header().Set("X-Request-Id", "req-1")
	ctx := reqctx.WithCaller(reqctx.WithRequestID(r.Context(), "req-1"), who)
	path := r.URL.RawPath
	if path == "" {
		path = r.URL.EscapedPath()
	}
	err := k.Serve(w, r.WithContext(ctx), gateway.Call{Slug: "pay", Path: path, Caller: gateway.CallerShop})
	if e, ok := errors.AsType[*errs.Error](err); ok {
		w.Header().Set("X-Code", e.Code)
		w.Header().Set("X-Message", e.Message)
		w.Header().Set("X-Slug", fmt.Sprint(e.Details["slug"]))
		if reason, shown := e.Details["reason"]; shown {
			w.Header().Set("X-Reason", fmt.Sprint(reason))
		}
		w.WriteHeader(599)
	} else if err != nil {
		w.Header().Set("X-Code", err.Error())
		w.WriteHeader(500)
	}
}

// code returns the result of a call: the status, or the gateway's error code.
func code(res *http.Response) string {
	if c := res.Header.Get("X-Code"); c != "" {
		return c
	}
	return strconv.Itoa(res.StatusCode)
}

func (k *kit) do(tb testing.TB, method, target string, body io.Reader, header http.Header) *http.Response {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), method, k.front.URL+target, body)
	if err != nil {
		tb.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	res, err := k.client.RoundTrip(r)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { res.Body.Close() })
	return res
}

// dialRaw connects to the server in front of the gateway.
func (k *kit) dialRaw(tb testing.TB) net.Conn {
	tb.Helper()
	c, err := net.Dial("tcp", k.front.Listener.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	return c
}

// raw sends bytes as they are and reads one answer.
func (k *kit) raw(tb testing.TB, lines ...string) *http.Response {
	tb.Helper()
	c := k.dialRaw(tb)
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		tb.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// next returns the request that reached the plugin.
func (k *kit) next(tb testing.TB) arrived {
	tb.Helper()
	return waittest.Next(tb, "a request that reaches the plugin", k.seen)
}

// untouched fails the test if anything reached the plugin.
func (k *kit) untouched(tb testing.TB) {
	tb.Helper()
	select {
	case a := <-k.seen:
		tb.Errorf("the plugin was reached: %s %s", a.Method, a.RequestURI)
	default:
	}
}

func bodyOf(size int) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte("x"), size)) }
