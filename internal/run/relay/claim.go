package relay

import (
	"slices"
	"strings"
)

// IsClaim reports whether a request header is one by which clients could claim what only a proxy
// knows: their address, the host, the scheme, the certificate or the user, or another path or method
// than the one that was checked. Many frameworks believe such a header, and stoa sends X-Forwarded-* of its
// own. folded is the name as signing.Fold returns it.
//
// Every vendor invents names, so the rules are about their parts: X-Client-IP, True-Client-IP,
// Fastly-Client-IP and the next one are all the address of somebody.
func IsClaim(folded string) bool {
	if strings.Contains(folded, "forwarded") || slices.Contains(claims, folded) ||
		slices.ContainsFunc(claimPrefixes, func(p string) bool { return strings.HasPrefix(folded, p) }) {
		return true
	}
	parts := strings.FieldsFunc(folded, func(c rune) bool { return c == '-' })
	for i, part := range parts {
		if slices.Contains(addressWords, part) || isWhose(part, addressWords) {
			return true
		}
		if i+1 < len(parts) && slices.Contains(whose, part) && slices.Contains(placeWords, parts[i+1]) {
			return true
		}
		if isWhose(part, placeWords) {
			return true
		}
	}
	return false
}

// isWhose reports whether part is a word of whose directly followed by a word of what, such as clientip.
func isWhose(part string, what []string) bool {
	return slices.ContainsFunc(whose, func(w string) bool {
		rest, ok := strings.CutPrefix(part, w)
		return ok && slices.Contains(what, rest)
	})
}

var (
	// addressWords are what an address is called, whoever it is said to belong to.
	addressWords = []string{"ip", "ips", "ipv4", "ipv6", "ipaddr", "ipaddress"}
	// placeWords mean an address only of somebody on the way: X-Billing-Address is a header of the
	// client's own.
	placeWords = []string{"addr", "address", "host", "hostname", "port"}
	whose      = []string{
		"caller", "client", "connecting", "connection", "edge", "external", "originating", "origin",
		"peer", "proxy", "real", "remote", "socket", "source", "src", "true", "viewer", "visitor",
	}
	claims = []string{
		"via", "proxy", "forward-for", "x-forward-for", "front-end-https", "x-front-end-https", "x-from",
		"x-host", "x-http-host", "x-http-host-override", "x-host-override", "x-proto", "x-protocol", "x-scheme",
		"x-url-scheme", "x-https", "x-ssl", "x-port", "x-server-name", "x-server-port", "x-request-uri",
		"x-script-name", "script-name", "path-info", "x-path-info", "x-base-url", "x-http-path-info",
		"x-http-method", "x-http-method-override", "x-method-override", "x-http-destinationurl",
		"x-waws-unencoded-url", "x-sendfile-type", "client-cert", "client-cert-chain", "cf-visitor",
	}
	claimPrefixes = []string{
		"remote-", "x-remote-", "x-original-", "x-rewrite-", "x-envoy-", "x-accel-", "x-ssl-", "ssl-client-",
		"x-client-cert", "x-client-verify", "x-arr-", "x-amzn-mtls-",
		// Who signed in at the proxy. What it has signed, such as Cf-Access-Jwt-Assertion, is no mere claim.
		"x-auth-request-", "x-authenticated-", "x-webauth-", "x-goog-authenticated-", "x-ms-client-principal",
		"x-amzn-oidc-identity", "cf-access-authenticated-", "tailscale-user-",
	}
)
