package gateway

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"stoa/internal/extension/plugin"
)

var passablePaths = []string{
	"/", "/api/", "/api/orders/7", "/api/a%20b", "/api/%C3%A9", "/api/é", "/api/a|b", "/api/a:b@c", "/api/...",
	"/api/.well-known", "/api/a..b",
	"/api/100%25", "/api/http%253A%252F%252Fx", "/api/%252541", "/api/lifecycle", "/api/__lifecycles",
	"/api/x__lifecycle", "/api/trailing/", "/api/a;b=c",
	"/api/a%2fb", "/api/%2Fx", "/api/a%252Fb", "/api/a%2F",
	"/api/admin", "/api/admin/x", "/administration", "/api%2Fadmin", "/x/admin",
}

// adminPaths are passed on for administrators only.
var adminPaths = []string{
	"/admin", "/admin/", "/admin/x", "/Admin/x", "/%61dmin/x", "/%2561dmin", "/admin;a/x", "/admin./x", "/admin%20/x",
	"/admin%2Fx", "/%2Fadmin", "/admin%3fa", "/;x/admin", "/%3bx/admin/y",
}

var refusedPaths = []string{
	"", "api", "//", "/api//x", "//api", "/api/a\\b", "/api/a%5Cb", "/api/%00",
	"/api/%0a", "/api/%7f", "/api/%C0%AF",
	"/api/%FF", "/api/.", "/api/..", "/api/../x", "/api/%2e%2e/x", "/api/.%2E/x", "/api/%252e%252e/x",
	"/api/..;a/x", "/api/x#y", "/api/orders HTTP/1.1", "/api/a b", "/api/a\tb", "/api/a\x7fb",
	"/__lifecycle/onInstall", "/__lifecycle", "/__lifecycle/", "/%5f%5flifecycle/onInstall", "/%5F_lifecycle/x",
	"/__LIFECYCLE/x",
	"/__Lifecycle/x", "/%255f%255flifecycle/x", "/%25255f_lifecycle/x", "/__lifecycle;v=1/x", "/__lifecycle./x",
	"/__lifecycle%20/x",
	"/__lifecycle%3fa/x", "/__lifecycle%23/x", "/__l%69fecycle/x", "/api/__lifecycle/x", "/api/..%2f__lifecycle/x",
	"/api/a%2f..%2fb", "/api/a%2f.%2fb", "/api/a%2f%5f%5flifecycle", "/api/a%252f__lifecycle", "/api%2f..%2f__lifecycle/x",
	"/api/x%252f..%252f__lifecycle",
	"/api/x%255c__lifecycle", "/__lifecycle%00/x", "/__lifecycle%09/x",
	"/api/%25252541", "/api/%" + strings.Repeat("25", 30_000),
}

func TestPassable(t *testing.T) {
	t.Parallel()

	for _, admin := range []bool{false, true} {
		for _, p := range passablePaths {
			if !passable(p, admin) {
				t.Errorf("passable(%q, %t) = false", p, admin)
			}
		}
		for _, p := range refusedPaths {
			if passable(p, admin) {
				t.Errorf("passable(%q, %t) = true", p, admin)
			}
		}
	}
	for _, p := range adminPaths {
		if passable(p, false) || !passable(p, true) {
			t.Errorf("%q: passable for others %t, for administrators %t", p, passable(p, false), passable(p, true))
		}
	}
}

