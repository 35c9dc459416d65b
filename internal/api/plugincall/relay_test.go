package plugincall_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestGatewayRoutes(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, app *testkit.App) {
		e := app.InstallEcho(t, nil)
		user := app.Register(t, "ada")
		tests := []struct {
			method, path, token string
			status              int
			uri, caller, role   string
		}{
			{
				"GET", testkit.EchoPath + "/api/orders/7?a=%41&installation=default&b",
				"", 200, "/api/orders/7?a=%41&b", "shop", "guest",
			},
			{"POST", testkit.EchoPath + "/api/", user.Access, 200, "/api/", "shop", "customer"},
			{
				"PATCH", testkit.EchoPath + "/api/a%2520b%C3%A9%3A",
				e.Admin.Access, 200, "/api/a%2520b%C3%A9%3A", "shop", "admin",
			},
			{"OPTIONS", testkit.EchoPath + "/api/x", "", 200, "/api/x", "shop", "guest"},
			{"HEAD", testkit.EchoPath + "/api/x", "", 200, "/api/x", "shop", "guest"},
			{"GET", testkit.EchoPath + "/health", "", 200, "/health", "shop", "guest"},
			{"POST", testkit.EchoPath + "/health", "", 405, "", "", ""},
			{"GET", testkit.EchoPath + "/health/more", "", 404, "", "", ""},
			{"GET", testkit.EchoPath + "/other", "", 404, "", "", ""},
			{"GET", testkit.EchoPath + "/api", "", 404, "", "", ""},
			{"GET", "/api/extensions/plugin/echo/api/orders/7?x=1", "", 200, "/orders/7?x=1", "shop", "guest"},
			{"DELETE", "/api/extensions/plugin/echo/api/", user.Access, 200, "/", "shop", "customer"},
			{"GET", "/api/v1/admin/plugins/echo/api/orders/7", e.Admin.Access, 200, "/api/orders/7", "admin", "admin"},
			{"GET", "/api/v1/admin/plugins/echo/api/orders/7", user.Access, 403, "", "", ""},
			{"GET", "/api/v1/admin/plugins/echo/api/orders/7", "", 401, "", "", ""},
			{"GET", testkit.EchoPath + "/api/x", "no.such.token", 401, "", "", ""},
		}
		for _, tt := range tests {
			res := app.Do(t, testkit.Request{Method: tt.method, Path: tt.path, Token: tt.token})
			r := e.Reached()
			if res.Status != tt.status || (r != nil) != (tt.status == 200) {
				t.Errorf("%s %s: status %d, reached %t; want %d", tt.method, tt.path, res.Status, r != nil, tt.status)
				continue
			}
			if r == nil {
				continue
			}
			if r.Method != tt.method || r.RequestURI != tt.uri || r.Header.Get("X-Caller") != tt.caller ||
				r.Header.Get("X-User-Role") != tt.role {
				t.Errorf("%s %s: the plugin saw %s %s from %s, %s", tt.method, tt.path, r.Method, r.RequestURI,
					r.Header.Get("X-Caller"), r.Header.Get("X-User-Role"))
			}
			if r.Header.Get("X-Installation-Id") != e.ID ||
				r.Header.Get("X-Request-Id") != res.Header.Get("X-Request-Id") {
				t.Errorf("%s %s: installation %q, request %q", tt.method, tt.path, r.Header.Get("X-Installation-Id"),
					r.Header.Get("X-Request-Id"))
			}
		}
	})
}

func TestGatewayIgnoresOtherSchemes(t *testing.T) {
	t.Parallel()
	e := testkit.New(t).InstallEcho(t, nil)
	res := e.Do(t, testkit.Request{
		Method: "GET", Path: testkit.EchoPath + "/api/x", Header: http.Header{"Authorization": {"Basic YTpi"}},
	})
	if r := e.Reached(); res.Status != 200 || r == nil || r.Header.Get("X-User-Role") != "guest" ||
		r.Header.Get("Authorization") != "" {
		t.Errorf("status %d, plugin saw %v", res.Status, r)
	}
}

