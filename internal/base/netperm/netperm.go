// Package netperm parses the permissions that allow a plugin to connect to a host. It is apart
// because package plugin checks them at installation and package egress enforces them.
package netperm

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Prefix begins the permissions that allow a host: "network:api.example.com" for
// ports 80 and 443, or "network:api.example.com:8443". There are no wildcards.
const Prefix = "network:"

// Parse returns the host and the ports that a permission names. It returns false if
// the permission does not have the form above.
func Parse(permission string) (host string, ports []uint16, ok bool) {
	target, ok := strings.CutPrefix(permission, Prefix)
	if !ok {
		return "", nil, false
	}
	target = strings.ToLower(target)
	host, ports = target, []uint16{80, 443}
	if h, text, err := net.SplitHostPort(target); err == nil {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return "", nil, false
		}
		host, ports = h, []uint16{uint16(port)}
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().WithZone("").String(), ports, true
	}
	return host, ports, isName(host)
}

// isName reports whether s is a host name that can appear in a hosts file.
func isName(s string) bool {
	if s == "" || len(s) > 253 || s[0] == '-' || s[0] == '.' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
