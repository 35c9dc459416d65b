package settings

import (
	"io"
	"log/slog"

	"stoa/internal/base/logline"
	"stoa/internal/base/redact"
	"stoa/internal/base/reqctx"
)

// Logging says what is logged, and how.
type Logging struct {
	LogLevel  slog.Level
	LogFormat string
}

// Logger returns a logger that writes to w.
func (l Logging) Logger(w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: l.LogLevel, ReplaceAttr: redact.Attr}
	var h slog.Handler = slog.NewTextHandler(w, opts)
	if l.LogFormat == "json" {
		h = slog.NewJSONHandler(w, opts)
	}
	return slog.New(reqctx.LogHandler(h))
}

// Open returns a logger that writes to w, and the way for the records of calls to the same place. They
// have to be flushed before the process ends.
func (l Logging) Open(w io.Writer) (*slog.Logger, *logline.Records) {
	var log *slog.Logger
	records := &logline.Records{Writer: logline.NewWriter(w, func(n uint64) {
		log.Warn("records of calls were lost: what reads this log does not keep up", slog.Uint64("records", n))
	})}
	if l.LogFormat == "json" {
		records.Format = logline.JSON
	}
	log, records.Odd = l.Logger(records.Writer), l.Logger(records.Later()).Handler()
	return log, records
}

// Observability holds the flags for the access log, traces and metrics.
type Observability struct {
	AccessLog            string
	Telemetry            string
	MetricsInstallations int
}

var observabilityRows = []Setting{
	{
		Flag: "log-level", Env: "STOA_LOG_LEVEL", Default: "info",
		Help: "Lowest level to log: debug, info, warn or error. Requests are logged at debug.",
	},
	{
		Flag: "log-format", Env: "STOA_LOG_FORMAT", Default: "text", Values: "text,json",
		Help: "Format of log lines: text or json.",
	},
	{
		Flag: "access-log", Env: "STOA_ACCESS_LOG", Default: "all", Values: "all,failures,off",
		Help: "Which calls to plugins are logged, one record each: all, failures (those that the plugin or stoa " +
			"failed), or off.",
	},
	{
		Flag: "telemetry", Env: "STOA_TELEMETRY", Default: "off", Values: "off,otlp",
		Help: "Send traces and metrics to an OpenTelemetry collector: otlp, or off. OpenTelemetry's own variables, " +
			"such as OTEL_EXPORTER_OTLP_ENDPOINT, say where to, and which traces (docs/monitoring.md).",
	},
	{
		Flag: "metrics-installations", Env: "STOA_METRICS_INSTALLATIONS", Default: "100", Bounds: numbers(0, 1000),
		Help: "How many installations of plugins have metrics of their own, {bounds}: those that were called most. " +
			"0 means none.",
	},
}
