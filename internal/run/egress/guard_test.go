package egress

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"code.dny.dev/ssrf"
)

func TestGuardRefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	check := Guard(nil)
	for name, addr := range map[string]string{
		"loopback":                     "127.0.0.1",
		"loopback, another":            "127.255.255.254",
		"unspecified":                  "0.0.0.0",
		"this network":                 "0.1.2.3",
		"private, 10":                  "10.0.0.1",
		"private, 172.16":              "172.16.0.1",
		"private, 172.31":              "172.31.255.255",
		"private, 192.168":             "192.168.1.1",
		"shared by carriers":           "100.64.0.1",
		"metadata of clouds":           "169.254.169.254",
		"metadata of containers":       "169.254.170.2",
		"metadata of Alibaba":          "100.100.100.200",
		"metadata of Oracle":           "192.0.0.192",
		"benchmarks":                   "198.18.0.1",
		"documentation":                "192.0.2.1",
		"multicast":                    "224.0.0.1",
		"broadcast":                    "255.255.255.255",
		"reserved":                     "240.0.0.1",
		"IPv6 loopback":                "::1",
		"IPv6 unspecified":             "::",
		"mapped loopback":              "::ffff:127.0.0.1",
		"mapped private":               "::ffff:10.0.0.1",
		"mapped public":                "::ffff:8.8.8.8", // resolvers give such an address as IPv4
		"compatible loopback":          "::127.0.0.1",
		"NAT64 of loopback":            "64:ff9b::127.0.0.1",
		"NAT64 of metadata":            "64:ff9b::a9fe:a9fe",
		"local NAT64 of private":       "64:ff9b:1::10.0.0.1",
		"6to4 of loopback":             "2002:7f00:1::",
		"6to4 of private":              "2002:a00:1::1",
		"Teredo":                       "2001:0:7f00:1::",
		"unique local":                 "fd00::1",
		"metadata of AWS over IPv6":    "fd00:ec2::254",
		"metadata of GCP over IPv6":    "fd20:ce::254",
		"link-local":                   "fe80::1",
		"site-local":                   "fec0::1",
		"IPv6 multicast":               "ff02::1",
		"IPv6 documentation":           "2001:db8::1",
		"discard":                      "100::1",
		"outside of what is given out": "4000::1",
		"ORCHID":                       "2001:20::1",
	} {
		a := netip.MustParseAddr(addr)
		network := "tcp6"
		if a.Is4() {
			network = "tcp4"
		}
		err := check(network, net.JoinHostPort(addr, "80"), nil)
		if !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("%s, %s: %v", name, addr, err)
		}
	}
	for _, addr := range []string{"8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1"} {
		network := "tcp6"
		if netip.MustParseAddr(addr).Is4() {
			network = "tcp4"
		}
		if err := check(network, net.JoinHostPort(addr, "443"), nil); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if err := check("udp4", "8.8.8.8:53", nil); !errors.Is(err, ssrf.ErrProhibitedNetwork) {
		t.Errorf("UDP: %v", err)
	}
}

func TestGuardAllowsExactlyWhatIsListed(t *testing.T) {
	t.Parallel()
	check := Guard([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/64")})
	for addr, allowed := range map[string]bool{
		"10.1.0.0": true, "10.1.255.255": true, "10.0.255.255": false, "10.2.0.0": false, "127.0.0.1": false,
		"fd00:1::1": true, "fd00:1:0:1::1": false, "::1": false, "::ffff:10.1.0.1": false, "8.8.8.8": true,
	} {
		network := "tcp6"
		if netip.MustParseAddr(addr).Is4() {
			network = "tcp4"
		}
		if err := check(network, net.JoinHostPort(addr, "80"), nil); (err == nil) != allowed {
			t.Errorf("%s: %v, want it allowed: %t", addr, err, allowed)
		}
	}
}