// Every reason for a missing instance gives the same bytes, so that clients cannot find out which
// instances exist.
func TestGatewayNotFoundRevealsNothing(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, app *testkit.App) {
		e := app.InstallEcho(t, nil)
		off, gone := e.Instance(t, "off"), e.Instance(t, "gone")
		patch := func(id string, body any) {
			t.Helper()
			res := app.Do(t, testkit.Patch(e.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+id, body))
			if res.Status != http.StatusOK {
				t.Fatalf("patch: %d %s", res.Status, res.Body)
			}
		}
		patch(off, map[string]any{"enabled": false})
		if res := app.Do(t, testkit.Delete(e.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+
			gone)); res.Status != http.StatusOK {
			t.Fatalf("delete: %d %s", res.Status, res.Body)
		}
		other := app.Install(t, e.Admin.Access, "plugin",
			testkit.PluginArchive(t, testkit.ExternalManifest("other", "http://127.0.0.1:9"), nil))
		foreign := other.Text(t, "data.defaultInstance.installationId")

		var want []byte
		same := func(why, path string, header http.Header) {
			t.Helper()
			res := app.Do(t, testkit.Request{Method: "GET", Path: path, Header: header})
			if want == nil {
				want = res.Body
			}
			if res.Status != http.StatusNotFound || !bytes.Equal(res.Body, want) || e.Reached() != nil {
				t.Errorf("%s: %d %s\nwant 404 %s", why, res.Status, res.Body, want)
			}
		}
		id := func(s string) http.Header { return http.Header{"X-Installation-Id": {s}} }
		same("unknown id", testkit.EchoPath+"/api/x?installationId=00000000-0000-4000-8000-000000000000", nil)
		same("no id at all", testkit.EchoPath+"/api/x?installationId=default", nil)
		same("empty id", testkit.EchoPath+"/api/x", id(""))
		same("unknown key", testkit.EchoPath+"/api/x?installation=us", nil)
		same("disabled, by id", testkit.EchoPath+"/api/x?installationId="+off, nil)
		same("disabled, by key", testkit.EchoPath+"/api/x?installation=off", nil)
		same("deleted, by id", testkit.EchoPath+"/api/x", id(gone))
		same("deleted, by key", testkit.EchoPath+"/api/x?installation=gone", nil)
		same("foreign", testkit.EchoPath+"/api/x", id(foreign))
		same("the lifecycle", testkit.EchoPath+"/api/../__lifecycle/onInstall", nil)
		patch(e.ID, map[string]any{"enabled": false})
		same("default disabled", testkit.EchoPath+"/api/x", nil)
		if res := app.Do(t, testkit.Delete(e.Admin.Access, "/api/v1/admin/plugins/echo")); res.Status != http.StatusOK {
			t.Fatalf("uninstall: %d %s", res.Status, res.Body)
		}
		same("uninstalled", testkit.EchoPath+"/api/x", nil)
		want = nil
		same("never installed", "/api/v1/shop/plugins/never/api/x", nil)
		if !bytes.Contains(want, []byte(`"slug":"never"`)) {
			t.Errorf("body %s does not name the slug", want)
		}
	})
}

