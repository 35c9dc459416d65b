// Package hangup closes what a request has open elsewhere when its client leaves.
//
// It is context.AfterFunc for one purpose: a server that knows when its clients leave
// (package front) takes a note, where a context would need a function, an entry in the
// list of its parent and a lock for each call.
package hangup

import (
	"context"
	"io"
)

// Line is a server's side of it: the connection of a client. It is safe for concurrent use.
type Line interface {
	// Hold makes c be closed when the client leaves. It returns false, and does nothing,
	// if it holds something else, if the client has left, or if done is not the Done of
	// the context of the request that is served.
	Hold(done <-chan struct{}, c io.Closer) bool
	// Let ends a Hold. It returns false if c was closed, or is about to be.
	Let(c io.Closer) bool
}

type key struct{}

// Key is the key under which the context of a request has its Line.
func Key() any { return key{} }

// Watch is what OnDone returns.
type Watch struct {
	line   Line
	closer io.Closer
	stop   func() bool
}

// OnDone closes c when ctx is done, unless Stop is called before.
func OnDone(ctx context.Context, c io.Closer) Watch {
	// A context between the request's and ctx may be done before the client leaves. Then
	// it has another channel.
	if line, ok := ctx.Value(key{}).(Line); ok && line.Hold(ctx.Done(), c) {
		return Watch{line: line, closer: c}
	}
	return Watch{stop: context.AfterFunc(ctx, func() { _ = c.Close() })}
}

// Stop ends the watch. It returns false if the closer was closed, or is about to be.
func (w Watch) Stop() bool {
	if w.line != nil {
		return w.line.Let(w.closer)
	}
	return w.stop()
}
