package ops

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"stoa/internal/edge/hosts"
)

// MinToken is the minimum length of a token for Protect.
const MinToken = 16

// Protect serves h to clients that send the bearer token. With an empty token it serves h under
// loopback names only, which stops web pages that make their own name resolve to this machine (DNS
// rebinding).
func Protect(token string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case token != "" && !holds(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Send STOA_OPS_TOKEN as a bearer token.", http.StatusUnauthorized)
		case token == "" && !hosts.IsLoopback(r.Host):
			http.Error(w, "Without STOA_OPS_TOKEN, this listener answers loopback names only, such as localhost.",
				http.StatusMisdirectedRequest)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// holds reports whether r carries the token. Hashes have one length, so the time of the comparison
// reveals nothing.
func holds(r *http.Request, token string) bool {
	lines := r.Header.Values("Authorization")
	if len(lines) != 1 {
		return false
	}
	scheme, sent, _ := strings.Cut(lines[0], " ")
	a, b := sha256.Sum256([]byte(sent)), sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
