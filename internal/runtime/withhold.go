package runtime

import (
	"net/http"
	"slices"
	"strings"
)

// withheld are the headers of an answer that do not reach the client. A plugin
// answers on the shop's origin: its cookies would be the shop's, its CORS rules
// would open the shop to others, and its Alt-Svc would move the shop elsewhere
// (CONTRACT 5 and 8). What only the platform and the plugin may know does not
// leave with a plugin that echoes its request.
var withheld = []string{
	"Set-Cookie", "Set-Cookie2", "Alt-Svc",
	"X-Platform-Token", "X-Platform-Signature", "X-Platform-Timestamp", "X-Plugin-Config",
	// Ours, and there already.
	"X-Request-Id",
}

// Withhold takes out of a plugin's answer what the client must not get. The
// gateway does so for every answer it passes on; a runtime needs to only for an
// upgrade, where the gateway never sees the header.
func Withhold(h http.Header) {
	for name := range h {
		if IsWithheld(name) {
			delete(h, name)
		}
	}
}

// IsWithheld reports whether a header of an answer does not reach the client,
// whether it stands before the body or after it.
func IsWithheld(name string) bool {
	name = http.CanonicalHeaderKey(strings.TrimPrefix(name, http.TrailerPrefix))
	return strings.HasPrefix(name, "Access-Control-") || slices.Contains(withheld, name)
}
