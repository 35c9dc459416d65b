// Package reqid makes request ids and carries them through the context: to the
// X-Request-Id header, to plugins, and to every log line about the request.
package reqid

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"stoa/internal/trace"
)

type key struct{}

// New returns a new id, a UUIDv7 (CONTRACT 1).
func New() string { return uuid.Must(uuid.NewV7()).String() }

// carrying is a context that carries an id. It is a type of its own because it takes one
// allocation, where context.WithValue takes two.
type carrying struct {
	context.Context

	id string
}

// Value implements context.Context.
func (c *carrying) Value(k any) any {
	if k == (key{}) {
		return c
	}
	return c.Context.Value(k)
}

// With returns a context that carries id.
func With(ctx context.Context, id string) context.Context { return &carrying{ctx, id} }

// From returns the id carried by ctx, or "".
func From(ctx context.Context) string {
	if c, ok := ctx.Value(key{}).(*carrying); ok {
		return c.id
	}
	return ""
}

// LogHandler wraps h so that it adds the request's id and that of its trace to every record
// that is logged with the request's context.
func LogHandler(h slog.Handler) slog.Handler { return logHandler{h} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	id, traced := From(ctx), trace.From(ctx).TraceID()
	if id != "" || traced != "" {
		r = r.Clone()
	}
	if id != "" {
		r.AddAttrs(slog.String("requestId", id))
	}
	if traced != "" {
		r.AddAttrs(slog.String("traceId", traced))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
