package relay

import (
	"iter"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/base/cache"
)

// IsHopByHop reports whether a header belongs to one connection and is not passed on. The name
// may be in any case.
func IsHopByHop(name string) bool { return isHopByHop(http.CanonicalHeaderKey(name)) }

// isHopByHop is IsHopByHop for a name in its canonical form (RFC 9110, 7.6.1). It runs for each
// header of each call: a switch compares only with names of the same length.
func isHopByHop(name string) bool {
	switch name {
	case "Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return true
	}
	return false
}

// ConnectionNames returns the headers that the Connection headers name. They are hop-by-hop too.
func ConnectionNames(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, value := range h["Connection"] {
			for name := range strings.SplitSeq(value, ",") {
				if name = textproto.TrimString(name); name != "" && !yield(name) {
					return
				}
			}
		}
	}
}

// removeHopByHop removes the headers that belong to the plugin's connection.
func removeHopByHop(h http.Header) {
	for name := range ConnectionNames(h) {
		h.Del(name)
	}
	deleteHopByHop(h)
}

func deleteHopByHop(h http.Header) {
	for name := range h {
		if isHopByHop(name) {
			delete(h, name)
		}
	}
}

// withheld lists the headers of an answer that do not reach the client. A plugin answers on the
// shop's origin: its cookies would be the shop's, its CORS rules would open the shop to other
// origins, its Alt-Svc would move the shop elsewhere, and so on. The platform's secrets must not reach
// the client through a plugin that echoes its request.
var withheld = []string{
	"Set-Cookie", "Set-Cookie2", "Alt-Svc", "Strict-Transport-Security", "Clear-Site-Data",
	"Service-Worker-Allowed", "Public-Key-Pins", "Nel", "Report-To",
	// Client hints, sign-in states, sessions bound to a device, dictionaries and agent clusters are
	// settings of an origin, too.
	"Accept-Ch", "Critical-Ch", "Set-Login", "Sec-Session-Registration", "Secure-Session-Registration",
	"Use-As-Dictionary", "Origin-Agent-Cluster", "Expect-Ct", "Public-Key-Pins-Report-Only",
	"X-Platform-Token", "X-Platform-Signature", "X-Platform-Timestamp", "X-Plugin-Config",
	// The platform has set its own value already.
	"X-Request-Id",
}

// forProxies lists the beginnings of headers that proxies in front of stoa obey: they would serve files
// of their own (X-Accel-Redirect, X-Sendfile), ask another address with the client's credentials
// (X-Reproxy-URL, Fly-Replay), empty their cache (X-LiteSpeed-Purge), or take stoa for unhealthy
// (X-Envoy-Immediate-Health-Check-Fail) (contract 5.9).
var forProxies = []string{
	"X-Accel-", "X-Sendfile", "X-Lighttpd-", "X-Litespeed-", "X-Reproxy-", "X-Envoy-", "Fly-Replay",
}

// Allowed is what an administrator allows a plugin's answers to do on the shop's origin.
type Allowed struct {
	Cookies bool // set cookies, except those of stoa and of plugins
	CORS    bool // let pages of other origins read them
}

// Withhold removes the headers that the client must not get from a plugin's answer. The gateway
// calls it for every answer it passes on, and this package for upgrades, whose header the gateway
// never sees.
func Withhold(h http.Header, allowed Allowed) {
	for name := range h {
		switch {
		case !IsWithheld(name):
		case allowed.CORS && strings.HasPrefix(name, corsPrefix):
		case allowed.Cookies && name == "Set-Cookie":
			if h[name] = slices.DeleteFunc(h[name], setsOwnCookie); len(h[name]) == 0 {
				delete(h, name)
			}
		default:
			delete(h, name)
		}
	}
}

const corsPrefix = "Access-Control-"

// setsOwnCookie reports whether a Set-Cookie header sets a cookie that stoa or a plugin reads: with
// it, a theme app could sign a person in as another user. Of a cookie without a name, browsers send
// only the value, which may look like a named cookie.
func setsOwnCookie(line string) bool {
	name, _, _ := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	return name == "" || !strings.Contains(line, "=") || IsOwnCookie(name)
}

// IsOwnCookie reports whether a name is that of one of stoa's own cookies, or of a plugin's as it
// leaves (contract 5.14). Browsers compare prefixes without case.
func IsOwnCookie(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__host-"), "__secure-")
	return strings.HasPrefix(name, "stoa") || pluginCookieRE.MatchString(name)
}

var pluginCookieRE = regexp.MustCompile(`^p-[0-9a-f]{12}-`)

// IsWithheld reports whether a header or trailer of an answer does not reach the client.
func IsWithheld(name string) bool { return verdicts.Of(name) }

// verdicts caches whether headers are withheld: plugins send the same headers each time.
var verdicts = cache.NewMemo(512, isWithheld)

func isWithheld(name string) bool {
	name = http.CanonicalHeaderKey(strings.TrimPrefix(name, http.TrailerPrefix))
	return strings.HasPrefix(name, corsPrefix) || slices.Contains(withheld, name) ||
		slices.ContainsFunc(forProxies, func(p string) bool { return strings.HasPrefix(name, p) })
}
