package reqctx

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"stoa/internal/base/trace"
)

type requestIDKey struct{}

// NewRequestID returns an id for a request that starts now, a UUIDv7.
func NewRequestID() string { return RequestIDAt(time.Now()) }

// RequestIDAt returns an id for a request that started at a time. It is not secret: unlike
// uuid.NewV7 it reads no random bytes from the system and takes no lock, because it runs for each
// request.
func RequestIDAt(began time.Time) string {
	const version, variant = 7 << 12, 1 << 63
	milliseconds, random := uint64(began.UnixMilli()), rand.Uint64() //nolint:gosec // not secret; a time after 1970
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], milliseconds<<16|version|random>>52)
	binary.BigEndian.PutUint64(id[8:], variant|rand.Uint64()>>2) //nolint:gosec // not secret
	return id.String()
}

// RequestIDContextKey is the key under which a context has its *string id. A context that carries
// several values can answer it without one context for each.
func RequestIDContextKey() any { return requestIDKey{} }

// WithRequestID returns a context that carries id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, &id)
}

// RequestID returns the id carried by ctx, or "".
func RequestID(ctx context.Context) string {
	if id, ok := ctx.Value(requestIDKey{}).(*string); ok {
		return *id
	}
	return ""
}

// LogHandler wraps h so that it adds the request's id and that of its trace to every record
// that is logged with the request's context, and both names where somebody acts as somebody else.
func LogHandler(h slog.Handler) slog.Handler { return logHandler{h} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	id, traced, by := RequestID(ctx), trace.From(ctx).TraceID(), behalfOfLine(ctx)
	if id != "" || traced != "" || by.Any() {
		r = r.Clone()
	}
	if id != "" {
		r.AddAttrs(slog.String("requestId", id))
	}
	if traced != "" {
		r.AddAttrs(slog.String("traceId", traced))
	}
	if by.Any() {
		r.AddAttrs(slog.String("user", by.UserID), slog.String("impersonator", by.Impersonator))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
