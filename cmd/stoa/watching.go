package main

import "stoa/internal/app"

// watching are the flags that say what is told of what stoa does.
type watching struct {
	AccessLog string `help:"Which calls to plugins are logged, one record each: all, failures (those that the plugin or stoa failed), or off." enum:"all,failures,off" default:"all" env:"STOA_ACCESS_LOG"`

	Telemetry string `help:"Send traces and metrics to an OpenTelemetry collector: otlp, or off. Where to, and which traces, say OpenTelemetry's own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT (docs/monitoring.md)." enum:"off,otlp" default:"off" env:"STOA_TELEMETRY"`

	MetricsInstallations int `help:"How many installations of plugins have metrics of their own: those that were called most, 1000 at the most. 0 means none." default:"100" env:"STOA_METRICS_INSTALLATIONS"`
}

func (w watching) apply(cfg *app.Config) {
	cfg.AccessLog, cfg.MetricsInstallations = w.AccessLog, w.MetricsInstallations
	cfg.Telemetry = w.Telemetry == "otlp"
}
