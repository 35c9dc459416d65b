package remote

import (
	"net/netip"
	"net/url"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

const maxAddress = 2048

// Issues returns what is wrong with the address and the fingerprint of a market to be added, as far as
// their texts tell.
func Issues(address, fingerprint string) errs.Issues {
	_, faults := parseAddress(address)
	if !text.Printable(fingerprint, text.Short) {
		faults.Add("rootFingerprint", errs.CodeOutOfRange, "rootFingerprint must be at most %d printable characters.",
			text.Short)
	}
	return faults
}

// parseAddress returns the address of a market as it is kept: scheme, host and port in lower case. Which
// hosts may be reached is known only when one is dialed (Fetcher).
func parseAddress(given string) (address string, faults errs.Issues) {
	if !faults.Require("url", given) {
		return "", faults
	}
	u, err := url.Parse(given)
	switch {
	case len(given) > maxAddress:
		faults.Add("url", errs.CodeOutOfRange, "url must have at most %d bytes.", maxAddress)
	case err != nil || u.Opaque != "" || u.Hostname() == "" || strings.ContainsAny(u.Host, " %"):
		faults.Add("url", errs.CodeInvalid, "url must be an absolute https URL.")
	case u.User != nil:
		faults.Add("url", errs.CodeInvalid, "url must not contain credentials.")
	case strings.Trim(u.Path, "/") != "" || strings.ContainsAny(given, "?#"):
		faults.Add("url", errs.CodeInvalid, "url must be the address of a stoa, without a path.")
	case u.Scheme != "https" && (u.Scheme != "http" || !onThisMachine(u.Hostname())):
		faults.Add("url", errs.CodeInvalid, "url must begin with https://.")
	default:
		host := strings.ToLower(u.Host)
		if u.Scheme == "https" {
			host = strings.TrimSuffix(host, ":443")
		} else {
			host = strings.TrimSuffix(host, ":80")
		}
		address = u.Scheme + "://" + host
	}
	return address, faults
}

// onThisMachine reports whether a host is a loopback address, or the name that stands for those.
func onThisMachine(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
