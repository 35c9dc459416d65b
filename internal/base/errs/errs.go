// Package errs defines how stoa reports failure.
//
// Every failure that a caller may see is an *Error: a Kind that says how to
// react, a Code that clients match on, and a Message that is safe to show. The
// cause in Err is for the log only. Any other error is a bug or an outage and is
// reported to callers as Internal, with no detail.
package errs

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an error by what the caller can do about it. The HTTP layer
// derives the status from it and from nothing else.
type Kind string

// The kinds of failure.
const (
	Internal         Kind = "internal"           // our fault; details go to the log only
	Invalid          Kind = "invalid"            // the request can never succeed as sent
	Unauthenticated  Kind = "unauthenticated"    // the caller could not be identified
	Forbidden        Kind = "forbidden"          // the caller is known, but not allowed
	NotFound         Kind = "not_found"          // no such thing, or not visible to the caller
	MethodNotAllowed Kind = "method_not_allowed" // the path exists, but not for this method
	Misdirected      Kind = "misdirected"        // addressed to a host that is not ours
	Gone             Kind = "gone"               // it was there, and is over for good
	Conflict         Kind = "conflict"           // clashes with the current state
	Stale            Kind = "stale"              // the caller's If-Match names an old version
	NoRange          Kind = "no_range"           // the file has no such part
	TooLarge         Kind = "too_large"          // more bytes than the limit
	UnsupportedMedia Kind = "unsupported_media"  // this route does not read that Content-Type
	Unprocessable    Kind = "unprocessable"      // well-formed, but cannot be carried out
	RateLimited      Kind = "rate_limited"       // too many requests; see Error.RetryAfter
	Unsupported      Kind = "unsupported"        // in the API document, but not in this version
	Unreachable      Kind = "unreachable"        // no usable answer from a plugin or a payment provider
	Busy             Kind = "busy"               // starting or overloaded; see Error.RetryAfter
	Timeout          Kind = "timeout"            // a plugin took too long
)

// Error is a failure that may be shown to the caller.
type Error struct {
	Kind    Kind
	Code    string // stable identifier clients match on, e.g. "ACTIVATION_FAILED"
	Message string // one sentence, safe to show

	// Details is shown to the client as it is. Issues travel in Details["issues"].
	Details map[string]any

	// RetryAfter is how long to wait before trying again. It is set only where waiting
	// helps: for RateLimited, Busy, and a Conflict that resolves itself.
	RetryAfter time.Duration

	// Err is the cause. It is logged and never sent to the caller.
	Err error

	base *Error // the declared error this one is a copy of, if any
}

// New returns an error of the given kind, with a message as by fmt.Sprintf. Messages
// are for the caller: they contain no package names, SQL or file paths.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error implements error. Its text is for the log, not for callers.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes a copy match the declared error that it was made from. Two declared errors
// never match, even if they share a code.
func (e *Error) Is(target error) bool { return e.base != nil && target == error(e.base) }

// Because returns a copy of e that carries cause for the log. The copy still
// satisfies errors.Is(copy, e).
func (e *Error) Because(cause error) error {
	c := e.clone()
	c.Err = cause
	return c
}

// With returns a copy of e with one more detail for the client.
func (e *Error) With(name string, value any) *Error {
	c := e.clone()
	c.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[name] = value
	return c
}

// After returns a copy of e that asks the client to wait for d.
func (e *Error) After(d time.Duration) *Error {
	c := e.clone()
	c.RetryAfter = d
	return c
}

func (e *Error) clone() *Error {
	c := *e
	if c.base == nil {
		c.base = e
	}
	return &c
}

// KindOf returns the kind of err. Errors that are not an *Error are Internal,
// and nil has no kind.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Missing returns refusal for something that is not there, or err.
func Missing(err error, refusal *Error) error {
	if KindOf(err) == NotFound {
		return refusal
	}
	return err
}
