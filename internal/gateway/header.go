package gateway

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"stoa/internal/signing"
)

// dropped are headers of a client that no plugin gets, by their folded names
// (signing.Fold), beside those that belong to the platform (signing.Reserved).
var dropped = []string{
	// The connection's own (RFC 9110, 7.6.1), and what net/http states itself.
	"connection", "proxy-connection", "keep-alive", "proxy-authenticate", "proxy-authorization",
	"te", "trailer", "transfer-encoding", "upgrade", "expect", "content-length", "host",
	// The platform's credentials.
	"authorization", "cookie", "cookie2",
	// What a proxy would say; the gateway says nothing of the sort.
	"forwarded", "via", "x-real-ip", "proxy",
	// Another path or method than the one that was checked.
	"x-original-url", "x-original-uri", "x-rewrite-url", "x-http-method", "x-http-method-override", "x-method-override",
}

// droppedPrefixes are the same for families of names.
var droppedPrefixes = []string{"x-forwarded-"}

// passedOn returns the headers of a client that a plugin gets.
//
// An upgrade to WebSocket is kept. Others are not: h2c, for one, would let the
// client speak past the gateway.
func passedOn(h http.Header) http.Header {
	named := connectionNames(h)
	out := make(http.Header, len(h)+20)
	for name, values := range h {
		folded := signing.Fold(name)
		if signing.Reserved(name) || slices.Contains(dropped, folded) || slices.Contains(named, folded) ||
			slices.ContainsFunc(droppedPrefixes, func(p string) bool { return strings.HasPrefix(folded, p) }) {
			continue
		}
		out[name] = values
	}
	if slices.Contains(named, "upgrade") && len(h["Upgrade"]) == 1 && strings.EqualFold(h["Upgrade"][0], "websocket") {
		out["Connection"] = []string{"Upgrade"}
		out["Upgrade"] = []string{"websocket"}
	}
	return out
}

// connectionNames returns the folded names in the client's Connection headers.
// They are removed before the platform's are set, so they can not remove those.
func connectionNames(h http.Header) []string {
	var names []string
	for _, value := range h["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			if name = textproto.TrimString(name); name != "" {
				names = append(names, signing.Fold(name))
			}
		}
	}
	return names
}
