package egress

import (
	"log/slog"
	"slices"
	"testing"

	"stoa/internal/run/sandbox"
)

func TestPermissionsNameExactHosts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		permission string
		listen     []string // nil: the permission allows nothing
	}{
		{"network:api.example.com", []string{"127.77.0.1:80", "127.77.0.1:443"}},
		{"network:API.example.com:8443", []string{"127.77.0.1:8443"}},
		{"network:192.0.2.7", []string{"192.0.2.7:80", "192.0.2.7:443"}},
		{"network:[2001:db8::7]:81", []string{"[2001:db8::7]:81"}},
		{"network:::ffff:192.0.2.7", []string{"192.0.2.7:80", "192.0.2.7:443"}},
		{"network:*", nil},
		{"network:*.example.com", nil},
		{"network:", nil},
		{"network:a.example.com:0", nil},
		{"network:a.example.com:99999", nil},
		{"network:a.example.com/path", nil},
		{"network:127.0.0.1\n10.0.0.1 x", nil},
		{"products:read", nil},
	}
	g, err := New(Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		plan, _ := g.Plan([]string{tt.permission})
		var spec sandbox.Spec
		plan.Apply(&spec)
		if tt.listen != nil {
			tt.listen = append(tt.listen, askAt.String())
		}
		if !slices.Equal(spec.Listen, tt.listen) {
			t.Errorf("%q: %v, want %v", tt.permission, spec.Listen, tt.listen)
		}
	}
}

func TestOnlyThePlatformAPIIsAPlatformCall(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/api/v1/platform/config": true, "/api/v1/platform/a/b/": true,
		"/api/v1/platform": false, "/api/v1/platformx": false, "/api/v1/platform/../admin": false,
		"/api/v1/platform/%2e%2e/admin": false, "/api/v1/platform/..%2fadmin": false, "/api/v1/platform//x": false,
		"/api/v1/platform/storage/a%2Fb": true, "/api/v1/platform/storage/%2e%2e%2f%2e%2e%2fadmin": true,
		"/api/v1/platform/storage/a": true, "/api/v1/platform/storage/%2e%2e/admin": false,
		"/api/v1/platform/storage/..": false, "/api/v1/platform/storage/../admin": false,
		`/api/v1/platform/storage/%20\x`: false, "/api/v1/platform/%73torage/a": false,
		`/api/v1/platform/..\admin`: false, "//api/v1/platform/x": false, "": false, "/": false, "*": false,
	} {
		if got := isPlatformCall(path); got != want {
			t.Errorf("%q: %t", path, got)
		}
	}
}
