// Package http1 is a client for HTTP/1.1 over plain connections, TCP and Unix sockets. It writes
// and reads on the caller's goroutine; net/http's Transport needs two more for each connection,
// which cost more than the rest of a call to a plugin.
//
// It is strict: it refuses an answer that two parsers might read differently (ErrMalformed).
// Whatever it accepts, net/http also accepts and reads in the same way.
//
// It follows no redirects, keeps no cookies, adds no headers, and does neither TLS nor upgrades.
// Package relay decides what is sent and when it is sent again.
package http1

import "errors"

// ErrMalformed is wrapped by the errors of answers that are not well-formed.
var ErrMalformed = errors.New("http1: malformed answer")

// ErrUnsendable is wrapped by the errors of requests that cannot be written as HTTP.
var ErrUnsendable = errors.New("http1: the request cannot be sent")