// No spelling of a path reaches the routes on which the platform calls a
// plugin.
func TestLifecycleIsUnreachable(t *testing.T) {
	t.Parallel()
	e := testkit.New(t).InstallEcho(t, nil)
	tails := []string{
		"__lifecycle/onInstall", "%5f%5flifecycle/onInstall",
		"%5F_lifecycle/onInstall", "__LIFECYCLE/onInstall", "%255f%255flifecycle/onInstall",
		"/__lifecycle/onInstall", "./__lifecycle/onInstall", "../__lifecycle/onInstall",
		"%2e%2e/__lifecycle/onInstall", "..%2f__lifecycle/onInstall",
		"%2F__lifecycle/onInstall", "x/../../__lifecycle/onInstall",
		"x/%2e%2e/%2e%2e/__lifecycle/onInstall", "..\\__lifecycle/onInstall",
		"..%5c__lifecycle/onInstall", "..;/__lifecycle/onInstall",
		"__lifecycle;x/onInstall", "__lifecycle#/onInstall", "__lifecycle%00/onInstall",
		"__l%69fecycle/onInstall", "%5f%5f%6c%69%66%65%63%79%63%6c%65/onInstall", "%c0%ae%c0%ae/__lifecycle/onInstall",
	}
	for _, prefix := range []string{
		"/api/v1/shop/plugins/echo/api/", "/api/v1/shop/plugins/echo/",
		"/api/extensions/plugin/echo/api/", "/api/extensions/plugin/echo/", "/api/v1/admin/plugins/echo/api/",
	} {
		for _, tail := range tails {
			for _, method := range []string{"GET", "POST"} {
				if status := rawStatus(t, e.App, method, prefix+tail, "Authorization: Bearer "+
					e.Admin.Access); status != http.StatusNotFound {
					t.Errorf("%s %s%s: status %d, want 404", method, prefix, tail, status)
				}
			}
		}
	}
	if r := e.Reached(); r != nil {
		t.Errorf("the plugin was reached at %s", r.RequestURI)
	}
}

// Only administrators reach a plugin's /admin/, and only below their own address.
func TestPagesForAdministratorsAreUnreachableForOthers(t *testing.T) {
	t.Parallel()
	e := testkit.New(t).InstallEcho(t, nil)
	user := e.Register(t, "ada")
	const own = "/api/v1/admin/plugins/echo/admin/"
	for token, want := range map[string]int{
		"": http.StatusUnauthorized, user.Access: http.StatusForbidden, e.Admin.Access: http.StatusOK,
	} {
		for _, path := range []string{own + "a%2Fb?x=1", strings.TrimSuffix(own, "/") + "?x=2"} {
			if res := e.DoUnchecked(t, testkit.Get(token, path)); res.Status != want {
				t.Errorf("%s = %d, want %d", path, res.Status, want)
			}
		}
	}
	for _, want := range []string{"/admin/a%2Fb?x=1", "/admin?x=2"} {
		if r := e.Reached(); r == nil || r.RequestURI != want || r.Header.Get("X-Caller") != "admin" {
			t.Fatalf("the plugin was reached by %+v, want %s", r, want)
		}
	}
	for _, prefix := range []string{
		"/api/v1/shop/plugins/echo/", "/api/v1/shop/plugins/echo/api/../", "/api/extensions/plugin/echo/api/",
		"/api/extensions/plugin/echo/", "/api/v1/shop/plugins/echo/api%2f..%2f",
	} {
		for _, tail := range []string{
			"admin", "admin/x", "Admin/x", "%61dmin/x", "%2561dmin/x", "admin;a/x", "%2Fadmin/x", "/admin/x", "./admin/x",
			"x/../admin/x", "admin%2Fx",
		} {
			bearer := "Authorization: Bearer " + e.Admin.Access
			if status := rawStatus(t, e.App, "GET", prefix+tail, bearer); status != http.StatusNotFound {
				t.Errorf("%s%s: status %d, want 404", prefix, tail, status)
			}
		}
	}
	if r := e.Reached(); r != nil {
		t.Errorf("the plugin was reached at %s", r.RequestURI)
	}
}

func TestGatewayRefusesConnectAndTrace(t *testing.T) {
	t.Parallel()
	e := testkit.New(t).InstallEcho(t, nil)
	for _, method := range []string{"CONNECT", "TRACE", "trace"} {
		if status := rawStatus(t, e.App, method, testkit.EchoPath+"/api/x"); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d, want 405", method, status)
		}
	}
	if e.Reached() != nil {
		t.Error("the plugin was reached")
	}
}

