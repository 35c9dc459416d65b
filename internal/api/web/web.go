// Package web reads requests and writes answers for the API: bodies, uploads, pages of lists, entity
// tags, and errors, which are encoded only here.
//
// It knows no route, no domain and no caller. Package limit counts limits, keyed honors Idempotency-Key,
// and guard checks callers.
package web

import "net/http"

// HandlerFunc is an HTTP handler that returns its failure, so that no handler
// decides what an error looks like on the wire.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error
