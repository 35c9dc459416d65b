// Package web is how the API reads requests and writes answers: bodies, uploads,
// pages of lists, entity tags, and the one way in which an error becomes bytes.
//
// It knows no route, no domain and no caller. Limits are counted in limit,
// Idempotency-Keys honored in keyed, callers checked in guard.
package web

import "net/http"

// HandlerFunc is an HTTP handler that returns its failure, so that no handler
// decides what an error looks like on the wire.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error
