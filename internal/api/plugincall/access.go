package plugincall

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/run/gateway"
)

// maxLogged is how many bytes of a value from a client are logged.
const maxLogged = 256

// AccessLog writes a record of each call to a plugin when it has ended. No record has a
// query, a header, a body, a config, or a part of a path that may be a token: they may
// hold secrets.
type AccessLog struct {
	Log *slog.Logger
	// FailuresOnly logs only failures of the plugin or of stoa.
	FailuresOnly bool
}

// Record is the Ended of a gateway.Gateway.
func (a AccessLog) Record(r *http.Request, e gateway.Ended) {
	ctx := r.Context()
	if a.FailuresOnly && !e.Outcome.Failed() || !a.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	// Not with Logger, which would look up the source line for each record.
	record := slog.NewRecord(e.At, slog.LevelInfo, "plugin call", 0)
	record.AddAttrs( // reqid.LogHandler adds the ids of request and trace
		slog.String("spanId", e.Trace.SpanID()),
		slog.String("caller", e.Caller), slog.String("userId", reqctx.CallerFrom(ctx).UserID),
		slog.String("slug", cut(e.Slug)), slog.String("installationId", e.InstallationID),
		slog.String("method", cut(r.Method)), slog.String("path", cut(maskTokens(e.Path))),
		slog.Int("status", e.Status), slog.String("outcome", e.Outcome.String()), slog.Int64("bytes", e.Bytes),
		ms("totalMs", e.Total), ms("platformMs", e.Platform), ms("pluginMs", e.Plugin))
	_ = a.Log.Handler().Handle(ctx, record) // Logger ignores the error too
}

// minToken is the length in bytes from which a path segment with a digit counts as a token, for example
// of a password reset or of a webhook's address.
const minToken = 20

// maskTokens returns path with "…" in place of segments that may be tokens.
func maskTokens(path string) string {
	if len(path) <= minToken {
		return path
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if len(segment) >= minToken && strings.ContainsAny(segment, "0123456789") {
			segments[i] = "…"
		}
	}
	return strings.Join(segments, "/")
}

func cut(s string) string { return s[:min(len(s), maxLogged)] }

// ms is a duration in milliseconds, to the microsecond.
func ms(name string, d time.Duration) slog.Attr {
	return slog.Float64(name, float64(d.Microseconds())/1000)
}
