package terms

import (
	"net/netip"
	"net/url"
	"strings"
)

const (
	maxHost  = 253 // characters of a domain name
	maxLabel = 63
)

// IsInstance reports whether s is what a stoa is known by to a market: the host of its public address, in lower case
// and without a port.
func IsInstance(s string) bool {
	if addr, err := netip.ParseAddr(s); err == nil {
		return addr.Zone() == "" && addr.String() == s
	}
	labels := strings.Split(s, ".")
	for _, label := range labels {
		if !isLabel(label) {
			return false
		}
	}
	// A number at the end is read as an address (WHATWG URL), which it is not.
	return len(s) <= maxHost && strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

func isLabel(s string) bool {
	if s == "" || len(s) > maxLabel || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// IsLoopback reports whether a host is the machine that asks for it.
func IsLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// LeadsTo reports whether an address belongs to an instance: its scheme is https, or http where nothing crosses a
// network.
func LeadsTo(address, instance string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || strings.ToLower(u.Hostname()) != instance {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(instance)
}
