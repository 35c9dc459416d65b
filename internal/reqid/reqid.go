// Package reqid makes request ids and carries them through the context: to the
// X-Request-Id header, to plugins, and to every log line about the request.
package reqid

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
)

type key struct{}

// New returns a new id, a UUIDv7 (CONTRACT 1).
func New() string { return uuid.Must(uuid.NewV7()).String() }

// With returns a context that carries id.
func With(ctx context.Context, id string) context.Context { return context.WithValue(ctx, key{}, id) }

// From returns the id carried by ctx, or "".
func From(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}

// LogHandler wraps h so that it adds the request's id to every record that is logged
// with the request's context.
func LogHandler(h slog.Handler) slog.Handler { return logHandler{h} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := From(ctx); id != "" {
		r = r.Clone()
		r.AddAttrs(slog.String("requestId", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
