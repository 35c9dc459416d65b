package reqctx_test

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"stoa/internal/base/reqctx"
)

func TestAddrBelievesOnlyTrustedProxies(t *testing.T) {
	t.Parallel()

	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	tests := []struct {
		name    string
		trusted []netip.Prefix
		peer    string
		forward []string
		want    string
	}{
		{"no proxy configured", nil, "10.1.1.1:5000", []string{"203.0.113.9"}, "10.1.1.1"},
		{"peer is not a proxy", proxies, "198.51.100.7:5000", []string{"203.0.113.9"}, "198.51.100.7"},
		{"one proxy", proxies, "10.1.1.1:5000", []string{"203.0.113.9"}, "203.0.113.9"},
		{"client wrote a header of its own", proxies, "10.1.1.1:5000", []string{"1.1.1.1, 203.0.113.9"}, "203.0.113.9"},
		{"client wrote a line of its own", proxies, "10.1.1.1:5000", []string{"1.1.1.1", "203.0.113.9"}, "203.0.113.9"},
		{"two proxies", proxies, "10.1.1.1:5000", []string{"203.0.113.9, 10.2.2.2"}, "203.0.113.9"},
		{"client claims to be a proxy", proxies, "198.51.100.7:5000", []string{"10.2.2.2"}, "198.51.100.7"},
		{"proxy sends no header", proxies, "10.1.1.1:5000", nil, "10.1.1.1"},
		{"proxy sends nonsense", proxies, "10.1.1.1:5000", []string{"unknown"}, "10.1.1.1"},
		{"nonsense left of a proxy", proxies, "10.1.1.1:5000", []string{"unknown, 10.2.2.2"}, "10.2.2.2"},
		{"with ports", proxies, "10.1.1.1:5000", []string{"[2001:db8::1]:443"}, "2001:db8::1"},
		{"IPv4 inside IPv6", proxies, "[::ffff:10.1.1.1]:5000", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"IPv6 proxy", proxies, "[fd00::1%eth0]:5000", []string{"2001:db8::2"}, "2001:db8::2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
			r.RemoteAddr = tt.peer
			r.Header["X-Forwarded-For"] = tt.forward
			if got := (reqctx.AddrResolver{Trusted: tt.trusted}).Addr(r).String(); got != tt.want {
				t.Errorf("Addr = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestProtoBelievesOnlyTrustedProxies(t *testing.T) {
	t.Parallel()

	v := reqctx.AddrResolver{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	tests := []struct{ peer, reported, want string }{
		{"10.1.1.1:5000", "https", "https"},
		{"10.1.1.1:5000", "https, HTTP", "http"},
		{"10.1.1.1:5000", "javascript", "http"},
		{"10.1.1.1:5000", "", "http"},
		{"198.51.100.7:5000", "https", "http"},
	}
	for _, tt := range tests {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr = tt.peer
		r.Header.Set("X-Forwarded-Proto", tt.reported)
		if got := v.Proto(r); got != tt.want {
			t.Errorf("Proto(%s, %q) = %s, want %s", tt.peer, tt.reported, got, tt.want)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "https://shop.example.com/", nil)
	if got := v.Proto(r); got != "https" {
		t.Errorf("over TLS: %s", got)
	}
}

func TestKeyCountsIPv6By64(t *testing.T) {
	t.Parallel()

	tests := []struct{ a, want string }{
		{"203.0.113.9", "203.0.113.9"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"2001:db8:1:2:ffff::", "2001:db8:1:2::/64"},
		{"2001:db8:1:3::", "2001:db8:1:3::/64"},
	}
	for _, tt := range tests {
		if got := reqctx.AddrKey(netip.MustParseAddr(tt.a)); got != tt.want {
			t.Errorf("Key(%s) = %s, want %s", tt.a, got, tt.want)
		}
	}
}

// FuzzAddr looks for a header that an untrusted peer can use to change its
// address, or that panics.
func FuzzAddr(f *testing.F) {
	f.Add("1.1.1.1, 10.2.2.2", "[::1]:80")
	f.Fuzz(func(t *testing.T, one, two string) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Header["X-Forwarded-For"] = []string{one, two}
		v := reqctx.AddrResolver{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
		r.RemoteAddr = "198.51.100.7:5000"
		if got := v.Addr(r).String(); got != "198.51.100.7" {
			t.Errorf("Addr = %s for an untrusted peer", got)
		}
		r.RemoteAddr = "10.1.1.1:5000"
		if !v.Addr(r).IsValid() {
			t.Error("Addr is invalid behind a proxy")
		}
	})
}
