package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/rs/cors"
)

// preflightAge is how long a browser may cache the answer to a preflight: the longest time that
// Chromium honors.
const preflightAge = 2 * time.Hour

// What pages on other origins may send and read, beyond what browsers always allow.
// A test compares both lists with api/openapi.yaml.
var (
	crossOriginSends = []string{"Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"}
	crossOriginReads = []string{
		"Content-Digest", "ETag", "Idempotency-Replayed", "RateLimit", "RateLimit-Policy", "Retry-After",
		"Signature", "Signature-Input", "WWW-Authenticate", "X-License-Code", "X-Request-Id", "X-Stoa-Payments",
	}
)

// crossOrigin lets pages on the origins in s.CORSOrigins call the API of shops. It
// never allows credentials: the one cookie is for stoa's own pages, and none may come
// from another origin (docs/adr/0011). Without origins it changes nothing.
func (s *Server) crossOrigin(h http.Handler) http.Handler {
	if len(s.CORSOrigins) == 0 {
		return h
	}
	shared := cors.New(cors.Options{
		AllowedOrigins: s.CORSOrigins,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		},
		AllowedHeaders: crossOriginSends,
		ExposedHeaders: crossOriginReads,
		MaxAge:         int(preflightAge.Seconds()),
	}).Handler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forOtherOrigins(r.URL.Path) {
			shared.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// forOtherOrigins reports whether pages on other origins may use a path. These are the paths of a shop's
// front end, except for calls to plugins, whose answers are not stoa's, the first administrator's
// set-up, and the webhooks of payment providers.
func forOtherOrigins(path string) bool {
	for _, closed := range []string{"/api/v1/shop/plugins/", "/auth/setup", "/api/marketplace/payments/"} {
		if strings.HasPrefix(path, closed) {
			return false
		}
	}
	for _, open := range []string{"/auth/", "/api/marketplace/", "/api/v1/shop/", "/themes/", "/.well-known/"} {
		if strings.HasPrefix(path, open) {
			return true
		}
	}
	return path == "/openapi.json"
}