// FuzzPassable checks the property that passable exists for: however often a path that passes is
// decoded and cleaned, it leads neither to the lifecycle nor to the pages for administrators,
// nor out of the segment it began in.
func FuzzPassable(f *testing.F) {
	for _, p := range slices.Concat(passablePaths, refusedPaths, adminPaths) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if !passable(p, false) {
			return
		}
		for seen := p; ; {
			clean := strings.ToLower(path.Clean(strings.ReplaceAll(seen, `\`, "/")))
			for _, closed := range []string{"/__lifecycle", "/admin"} {
				if strings.HasPrefix(clean, closed+"/") || clean == closed {
					t.Fatalf("%q leads to %q", p, clean)
				}
			}
			if strings.HasPrefix(p, "/api/x/") && !strings.HasPrefix(clean, "/api/x") {
				t.Fatalf("%q leads out, to %q", p, clean)
			}
			plain, err := url.PathUnescape(seen)
			if err != nil || plain == seen {
				return
			}
			seen = plain
		}
	})
}

func TestPathFits(t *testing.T) {
	t.Parallel()

	tests := []struct {
		rule, path string
		want       bool
	}{
		{"/api/orders", "/api/orders", true},
		{"/api/orders", "/api/orders/", true},
		{"/api/orders/", "/api/orders", true},
		{"/api/orders", "/API/Orders", true},
		{"/api/orders", "/api/%6Frders", true},
		{"/api/orders", "/api/orders;v=1", true},
		{"/api/orders", "/api/orders/7", false},
		{"/api/orders", "/api/order", false},
		{"/api/orders/:id", "/api/orders/7", true},
		{"/api/orders/{id}", "/api/orders/7", true},
		{"/api/*/items", "/api/7/items", true},
		{"/api/*/items", "/api/7/8/items", false},
		{"/api/orders/:id", "/api/orders", false},
		{"/api/orders/:id", "/api/orders/7/items", false},
		{"/api/orders/*", "/api/orders/7/items", true},
		{"/api/orders/*", "/api/orders", true},
		{"/api/orders/**", "/api/orders/7/items", true},
		{"/api/orders/*", "/api/other", false},
		{"/*", "/anything/at/all", true},
		{"*", "/anything", true},
	}
	for _, tt := range tests {
		if got := pathFits(tt.rule, tt.path); got != tt.want {
			t.Errorf("pathFits(%q, %q) = %t, want %t", tt.rule, tt.path, got, tt.want)
		}
	}
}

// However a request is encoded, no reading of its path escapes a rule.
func TestNoEncodingOfAPathEscapesItsPermission(t *testing.T) {
	t.Parallel()

	rules := []plugin.RoutePermission{
		{Method: "*", Path: "/api/orders/:id/items", Permission: "orders:read"},
		{Method: "*", Path: "/api/users", Permission: "users:read"},
		{Method: "*", Path: "/api/reports/*", Permission: "reports:read"},
		{Method: "*", Path: "/api/files/:name", Permission: "files:read"},
	}
	for _, path := range []string{
		"/api/orders/7/items", "/api%2Forders/7/items", "/api/orders%2f7/items", "/api/orders%2F7%2Fitems",
		"/api/orders%252F7%252Fitems", "/api/orders%25252F7/items", "/api/%6frders%2f7/items", "/api/%256frders/7/items",
		"/API%2FOrders%2F7%2FItems%2F", "/api/orders%2F%2F7/items", "/api/orders;a=b%2F7%3Bx/items",
		"/api/users%2F", "/api/users%3Fx=1", "/api/users%253Fx=1", "/api/users%23x", "/api/users%3Bv=1",
		"/api/%75%73%65%72%73",
		"/api/users;a/b", "/api/users;", "/api/users%3Ba/b", "/api/users%253Ba%2Fb", "/api/users%3Fx;a/b", "/api/users;a%3Fx/b",
		"/api/orders/7/items;a/b", "/api/files/7;a/b", "/api/reports;/api/other",
		"/api/reports%2F2030%2F01", "/api/reports%252f", "/api/files/a%2Fb", // one segment as sent, two when decoded
	} {
		if !passable(path, false) {
			t.Errorf("%s does not pass, so the test says nothing", path)
		}
		if permitted(rules, nil, "GET", path) {
			t.Errorf("%s escapes", path)
		}
		if !permitted(rules, []string{"orders:read", "users:read", "reports:read", "files:read"}, "GET", path) {
			t.Errorf("%s is refused with every permission", path)
		}
	}
	for _, path := range []string{
		"/api/orders/7", "/api/users/7", "/api/users%2F7", "/api/report", "/api/files%2Fa%2Fb",
		"/other",
	} {
		if !permitted(rules, nil, "GET", path) {
			t.Errorf("%s is refused", path)
		}
	}
}

// The stricter reading counts when each is under another permission.
func TestBothReadingsOfAnEncodedSlashNeedTheirPermission(t *testing.T) {
	t.Parallel()

	rules := []plugin.RoutePermission{
		{Method: "GET", Path: "/api/files/:name", Permission: "files:read"},
		{Method: "GET", Path: "/api/files/:folder/:name", Permission: "folders:read"},
	}
	const path = "/api/files/secret%2Fplan"
	for _, held := range [][]string{nil, {"files:read"}, {"folders:read"}} {
		if permitted(rules, held, "GET", path) {
			t.Errorf("%s passes with %q only", path, held)
		}
	}
	if !permitted(rules, []string{"files:read", "folders:read"}, "GET", path) {
		t.Errorf("%s is refused with both permissions", path)
	}
}

func TestMethodFits(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		rule, method string
		want         bool
	}{
		{"GET", "GET", true},
		{"get", "GET", true},
		{"GET", "HEAD", true},
		{"HEAD", "GET", false},
		{"POST", "GET", false},
		{"*", "PATCH", true},
	} {
		if got := methodFits(tt.rule, tt.method); got != tt.want {
			t.Errorf("methodFits(%q, %q) = %t, want %t", tt.rule, tt.method, got, tt.want)
		}
	}
}

func TestClientsDoNotReachThePathForEvents(t *testing.T) {
	t.Parallel()

	for _, p := range []string{
		"/on/events", "/on/events/", "/on/events/x", "/ON/Events", "/on/event%73", "/on/event%2573", "/on%2fevents",
		"/on%252fevents/x", "/on/events;v=1", "/on;v=1/events", "/on/events.", "/on/events%20", "/on/events%3fx",
		"/on/events%23", "/;x/on/events", "/%3b/on/events", "/.../on/events",
	} {
		if !reachesBelow("/on/events", p) && passable(p, true) {
			t.Errorf("%q passes", p)
		}
	}
	for _, p := range []string{"/on", "/on/event", "/on/eventsx", "/x/on/events", "/on/x/events", "/on/events-list"} {
		if reachesBelow("/on/events", p) {
			t.Errorf("%q is refused", p)
		}
	}
}
