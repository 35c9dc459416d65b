package plugincall

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"stoa/internal/base/logline"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/run/gateway"
)

// maxLogged is how many bytes of a value from a client are logged.
const maxLogged = 256

// AccessLog writes a record of each call to a plugin when it has ended. No record has a
// query, a header, a body, a config, or a part of a path that may be a token: they may
// hold secrets.
type AccessLog struct {
	Log *slog.Logger
	// Records, if there are any, get the records in place of Log, without delaying calls.
	Records *logline.Records
	// FailuresOnly logs only failures of the plugin or of stoa.
	FailuresOnly bool
}

const callMessage = "plugin call"

// Record is the Ended of a gateway.Gateway.
func (a AccessLog) Record(r *http.Request, e gateway.Ended) {
	ctx := r.Context()
	if a.FailuresOnly && !e.Outcome.Failed() || !a.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	userID, path := reqctx.CallerFrom(ctx).UserID, cut(maskTokens(e.Path))
	handler := a.Log.Handler()
	if a.Records != nil {
		if put(a.Records, r, &e, userID, path) {
			return
		}
		handler = a.Records.Odd
	}
	// Not with Logger, which would look up the source line for each record.
	record := slog.NewRecord(e.At, slog.LevelInfo, callMessage, 0)
	record.AddAttrs( // reqctx.LogHandler adds the ids of request and trace
		slog.String("spanId", e.Trace.SpanID()),
		slog.String("caller", e.Caller), slog.String("userId", userID),
		slog.String("slug", cut(e.Slug)), slog.String("installationId", e.InstallationID),
		slog.String("method", cut(r.Method)), slog.String("path", path),
		slog.Int("status", e.Status), slog.String("outcome", e.Outcome.String()), slog.Int64("bytes", e.Bytes),
		ms("totalMs", e.Total), ms("platformMs", e.Platform), ms("pluginMs", e.Plugin))
	_ = handler.Handle(ctx, record) // Logger ignores the error too
}

// put writes the record that Record makes. It returns false if a value has to be quoted.
func put(to *logline.Records, r *http.Request, e *gateway.Ended, userID, path string) bool {
	slug, method := cut(e.Slug), cut(r.Method)
	for _, s := range [...]string{slug, method, path, userID, e.InstallationID} {
		if !logline.IsPlain(s) {
			return false
		}
	}
	if reqctx.CallerFrom(r.Context()).Impersonator != "" {
		return false // rare: LogHandler adds the names
	}
	line := to.Begin(e.At, callMessage)
	line.Text("spanId", e.Trace.SpanID())
	line.Text("caller", e.Caller)
	line.Text("userId", userID)
	line.Text("slug", slug)
	line.Text("installationId", e.InstallationID)
	line.Text("method", method)
	line.Text("path", path)
	line.Int("status", int64(e.Status))
	line.Text("outcome", e.Outcome.String())
	line.Int("bytes", e.Bytes)
	line.Milliseconds("totalMs", e.Total)
	line.Milliseconds("platformMs", e.Platform)
	line.Milliseconds("pluginMs", e.Plugin)
	ctx := r.Context()
	if id := reqctx.RequestID(ctx); id != "" {
		line.Text("requestId", id)
	}
	if id := trace.From(ctx).TraceID(); id != "" {
		line.Text("traceId", id)
	}
	to.PutLine(line)
	return true
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
