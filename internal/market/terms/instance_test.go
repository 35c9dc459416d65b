package terms_test

import (
	"strings"
	"testing"

	"stoa/internal/market/terms"
)

func TestInstancesAreHosts(t *testing.T) {
	t.Parallel()

	label := strings.Repeat("a", 63)
	name := strings.Join([]string{label, label, label, strings.Repeat("a", 61)}, ".") // 253 characters
	for host, want := range map[string]bool{
		"b.example.org": true, "localhost": true, "xn--bcher-kva.example": true, "a-1.example": true, "127.0.0.1": true, "::1": true,
		"2001:db8::1": true, label + ".example": true, name: true,
		"": false, "B.example.org": false, "b.example.org.": false, ".example.org": false, "b..org": false, "-b.example": false,
		"b-.example": false, "b_c.example": false, "bücher.example": false, "b.example.org:443": false, "[::1]": false,
		"0:0:0:0:0:0:0:1": false, "fe80::1%eth0": false, "2130706433": false, "1.2.3": false, "b example": false, "b/example": false,
		label + "a.example": false, name + "a": false, "b.example.org\n": false,
	} {
		if got := terms.IsInstance(host); got != want {
			t.Errorf("IsInstance(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestAddressesLeadToTheirHostOnly(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		address, instance string
		want              bool
	}{
		{"https://b.example.org/x?y#z", "b.example.org", true},
		{"https://B.example.org:8443", "b.example.org", true},
		{"http://localhost:8080/", "localhost", true},
		{"http://b.localhost/", "b.localhost", true},
		{"http://127.0.0.2/", "127.0.0.2", true},
		{"http://[::1]/", "::1", true},
		{"http://b.example.org/", "b.example.org", false},
		{"http://10.0.0.1/", "10.0.0.1", false},
		{"https://c.example.org/", "b.example.org", false},
		{"https://b.example.org.c.example/", "b.example.org", false},
		{"https://b.example.org@c.example/", "b.example.org", false},
		{"https://user@b.example.org/", "b.example.org", false},
		{`https://c.example\@b.example.org/`, "b.example.org", false},
		{"//b.example.org/", "b.example.org", false},
		{"javascript://b.example.org/%0aalert(1)", "b.example.org", false},
		{"b.example.org", "b.example.org", false},
		{"", "", false},
	} {
		if got := terms.LeadsTo(tt.address, tt.instance); got != tt.want {
			t.Errorf("LeadsTo(%q, %q) = %v, want %v", tt.address, tt.instance, got, tt.want)
		}
	}
}
