package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
)

// requestContext is the context of a request, with everything that stoa determines about each request.
// It is one context and not one for each value, because allocations are a good part of the cost of a
// call to a plugin.
type requestContext struct {
	context.Context //nolint:containedctx // it is one

	at      time.Time
	id      [1]string // as a header has it
	trace   trace.Context
	span    trace.Span
	address netip.Addr // of the client; invalid if it is not known
	behalf  reqctx.Behalf

	answer observer
}

// Value implements context.Context.
func (b *requestContext) Value(key any) any {
	switch key {
	case reqctx.RequestIDContextKey():
		return &b.id[0]
	case trace.Key():
		return &b.trace
	case reqctx.AddrContextKey():
		return &b.address
	case reqctx.BehalfSlotKey():
		return &b.behalf
	}
	return b.Context.Value(key)
}

// Begin returns the context for a request that begins now, derived from ctx. It may change the
// RemoteAddr of r, and ignores r's own context. A server that calls it before the Handler saves the
// Handler a copy of the request.
func (s *Server) Begin(ctx context.Context, r *http.Request) context.Context {
	return s.begin(ctx, r)
}

func (s *Server) begin(ctx context.Context, r *http.Request) *requestContext {
	b := &requestContext{at: time.Now()}
	b.id[0] = reqctx.RequestIDAt(b.at) // a client's own id is never trusted (contract 1.2)
	b.Context, b.trace, b.span = s.Tracer.Request(ctx, r.Header)
	s.believeVisitor(b, r)
	b.address = s.ClientIP.Addr(r)
	return b
}

// contextOf returns the requestContext of r, and r with it.
func (s *Server) contextOf(r *http.Request) (*requestContext, *http.Request) {
	if b, ok := r.Context().(*requestContext); ok {
		return b, r
	}
	b := s.begin(r.Context(), r)
	return b, r.WithContext(b)
}
