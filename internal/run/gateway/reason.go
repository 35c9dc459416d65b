package gateway

import (
	"errors"
	"net"

	"code.dny.dev/ssrf"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/run"
	"stoa/internal/run/relay"
)

// detailReason is the error detail with the reason why a call failed. Only administrators get
// it: it would reveal which instances exist, and how the platform runs them.
const detailReason = "reason"

// The values of details.reason. Those of internal plugins are in package run/node.
const (
	reasonPath        = "path_refused"     // servers may read the path differently
	reasonInstanceID  = "instance_unclear" // an empty instance id or key, or several different ones
	reasonUnknown     = "unknown_instance" // no such plugin, or no such instance of it
	reasonDisabled    = "disabled"         // the instance is not enabled
	reasonUnlicensed  = "unlicensed"       // the license of the package has lapsed
	reasonUninstalled = "uninstalled"      // during the call
	reasonPermission  = "not_granted"      // a permission of the route is not in effect
	reasonBody        = "body_too_large"
	reasonLines       = "too_many_headers"
	reasonMemory      = "no_memory"       // for another request body: STOA_BODY_MEMORY
	reasonNoRuntime   = "no_runtime"      // this stoa cannot run plugins of this type
	reasonAddress     = "address_refused" // the service is in a private network: --external-allow
	reasonHost        = "unknown_host"    // the name of the service does not resolve
	reasonConnection  = "no_connection"   // stoa cannot connect to the service
	reasonClosed      = "no_answer"       // the connection ended before an answer
	reasonAnswer      = "bad_answer"      // the answer is not HTTP that can be passed on
	reasonSlow        = "too_slow"        // the answer did not begin in time
	reasonStarting    = "starting"
	reasonOpen        = "circuit_open"
	reasonBusy        = "busy" // as many calls as maxConcurrency allows
)

// because returns a copy of a declared error with a reason for administrators.
func because(e *errs.Error, reason string) *errs.Error { return e.With(detailReason, reason) }

// explain adds to a call's error what its caller may know: the plugin's slug, and the reason
// for staff who see extensions. For other callers it removes a reason that a runtime gave.
func explain(err error, slug string, who reqctx.Caller) error {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err
	}
	reason := reasonOf(e)
	e = e.With("slug", slug) // a copy
	delete(e.Details, detailReason)
	if reason != "" && who.UserID != "" && who.May(permission.ReadExtensions) {
		e.Details[detailReason] = reason
	}
	return e
}

// reasonOf returns why a call failed, from the error's own details or else from its cause.
func reasonOf(e *errs.Error) string {
	if reason, ok := e.Details[detailReason].(string); ok {
		return reason
	}
	switch {
	case errors.Is(e, run.ErrTimeout):
		return reasonSlow
	case errors.Is(e, run.ErrStarting):
		return reasonStarting
	case errors.Is(e, ErrOpen):
		return reasonOpen
	case errors.Is(e, ErrBusy):
		return reasonBusy
	}
	failed, ok := errors.AsType[*relay.Failure](e.Err)
	if !ok {
		return ""
	}
	var dns *net.DNSError
	switch {
	case errors.Is(failed, ssrf.ErrProhibitedIP), errors.Is(failed, ssrf.ErrProhibitedNetwork):
		return reasonAddress
	case errors.As(failed, &dns):
		return reasonHost
	case failed.NoConnection:
		return reasonConnection
	case failed.Answered:
		return reasonAnswer
	}
	return reasonClosed
}
