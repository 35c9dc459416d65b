package plugincall_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// keeper is an external plugin that tells what credentials reached it. It sets the cookies that
// ?set= asks for, one in each line.
func keeper(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for line := range strings.SplitSeq(r.URL.Query().Get("set"), "\n") {
			w.Header().Add("Set-Cookie", line)
		}
		seen := map[string]any{
			"cookie": r.Header.Values("Cookie"), "authorization": r.Header.Values("Authorization"),
			"user": r.Header.Get("X-User-Id"), "role": r.Header.Get("X-User-Role"), "caller": r.Header.Get("X-Caller"),
		}
		text, _ := json.Marshal(seen)
		if r.Header.Get("Upgrade") == "" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(text)
			return
		}
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Set-Cookie: live=1; Path=/; Domain=localhost\r\nSet-Cookie: stoa-refresh=x; Path=/auth\r\n\r\n%s\n", text)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// login is a stoa with the plugin keeper under two slugs, the first with two instances.
type login struct {
	*testkit.App

	admin             testkit.Tokens
	id, second, other string // installations: of pay, of pay again, of till
}

func newLogin(t *testing.T, settings map[string]any) *login {
	t.Helper()
	l := &login{App: testkit.New(t)}
	l.admin = l.Admin(t, "root")
	url := keeper(t)
	for slug, id := range map[string]*string{"pay": &l.id, "till": &l.other} {
		res := l.Install(t, l.admin.Access, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest(slug, url), nil))
		*id = res.Text(t, "data.defaultInstance.installationId")
		l.set(t, slug, settings)
	}
	res := l.Do(t, testkit.Post(l.admin.Access, "/api/v1/admin/plugins/pay/instances",
		map[string]any{"instanceKey": "eu", "enabled": true}))
	l.second = res.Text(t, "data.installationId")
	return l
}

func (l *login) set(t *testing.T, slug string, settings map[string]any) {
	t.Helper()
	res := l.Do(t, testkit.Patch(l.admin.Access, "/api/v1/admin/plugins/"+slug, settings))
	for name, want := range settings {
		if got := res.Get(t, "data.settings."+name); got != want {
			t.Fatalf("%s is shown as %v, want %v: %s", name, got, want, res.Body)
		}
	}
}

