// Package http1 is a client for HTTP/1.1 over plain connections, TCP and unix sockets.
// It writes and reads on the caller's goroutine; net/http's Transport needs two more for
// each connection, which costs a call to a plugin more than all else.
//
// It is strict: an answer that two readers might read differently is refused, as
// ErrMalformed. What it takes, net/http takes too, and reads in the same way.
//
// It follows no redirect, keeps no cookie, adds no header, and knows neither TLS nor
// upgrades. Package relay decides what is sent, and when it is sent again.
package http1

import "errors"

// ErrMalformed is wrapped by the errors of answers that are not well-formed.
var ErrMalformed = errors.New("http1: malformed answer")

// ErrUnsendable is wrapped by the errors of requests that cannot be written as HTTP.
var ErrUnsendable = errors.New("http1: the request cannot be sent")
