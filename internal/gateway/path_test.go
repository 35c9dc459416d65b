package gateway

import (
	"net/url"
	"path"
	"strings"
	"testing"
)

var passablePaths = []string{
	"/", "/api/", "/api/orders/7", "/api/a%20b", "/api/%C3%A9", "/api/é", "/api/a|b", "/api/a:b@c", "/api/...",
	"/api/.well-known", "/api/a..b",
	"/api/100%25", "/api/http%253A%252F%252Fx", "/api/%252541", "/api/lifecycle", "/api/__lifecycles",
	"/api/x__lifecycle", "/api/trailing/", "/api/a;b=c",
}

var refusedPaths = []string{
	"", "api", "//", "/api//x", "//api", "/api/%2Fx", "/api/a%2fb", "/api/a\\b", "/api/a%5Cb", "/api/%00",
	"/api/%0a", "/api/%7f", "/api/%C0%AF",
	"/api/%FF", "/api/.", "/api/..", "/api/../x", "/api/%2e%2e/x", "/api/.%2E/x", "/api/%252e%252e/x",
	"/api/..;a/x", "/api/x#y",
	"/__lifecycle/onInstall", "/__lifecycle", "/__lifecycle/", "/%5f%5flifecycle/onInstall", "/%5F_lifecycle/x",
	"/__LIFECYCLE/x",
	"/__Lifecycle/x", "/%255f%255flifecycle/x", "/%25255f_lifecycle/x", "/__lifecycle;v=1/x", "/__lifecycle./x",
	"/__lifecycle%20/x",
	"/__lifecycle%3fa/x", "/__lifecycle%23/x", "/__l%69fecycle/x", "/api/__lifecycle/x", "/api/..%2f__lifecycle/x",
	"/api/x%252f..%252f__lifecycle",
	"/api/x%255c__lifecycle", "/__lifecycle%00/x", "/__lifecycle%09/x",
	"/api/%25252541", "/api/%" + strings.Repeat("25", 30_000),
}

func TestPassable(t *testing.T) {
	t.Parallel()

	for _, p := range passablePaths {
		if !passable(p) {
			t.Errorf("passable(%q) = false", p)
		}
	}
	for _, p := range refusedPaths {
		if passable(p) {
			t.Errorf("passable(%q) = true", p)
		}
	}
}

// FuzzPassable checks the property that passable exists for: however often a path
// that passes is decoded and cleaned, it neither leads to the lifecycle nor leaves
// the segment it began in.
func FuzzPassable(f *testing.F) {
	for _, p := range append(passablePaths, refusedPaths...) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if !passable(p) {
			return
		}
		for seen := p; ; {
			clean := strings.ToLower(path.Clean(strings.ReplaceAll(seen, `\`, "/")))
			if strings.HasPrefix(clean, "/__lifecycle/") || clean == "/__lifecycle" {
				t.Fatalf("%q leads to %q", p, clean)
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