// rawStatus sends a request line unchanged, as no client would, and returns the
// status of the answer.
func rawStatus(t *testing.T, app *testkit.App, method, target string, headers ...string) int {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(app.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	lines := append([]string{fmt.Sprintf("%s %s HTTP/1.1", method, target), "Host: localhost", "Connection: close"},
		headers...)
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

func TestGatewayAnswersForThePlugin(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	e := app.InstallEcho(t, map[string]any{
		"permissions":      []string{"orders:read"},
		"routePermissions": []map[string]string{{"method": "GET", "path": "/api/orders", "permission": "orders:read"}},
	})
	down := app.Install(t, e.Admin.Access, "plugin",
		testkit.PluginArchive(t, testkit.ExternalManifest("down", "http://127.0.0.1:9"), nil))
	if down.Status != http.StatusCreated {
		t.Fatal(string(down.Body))
	}
	check := func(req testkit.Request, status int, code, slug string) {
		t.Helper()
		res := app.Do(t, req)
		if res.Status != status || res.Text(t, "error.code") != code || res.Text(t, "error.details.slug") != slug {
			t.Errorf("%s: %d %s; want %d %s of %s", req.Path, res.Status, res.Body, status, code, slug)
		}
	}
	check(testkit.Get("", "/api/v1/shop/plugins/down/api/x"), 502, "PLUGIN_UNREACHABLE", "down")
	check(testkit.Post("", testkit.EchoPath+"/api/x", bytes.Repeat([]byte("x"), 10<<20+1)), 413, "PAYLOAD_TOO_LARGE",
		"echo")
	orders := testkit.Get("", testkit.EchoPath+"/api/orders")
	if res := app.Do(t, orders); res.Status != 200 {
		t.Errorf("granted at install: %d %s", res.Status, res.Body)
	}
	res := app.Do(t, testkit.Patch(e.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+e.ID, map[string]any{
		"grantedPermissions": []string{},
	}))
	if res.Status != 200 {
		t.Fatal(string(res.Body))
	}
	check(orders, 403, "PERMISSION_NOT_GRANTED", "echo")
}

// Internal plugins are reached the same way, and get their config when they
// register.
func TestGatewayReachesInternalPlugins(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, app *testkit.App) {
		admin := app.Admin(t, "root")
		archive := testkit.PluginArchive(t, testkit.InternalManifest("inner", "index.js"),
			map[string]string{"index.js": `
			module.exports = async (app, config) => {
				app.all('/api/echo', async (request, reply) => {
					reply.header('set-cookie', 'a=1').header('x-request-id', 'own')
					return { url: request.url, config, body: request.body ?? null, headers: request.headers }
				})
			}`})
		if res := app.Install(t, admin.Access, "plugin", archive); res.Status != http.StatusCreated {
			t.Fatalf("install: %d %s", res.Status, res.Body)
		}
		res := app.Do(t, testkit.Request{
			Method: "POST", Path: "/api/v1/shop/plugins/inner/api/echo?a=%20&installation=default",
			Body: map[string]any{"n": 1},
			Header: http.Header{
				"X-User-Id": {"forged"}, "x_user_role": {"forged"}, "Cookie": {"forged"},
				"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "Tracestate": {"a=1"},
			},
		})
		if res.Status != http.StatusOK || res.Text(t, "url") != "/api/echo?a=%20" || res.Get(t, "body.n") != 1.0 {
			t.Fatalf("answer = %d %s", res.Status, res.Body)
		}
		if bytes.Contains(res.Body, []byte("forged")) || res.Text(t, "headers.x-user-role") != "guest" ||
			res.Text(t, "headers.x-plugin-slug") != "inner" {
			t.Errorf("the plugin saw %s", res.Body)
		}
		if got := res.Text(t, "headers.traceparent"); !strings.HasPrefix(got, "00-0af7651916cd43dd8448eb211c80319c-") ||
			strings.Contains(got, "b7ad6b7169203331") || res.Text(t, "headers.tracestate") != "a=1" {
			t.Errorf("traceparent = %q", got)
		}
		if res.Header.Get("Set-Cookie") != "" || len(res.Header["X-Request-Id"]) != 1 ||
			res.Header.Get("X-Request-Id") == "own" {
			t.Errorf("header = %v", res.Header)
		}
	})
}
