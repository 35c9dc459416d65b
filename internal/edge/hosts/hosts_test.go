package hosts_test

import (
	"context"
	"net"
	"net/http"
	"testing"

	"stoa/internal/edge/hosts"
)

func request(tb testing.TB, host, arrivedAt string) *http.Request {
	tb.Helper()
	addr, err := net.ResolveTCPAddr("tcp", arrivedAt)
	if err != nil {
		tb.Fatal(err)
	}
	ctx := context.WithValue(tb.Context(), http.LocalAddrContextKey, net.Addr(addr))
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if err != nil {
		tb.Fatal(err)
	}
	r.Host = host
	return r
}

func TestOnlyNamedHostsAreAllowed(t *testing.T) {
	t.Parallel()

	p, err := hosts.New(false, "Shop.Example.com", "10.0.0.7", "2001:db8::1", "[2001:db8::2]", "xn--bcher-kva.example")
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"shop.example.com": true, "SHOP.example.COM:8443": true, "shop.example.com.": true, "shop.example.com.:80": true,
		"10.0.0.7": true, "10.0.0.7:8080": true, "[2001:db8::1]:8080": true, "[2001:DB8:0::2]": true,
		"xn--bcher-kva.example": true,
		"localhost":             true, "LocalHost:3000": true, "localhost.": true, "a.localhost:80": true,
		"127.0.0.1": true, "127.8.9.1:8080": true, "[::1]": true, "[::1]:8080": true, "[::ffff:127.0.0.1]": true,

		"": false, ".": false, ":8080": false, "attacker.example": false, "attacker.example:8080": false,
		"shop.example.com.attacker.example": false, "xshop.example.com": false, "www.shop.example.com": false,
		"example.com":                false,
		"localhost.attacker.example": false, "127.0.0.1.attacker.example": false, "notlocalhost": false, "localhost-x": false,
		"attacker.example#.localhost": false, "attacker.example/.localhost": false, "user@localhost": false,
		".localhost":  false,
		"localhost..": false, "localhost:": false, "localhost:x": false, "localhost:99999": false, "localhost:80:80": false,
		"shop.example.com,attacker.example": false, "shop.example.com attacker.example": false, "bücher.example": false,
		"2130706433": false, "0x7f000001": false, "127.1": false, "0.0.0.0": false, "[::]": false, "::1": false,
		"[::1": false, "[::1]x": false, "[127.0.0.1]": false, "[::1%25lo]": false, "[fe80::1%eth0]": false,
		"192.168.1.5": false,
	} {
		if got := p.Allows(request(t, host, "192.168.1.5:8080")); got != want {
			t.Errorf("Allows(%q) = %v, want %v", host, got, want)
		}
	}
}

// A stoa that listens on every address of the machine answers at each of them,
// and under no name.
func TestTheAddressOfTheListenerIsAllowedWhereNoPublicAddressIsSet(t *testing.T) {
	t.Parallel()

	p, err := hosts.New(true)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		host, arrivedAt string
		want            bool
	}{
		{"192.168.1.5:8080", "192.168.1.5:8080", true},
		{"192.168.1.5", "[::ffff:192.168.1.5]:8080", true},
		{"[2001:db8::1]:8080", "[2001:db8::1]:8080", true},
		{"192.168.1.6:8080", "192.168.1.5:8080", false},
		{"attacker.example:8080", "192.168.1.5:8080", false},
		{"localhost:8080", "127.0.0.1:8080", true},
	}
	for _, tt := range tests {
		if got := p.Allows(request(t, tt.host, tt.arrivedAt)); got != tt.want {
			t.Errorf("Host %s at %s: allowed = %v, want %v", tt.host, tt.arrivedAt, got, tt.want)
		}
	}
}

func TestHostsThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()

	for _, name := range []string{
		"", "*", "*.example.com", "https://shop.example.com", "shop.example.com:8080",
		"shop.example.com/", "a b", "bücher.example", "[::1]:80", "a..b",
	} {
		if _, err := hosts.New(false, name); err == nil {
			t.Errorf("%q was taken for a host", name)
		}
	}
}
