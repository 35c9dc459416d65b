package gateway

import (
	"net/http"
	"slices"
	"strings"

	"stoa/internal/run/relay"
	"stoa/internal/trust/signing"
)

// dropped lists client headers that are not passed on, by their folded names (signing.Fold),
// besides hop-by-hop headers (relay.IsHopByHop), claims (relay.IsClaim) and the platform's own
// (signing.Reserved). passCredentials passes on what belongs to the plugin.
var dropped = []string{
	// net/http sends its own.
	"expect", "content-length", "host",
	// The platform's credentials.
	"authorization", "cookie", "cookie2", "x-theme-app-token",
	// The gateway sets its own (package trace).
	"traceparent", "tracestate",
}

// passOn copies the client's headers that plugins get from h to out.
//
// It keeps an upgrade to WebSocket, and no other: h2c, for example, would let the client
// bypass the gateway.
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

// isPassed reports whether client headers of that name are passed on. (passOn also drops those
// that Connection names.)
func isPassed(name string) bool { return !signing.Reserved(name) && !isDropped(signing.Fold(name)) }

func isDropped(folded string) bool {
	return relay.IsHopByHop(folded) || relay.IsClaim(folded) || slices.Contains(dropped, folded)
}

// connectionNames returns the folded names in the client's Connection headers. passOn drops
// these headers before the platform sets its own, so Connection cannot remove the platform's.
func connectionNames(h http.Header) []string {
	var names []string
	for name := range relay.ConnectionNames(h) {
		names = append(names, signing.Fold(name))
	}
	return names
}
