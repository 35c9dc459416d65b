package node

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/egress"
	"stoa/internal/run/sandbox"
)

// reachesPlatform lets plugins reach a platform at base that tells what it was
// asked.
func reachesPlatform(tb testing.TB, base string, allow ...netip.Prefix) func(*options) {
	tb.Helper()
	return func(c *options) {
		gate, err := egress.New(egress.Config{
			Log: c.Log, BaseURL: base, Allow: allow,
			Platform: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "%s %s from %s as %s, forwarded %q", r.Method, r.URL, r.RemoteAddr, r.Host,
					r.Header.Get("X-Forwarded-For"))
			}),
		})
		if err != nil {
			tb.Fatal(err)
		}
		c.Egress = gate
	}
}

// contained skips a test where plugins cannot be contained.
func contained(tb testing.TB, f *fixture) *fixture {
	tb.Helper()
	files, err := f.host.prepare()
	if err != nil {
		tb.Fatal(err)
	}
	if level, missing := files.machine.Isolation(); level != sandbox.Full {
		tb.Skipf("plugins cannot be contained here: %s", missing)
	}
	return f
}

const fetchRoutes = `
	const text = async (what) => { try { return await what() } catch (err) { return String(err.cause?.code ?? err.code ?? err.message) } }
	app.post('/api/fetch', async (request) => ({ text: await text(async () => {
	  const res = await fetch(request.body.url, { headers: { 'x-forwarded-for': '6.6.6.6' } })
	  return res.status + ' ' + await res.text()
	}) }))
	app.post('/api/http', async (request) => ({ text: await text(() => new Promise((resolve, reject) => {
	  const { url } = request.body
	  require(url.startsWith('https') ? 'https' : 'http').get(url, async (res) => {
	    let all = ''
	    for await (const part of res) all += part
	    resolve(res.statusCode + ' ' + all)
	  }).on('error', reject)
	})) }))`

func TestThePlatformAPIIsReachedWithPlainFetchAndHTTP(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"http://127.0.0.1:8080", "http://localhost:8080", "http://shop.example.com", "https://shop.example.com",
		"https://shop.example.com:8443/stoa", "http://10.1.2.3:81", "https://10.1.2.3",
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			f := contained(t, newFixture(t, reachesPlatform(t, base)))
			in := f.install(t, "caller", withRoutes(fetchRoutes))
			host := strings.SplitN(base, "/", 4)[2]
			for _, way := range []string{"/api/fetch", "/api/http"} {
				want := fmt.Sprintf(`{"text":"200 GET /api/v1/platform/config?x=1 from 127.0.0.1:0 as %s, forwarded \"\""}`, host)
				if got := f.post(t, in, way, `{"url":`+quote(base+"/api/v1/platform/config?x=1")+`}`); got != want {
					t.Errorf("%s: got %s, want %s", way, got, want)
				}
				stored := f.post(t, in, way, `{"url":`+quote(base+"/api/v1/platform/storage/a%2Fb%3F")+`}`)
				if !strings.HasPrefix(stored, `{"text":"200 GET /api/v1/platform/storage/a%2Fb%3F from `) {
					t.Errorf("%s: the key of a stored value: got %s", way, stored)
				}
				for _, path := range []string{
					"/api/v1/admin/users", "/auth/login", "/", "/api/v1/platform", "/api/v1/platform/../admin/users",
					"/api/v1/platform/%2e%2e/admin/users", "/api/v1/platform//x", "/api/v1/platform/..%2fadmin", "/metrics",
				} {
					got := f.post(t, in, way, `{"url":`+quote(base+path)+`}`)
					if !strings.HasPrefix(got, `{"text":"403 Plugins reach /api/v1/platform/`) {
						t.Errorf("%s %s: got %s", way, path, got)
					}
				}
			}
		})
	}
}

func TestOnlyGrantedHostsAreReached(t *testing.T) { //nolint:tparallel // the cases share one plugin
	t.Parallel()
	// A private address that is this machine's own stands for the world outside.
	outside := ownAddress(t)
	ln, err := net.Listen("tcp", net.JoinHostPort(outside, "0"))
	if err != nil {
		t.Skipf("no address to listen at: %v", err)
	}
	srv := &httptest.Server{
		Listener: ln,
		Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "hello %s", r.Host)
		})},
	}
	srv.Start()
	t.Cleanup(srv.Close)
	url := `{"url":` + quote(srv.URL) + `}`
	allow := netip.PrefixFrom(netip.MustParseAddr(outside), 32)

	t.Run("granted and public, or allowed by the operator", func(t *testing.T) {
		f := contained(t, newFixture(t, reachesPlatform(t, "http://127.0.0.1:8080", allow)))
		in := f.install(t, "granted", withRoutes(fetchRoutes))
		in.Package.Manifest.Permissions = []string{"network:" + ln.Addr().String()}
		in.Instance.Granted = in.Package.Manifest.Permissions
		for _, way := range []string{"/api/fetch", "/api/http"} {
			if got := f.post(t, in, way, url); got != `{"text":"200 hello `+ln.Addr().String()+`"}` {
				t.Errorf("got %s", got)
			}
		}
	})
	t.Run("granted and private", func(t *testing.T) {
		f := contained(t, newFixture(t, reachesPlatform(t, "http://127.0.0.1:8080")))
		in := f.install(t, "private", withRoutes(fetchRoutes))
		in.Package.Manifest.Permissions = []string{"network:" + ln.Addr().String()}
		in.Instance.Granted = in.Package.Manifest.Permissions
		if got := f.post(t, in, "/api/fetch", url); got != `{"text":"EACCES"}` {
			t.Errorf("got %s", got)
		}
	})
	t.Run("declared and not granted", func(t *testing.T) {
		f := contained(t, newFixture(t, reachesPlatform(t, "http://127.0.0.1:8080", allow)))
		in := f.install(t, "declared", withRoutes(fetchRoutes))
		in.Package.Manifest.Permissions = []string{"network:" + ln.Addr().String()}
		for _, url := range []string{url, `{"url":"https://example.com/"}`} {
			if got := f.post(t, in, "/api/fetch", url); got != `{"text":"EACCES"}` {
				t.Errorf("%s: got %s", url, got)
			}
		}
	})
	t.Run("loopback is never granted", func(t *testing.T) {
		local := httptest.NewServer(srv.Config.Handler)
		defer local.Close()
		addr := local.Listener.Addr().String()
		f := contained(t, newFixture(t, reachesPlatform(t, "http://127.0.0.1:8080", netip.MustParsePrefix("127.0.0.0/8"))))
		in := f.install(t, "loopback", withRoutes(fetchRoutes))
		in.Package.Manifest.Permissions = []string{"network:" + addr}
		in.Instance.Granted = in.Package.Manifest.Permissions
		if got := f.post(t, in, "/api/fetch", `{"url":`+quote(local.URL)+`}`); strings.Contains(got, "hello") {
			t.Errorf("got %s", got)
		}
	})
}

// ownAddress returns an IPv4 address of this machine that is not loopback.
func ownAddress(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}

// post is get with POST and a JSON body.
func (f *fixture) post(tb testing.TB, in plugin.Installed, target, body string) string {
	tb.Helper()
	status, answer, err := f.do(tb, in, http.MethodPost, target, body)
	if err != nil || status != http.StatusOK {
		tb.Fatalf("POST %s: %d %s, error %v", target, status, answer, err)
	}
	return answer
}
