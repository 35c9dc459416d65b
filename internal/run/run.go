// Package run defines what a runtime of plugins does with a request, and how it fails. The
// runtimes are in sub-packages: external (a service reached over HTTP) and node (a JavaScript
// module in a child process). Both pass requests on with package relay.
package run

import (
	"errors"
	"net/http"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
)

// Runtime answers requests on behalf of plugin instances. Implementations look nothing up and do
// not decide who may call. They are safe for concurrent use.
type Runtime interface {
	// Serve passes r to the instance and copies its answer to w, streamed both ways.
	// r.URL.RequestURI() is the plugin's own path with query, sent byte for byte (see
	// Target). The plugin gets exactly the headers in r.Header. The runtime owns r and may
	// change it; it must not change in.
	//
	// If the plugin gave no usable answer, Serve returns ErrUnreachable, ErrStarting or
	// ErrTimeout (with a cause for the log) and has written nothing, so the caller can
	// answer. If r.Body fails before the answer began, Serve returns an error that wraps the
	// *http.MaxBytesError, or ErrCutShort for any other failure. It returns nil when the
	// client went away. If the answer breaks off, it panics with http.ErrAbortHandler, so
	// that the client does not take a part for the whole.
	Serve(w http.ResponseWriter, r *http.Request, in *plugin.Installed) error
}

// The failures of a runtime (contract 5.12). The gateway adds details.slug.
var (
	ErrUnreachable = errs.New(errs.Unreachable, "PLUGIN_UNREACHABLE", "The plugin does not answer.")
	ErrStarting    = errs.New(errs.Busy, "PLUGIN_STARTING", "The plugin is starting. Try again shortly.")
	ErrTimeout     = errs.New(errs.Timeout, "PLUGIN_TIMEOUT", "The plugin took too long to answer.")

	// ErrCutShort is returned if the request body broke off or came too slowly before the
	// plugin answered. The client may still be there.
	ErrCutShort = errs.Malformed(errs.CodeUnreadable, "The request body could not be read to its end.")
)

// ErrPaced is in the chain of an ErrUnreachable if the runtime itself decides when it tries the
// plugin again, as it does for a process that ended. Then nothing else may keep calls away from
// it: two delays would add up.
var ErrPaced = errors.New("the runtime paces its attempts")

// Paced returns cause with ErrPaced in its chain. Its text stays.
func Paced(cause error) error { return paced{cause} }

type paced struct{ error }

func (p paced) Is(target error) bool { return target == ErrPaced }
func (p paced) Unwrap() error        { return p.error }
