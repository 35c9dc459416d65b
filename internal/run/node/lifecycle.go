package node

import (
	"net/http"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/relay"
)

// hookSuffix follows the secret of a process in calls of lifecycle hooks
// (nodehost/src/gate.js). No other call can have it: the header with the secret is
// stoa's own, and a client's is removed.
const hookSuffix = "-hook"

// untilHooks makes the host program load the plugin without registering it, and accept
// calls of hooks only.
const untilHooks = "hooks"

// Lifecycle returns the Runtime that calls lifecycle hooks of an internal plugin: the
// path of a request ends with the name of the hook, which is an export of the entry
// module. It answers 204 if the hook succeeds, 404 if there is none, and 500 if it fails.
//
// live is the instance as it is now: its process takes the calls. With nil, the instance
// has no process, and each call gets a process of its own, in which the plugin is loaded
// and not registered.
func (rt *Runtime) Lifecycle(live *plugin.Installed) run.Runtime { return hooks{rt, live} }

type hooks struct {
	rt   *Runtime
	live *plugin.Installed
}

// Serve implements run.Runtime.
func (h hooks) Serve(w http.ResponseWriter, r *http.Request, in *plugin.Installed) error {
	if h.live != nil {
		call := relay.NewCall(w, r)
		defer call.End()
		return h.rt.call(r, call, h.live, hookSuffix)
	}
	var served error
	var broken any
	failed, err := h.rt.trial(r.Context(), *in, untilHooks, func(one run.Runtime) plugin.Failure {
		defer func() { broken = recover() }() // the process must end before the panic goes on
		served = one.Serve(w, r, in)
		return plugin.Failure{}
	})
	if broken != nil {
		panic(broken) // an answer that broke off
	}
	switch {
	case err != nil:
		return err
	case !failed.IsZero():
		return &startError{reasonLoadFailed, failureError(failed.Message)}
	}
	return served
}

// failureError is what a plugin said when it could not be loaded.
type failureError string

func (e failureError) Error() string { return string(e) }
