package gateway

import (
	"net/http"
	"slices"
	"strings"

	"stoa/internal/run/relay"
	"stoa/internal/trust/signing"
)

// dropped are headers of a client that no plugin gets, by their folded names
// (signing.Fold), besides those of the client's connection (relay.IsHopByHop) and
// those that belong to the platform (signing.Reserved).
var dropped = []string{
	// net/http sends its own.
	"expect", "content-length", "host",
	// The platform's credentials.
	"authorization", "cookie", "cookie2", "x-theme-app-token",
	// What a proxy would say. The gateway says nothing of the sort.
	"forwarded", "via", "x-real-ip", "proxy",
	// The gateway sets its own (package trace).
	"traceparent", "tracestate",
	// Another path or method than the one that was checked.
	"x-original-url", "x-original-uri", "x-rewrite-url", "x-http-method", "x-http-method-override", "x-method-override",
}

// droppedPrefixes are the same for families of names.
var droppedPrefixes = []string{"x-forwarded-"}

// passOn copies the headers of a client that a plugin gets to out.
//
// An upgrade to WebSocket is kept. Others are not: h2c, for one, would let the
// client speak past the gateway.
func (g *Gateway) passOn(out, h http.Header) {
	named := connectionNames(h)
	for name, values := range h {
		if g.Memory.passed.Of(name) && (len(named) == 0 || !slices.Contains(named, signing.Fold(name))) {
			out[name] = values
		}
	}
	upgrade := h["Upgrade"]
	if slices.Contains(named, "upgrade") && len(upgrade) == 1 && strings.EqualFold(upgrade[0], "websocket") {
		out["Connection"] = []string{"Upgrade"}
		out["Upgrade"] = []string{"websocket"}
	}
}

// isPassed reports whether a client's header of that name is for plugins, unless
// Connection names it.
func isPassed(name string) bool { return !signing.Reserved(name) && !isDropped(signing.Fold(name)) }

func isDropped(folded string) bool {
	return relay.IsHopByHop(folded) || slices.Contains(dropped, folded) ||
		slices.ContainsFunc(droppedPrefixes, func(p string) bool { return strings.HasPrefix(folded, p) })
}

// connectionNames returns the folded names in the client's Connection headers.
// They are removed before the platform's headers are set, so they cannot remove
// those.
func connectionNames(h http.Header) []string {
	var names []string
	for name := range relay.ConnectionNames(h) {
		names = append(names, signing.Fold(name))
	}
	return names
}
