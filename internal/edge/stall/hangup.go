package stall

import (
	"context"
	"io"
)

// Client is the server's view of the client whose request it serves. It is safe for concurrent use.
type Client interface {
	// OnHangup has c closed when the client leaves. It returns false and does nothing if another
	// closer is registered, if the client has left, or if done is not the Done channel of the
	// served request's context.
	OnHangup(done <-chan struct{}, c io.Closer) bool
	// Cancel withdraws c. It returns false if c was closed or is being closed.
	Cancel(c io.Closer) bool
}

type clientKey struct{}

// ClientKey is the context key under which a request has its Client.
func ClientKey() any { return clientKey{} }

// Hangup is what OnHangup returns.
type Hangup struct {
	client Client
	closer io.Closer
	stop   func() bool
}

// OnHangup closes c when ctx is done, unless Stop is called first.
//
// It is context.AfterFunc for one purpose: a server that knows when its clients leave (package
// front) stores c in a field, where a context needs a function, an entry in its parent's list and a
// lock for each call.
func OnHangup(ctx context.Context, c io.Closer) Hangup {
	// A context derived from the request's may be done before the client leaves. Then it has
	// another Done channel.
	if client, ok := ctx.Value(clientKey{}).(Client); ok && client.OnHangup(ctx.Done(), c) {
		return Hangup{client: client, closer: c}
	}
	return Hangup{stop: context.AfterFunc(ctx, func() { _ = c.Close() })}
}

// Stop withdraws the closer. It returns false if it was closed or is being closed.
func (w Hangup) Stop() bool {
	if w.client != nil {
		return w.client.Cancel(w.closer)
	}
	return w.stop()
}
