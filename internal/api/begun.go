package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
)

// begun is the context of a request, with what is found out about each: one context and not
// one for each part, because a call to a plugin spends a good part of its time on memory.
type begun struct {
	context.Context //nolint:containedctx // it is one

	at      time.Time
	id      [1]string // as a header has it
	trace   trace.Context
	span    trace.Span
	address netip.Addr // of the client; invalid if it is not known

	answer observer
}

// Value implements context.Context.
func (b *begun) Value(key any) any {
	switch key {
	case reqctx.RequestIDContextKey():
		return &b.id[0]
	case trace.Key():
		return &b.trace
	case reqctx.AddrContextKey():
		return &b.address
	}
	return b.Context.Value(key)
}

// Begin returns the context of a request that begins now, made of ctx. It may change the
// RemoteAddr of r, whose own context it ignores. A server that calls it before the Handler
// saves the Handler a copy of the request.
func (s *Server) Begin(ctx context.Context, r *http.Request) context.Context {
	return s.begin(ctx, r)
}

func (s *Server) begin(ctx context.Context, r *http.Request) *begun {
	b := &begun{at: time.Now()}
	b.id[0] = reqctx.RequestIDAt(b.at) // a client's own is never trusted (contract 1.2)
	b.Context, b.trace, b.span = s.Tracer.Request(ctx, r.Header)
	s.believeVisitor(b, r) //nolint:contextcheck // b is made of ctx
	b.address = s.ClientIP.Addr(r)
	return b
}

// begunWith returns the context of r, and r with it.
func (s *Server) begunWith(r *http.Request) (*begun, *http.Request) {
	if b, ok := r.Context().(*begun); ok {
		return b, r
	}
	b := s.begin(r.Context(), r)
	return b, r.WithContext(b) //nolint:contextcheck // made of the request's own
}
