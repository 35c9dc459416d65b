// Package runtime says what it takes to run a plugin. Its sub-packages are the
// ways there are to do so: external (a service reached over HTTP) and node (a
// JavaScript module in a child process).
package runtime

import (
	"net/http"

	"stoa/internal/errs"
	"stoa/internal/plugin"
)

// Runtime answers requests on behalf of plugin instances. Implementations look
// nothing up and do not decide who may call. They are safe for concurrent use.
type Runtime interface {
	// Serve passes r to the instance and copies its answer to w, streamed both
	// ways. r.URL.RequestURI() is the plugin's own path with query, to be sent byte
	// for byte (see Target), r.Header is exactly what the plugin is to see, and
	// r.Body what is to be sent. r is the runtime's to change.
	//
	// If the plugin gave no usable answer, Serve returns ErrUnreachable,
	// ErrStarting or ErrTimeout (with a cause for the log) and has written
	// nothing, so that the caller can answer. If r.Body fails with an
	// *http.MaxBytesError before the answer began, it returns an error that wraps
	// it. It returns nil when the client went away. If an answer breaks off it
	// panics with http.ErrAbortHandler, lest a part be taken for the whole.
	Serve(w http.ResponseWriter, r *http.Request, in plugin.Installed) error
}

// The failures of a runtime (CONTRACT 5). The gateway adds details.slug.
var (
	ErrUnreachable = errs.New(errs.Unreachable, "PLUGIN_UNREACHABLE", "The plugin does not answer.")
	ErrStarting    = errs.New(errs.Busy, "PLUGIN_STARTING", "The plugin is starting. Try again shortly.")
	ErrTimeout     = errs.New(errs.Timeout, "PLUGIN_TIMEOUT", "The plugin took too long to answer.")
)
