package app

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"stoa/internal/base/trace"
	"stoa/internal/operate/settings"
	"stoa/internal/operate/telemetry"
)

// startTelemetry starts sending traces and metrics, if configured. It must run before anything
// that records spans is built.
func (a *App) startTelemetry(ctx context.Context, cfg Config) (err error) {
	if !cfg.Telemetry {
		return nil
	}
	a.telemetry, err = telemetry.New(ctx, telemetry.Config{
		Version: cfg.Version, Metrics: a.metrics.Gatherer(), Log: cfg.Log, CloseLimit: cfg.InnerLimit,
	})
	a.DB.Trace(a.telemetry.Tracer())
	return settings.Wrong(err) // New reads the environment and connects to nothing
}

// tracedRedis is a redis.Hook that records a span for each command of a traced request. The span
// holds the command's name but no arguments: keys contain addresses and ids of users.
type tracedRedis struct{ tracer *trace.Tracer }

// DialHook implements redis.Hook.
func (t tracedRedis) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements redis.Hook.
func (t tracedRedis) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, span := t.tracer.Start(ctx, "redis", trace.Client)
		err := next(ctx, cmd)
		endRedis(span, cmd.Name(), err)
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (t tracedRedis) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		ctx, span := t.tracer.Start(ctx, "redis", trace.Client)
		err := next(ctx, cmds)
		endRedis(span, "pipeline", err)
		return err
	}
}

func endRedis(span trace.Span, command string, err error) {
	if span.Recording() {
		command = strings.ToUpper(command)
		span.Name(command)
		span.Text("db.system.name", "redis")
		span.Text("db.operation.name", command)
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		span.Fail("redis")
	}
	span.End()
}