// call makes a call to a plugin, with lines of headers as they are sent.
func (l *login) call(t *testing.T, target string, header ...string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(l.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", target, strings.Join(append(header, ""), "\r\n"))
	in := bufio.NewReader(c)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode == http.StatusSwitchingProtocols {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return res, line
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// seen returns what of that name reached the plugin.
func seen(t *testing.T, body, name string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if list, ok := all[name].([]any); ok {
		return strings.Trim(fmt.Sprint(list), "[]")
	}
	text, _ := all[name].(string)
	return text
}

func tag(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "p-" + hex.EncodeToString(sum[:])[:12] + "-"
}

const payShop = "/api/v1/shop/plugins/pay"

// A plugin's cookies are its installation's: below the addresses of the call, and back to no other.
func TestPluginsHaveCookiesOfTheirOwn(t *testing.T) {
	t.Parallel()
	l := newLogin(t, map[string]any{"allowCookies": true})
	ours, second, other := tag(l.id), tag(l.second), tag(l.other)
	admin := "Authorization: Bearer " + l.admin.Access

	const set = "?set=s%3D1%3B+Path%3D/%3B+Domain%3Dlocalhost%3B+SameSite%3DNone%0Astoa-refresh%3Dx%3B+Path%3D/auth"
	for base, path := range map[string]string{
		payShop: "/api/x", "/api/extensions/plugin/pay/api": "/x",
		"/api/v1/admin/plugins/pay": "/admin/x",
	} {
		res, _ := l.call(t, base+path+set, admin)
		want := []string{ours + "s=1; Path=" + base + "/; SameSite=Lax", ours + "stoa-refresh=x; Path=" + base + "/auth; SameSite=Lax"}
		if diff := cmp.Diff(want, res.Header.Values("Set-Cookie")); diff != "" {
			t.Errorf("at %s leave (-want +got):\n%s", base, diff)
		}
	}

	all := "Cookie: " + strings.Join([]string{
		ours + "s=mine", second + "s=second", other + "s=other", "stoa-refresh=" + l.admin.Refresh, "s=bare",
		"__Secure-stoa-refresh=" + l.admin.Refresh,
	}, "; ")
	for target, want := range map[string]string{
		payShop + "/api/x": "s=mine", payShop + "/api/x?installation=eu": "s=second",
		payShop + "/api/x?installationId=" + l.second: "s=second", "/api/v1/shop/plugins/till/api/x": "s=other",
		"/api/extensions/plugin/pay/api/x": "s=mine", "/api/v1/admin/plugins/pay/admin/x": "s=mine",
		payShop + "/health": "s=mine",
	} {
		for _, line := range []string{all, "cookie" + all[6:], "COOKIE" + all[6:]} {
			if _, body := l.call(t, target, line, admin); seen(t, body, "cookie") != want {
				t.Errorf("at %s arrive %q, want %q", target, seen(t, body, "cookie"), want)
			}
		}
	}
	for _, odd := range []string{
		"Cookie2: " + ours + "s=1", "X-Cookie: a\r\n_Cookie: " + ours + "s=1", "Coo-kie: " + ours + "s=1",
		"Cookie: stoa-refresh=" + ours + "s=1", "Cookie: " + strings.ToUpper(ours) + "s=1",
		"Connection: cookie\r\nCookie: " + ours + "s=1", "Trailer: Cookie",
	} {
		if _, body := l.call(t, payShop+"/api/x", odd); seen(t, body, "cookie") != "" {
			t.Errorf("%q arrives as %q", odd, seen(t, body, "cookie"))
		}
	}

	res, body := l.call(t, payShop+"/api/socket", all, "Connection: Upgrade", "Upgrade: websocket")
	want := []string{
		ours + "live=1; Path=" + payShop + "/; SameSite=Lax", ours + "stoa-refresh=x; Path=" + payShop + "/auth; SameSite=Lax",
	}
	if diff := cmp.Diff(want, res.Header.Values("Set-Cookie")); diff != "" || seen(t, body, "cookie") != "s=mine" {
		t.Errorf("a WebSocket gets %q and sets (-want +got):\n%s", seen(t, body, "cookie"), diff)
	}

	l.set(t, "pay", map[string]any{"allowCookies": false})
	res, body = l.call(t, payShop+"/api/x"+set, all)
	if got := res.Header.Values("Set-Cookie"); len(got) > 0 || seen(t, body, "cookie") != "" {
		t.Errorf("without the setting, %q leave and %q arrive", got, seen(t, body, "cookie"))
	}
}

// Authorization belongs to stoa, or to the plugin: never to both.
func TestAuthorizationBelongsToOne(t *testing.T) {
	t.Parallel()
	l := newLogin(t, map[string]any{"allowAuthorization": false})
	user := l.Register(t, "ada")
	ours, foreign := "Authorization: Bearer "+user.Access, "Authorization: Bearer a.foreign.token"
	admin := "/api/v1/admin/plugins/pay/api/x"

	check := func(target, header string, status int, authorization, userID string) {
		t.Helper()
		res, body := l.call(t, target, header)
		if res.StatusCode != status {
			t.Errorf("%s with %.40q: %d %s, want %d", target, header, res.StatusCode, body, status)
			return
		}
		if status == http.StatusOK && (seen(t, body, "authorization") != authorization || seen(t, body, "user") != userID) {
			t.Errorf("%s with %.40q: the plugin sees %s", target, header, body)
		}
	}
	const legacy = "/api/extensions/plugin/pay/api/x"
	for _, target := range []string{payShop + "/api/x", legacy} {
		check(target, ours, 200, "", user.UserID)
		check(target, foreign, 401, "", "")
		check(target, "Authorization: Basic YTpi", 200, "", "")
	}
	l.set(t, "pay", map[string]any{"allowAuthorization": true})
	for _, target := range []string{payShop + "/api/x", legacy, payShop + "/health", payShop + "/api/x?installation=eu"} {
		for _, value := range []string{
			"Bearer " + user.Access, "Bearer " + l.admin.Access, "Bearer a.foreign.token", "Basic YTpi", "bearer  two",
			"Digest a=b, c=d", "nonsense",
		} {
			check(target, "Authorization: "+value, 200, value, "")
			check(target, "authorization: "+value, 200, value, "")
		}
		check(target, "Authorization: a\r\nAuthorization: b", 200, "a b", "")
		check(target, "X-Other: 1", 200, "", "")
		check(target, "Connection: authorization\r\n"+foreign, 200, "", "")
		check(target, "Proxy-Authorization: Basic YTpi\r\nAuthorization_: Bearer x", 200, "", "")
	}
	// Another plugin, and an instance that is not there, as before.
	check("/api/v1/shop/plugins/till/api/x", foreign, 401, "", "")
	check("/api/v1/shop/plugins/till/api/x", ours, 200, "", user.UserID)
	check(payShop+"/api/x?installation=none", foreign, 401, "", "")
	// Administrators' paths.
	check(admin, foreign, 401, "", "")
	check(admin, ours, 403, "", "")
	check(admin, "Authorization: Bearer "+l.admin.Access, 200, "", l.admin.UserID)

	// Neither a cookie of stoa's nor one who was known a moment ago makes a user of a guest.
	res, body := l.call(t, payShop+"/api/socket", "Connection: Upgrade", "Upgrade: websocket", ours,
		"Cookie: stoa-refresh="+user.Refresh, "X-Refresh-Token: cookie", "Origin: "+l.URL)
	if res.StatusCode != http.StatusSwitchingProtocols || seen(t, body, "role") != "guest" || seen(t, body, "user") != "" ||
		seen(t, body, "authorization") != "Bearer "+user.Access || seen(t, body, "caller") != "shop" {
		t.Errorf("a WebSocket: %d %s", res.StatusCode, body)
	}
	l.set(t, "pay", map[string]any{"allowAuthorization": false})
	check(payShop+"/api/x", ours, 200, "", user.UserID)
	check(payShop+"/api/x", foreign, 401, "", "")
}
