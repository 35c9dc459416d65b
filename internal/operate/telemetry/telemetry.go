// Package telemetry sends traces and metrics to an OpenTelemetry collector, over OTLP. It is
// configured by OpenTelemetry's own variables (OTEL_EXPORTER_OTLP_ENDPOINT and so on), which its
// SDK reads. The packages that create spans decide what they contain (package trace), and metrics
// are those of package ops: they are not counted twice.
//
// A collector that is down or slow delays nothing: spans wait in a bounded queue and are dropped
// when it is full.
package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"stoa/internal/base/trace"
)

// Config selects what is sent. Fields are required.
type Config struct {
	Version string // of stoa
	Metrics prometheus.Gatherer
	Log     *slog.Logger

	CloseLimit time.Duration // how long Close tries to send waiting data; 0: five seconds
}

// Telemetry sends traces and metrics until Close. The nil *Telemetry sends none.
type Telemetry struct {
	traces  *sdktrace.TracerProvider // nil: none are sent
	metrics *sdkmetric.MeterProvider // nil: none are sent

	closeLimit time.Duration
}

// localCollector is OTLP's destination without OTEL_EXPORTER_OTLP_ENDPOINT, by OpenTelemetry's
// specification.
const localCollector = "http://localhost:4318"

// ErrProtocol is returned if the environment asks for a protocol other than http/protobuf.
var ErrProtocol = errors.New("telemetry: stoa speaks OTLP as http/protobuf only: " +
	"set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and an endpoint for it, usually port 4318")

// New starts sending what the environment asks for: traces and metrics, unless OTEL_TRACES_EXPORTER
// or OTEL_METRICS_EXPORTER is none. With OTEL_SDK_DISABLED=true it returns nil. An endpoint that
// does not answer is no error: it may come up later.
func New(ctx context.Context, cfg Config) (*Telemetry, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil //nolint:nilnil // documented
	}
	// Both are global in OpenTelemetry's SDK: the last App of the process gets the errors.
	otel.SetLogger(logr.FromSlogHandler(cfg.Log.Handler()))
	otel.SetErrorHandler(&complaints{log: cfg.Log})
	about, err := resource.New(ctx,
		resource.WithAttributes(
			attribute.String("service.name", "stoa"), attribute.String("service.version", cfg.Version),
			attribute.String("service.instance.id", uuid.NewString()),
		),
		// Not WithProcess: a command line may contain secrets.
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t := &Telemetry{closeLimit: cmp.Or(cfg.CloseLimit, 5*time.Second)}
	if err := t.sendTraces(ctx, about); err != nil {
		return nil, errors.Join(err, t.Close(ctx))
	}
	if err := t.sendMetrics(ctx, about, cfg.Metrics); err != nil {
		return nil, errors.Join(err, t.Close(ctx))
	}
	return t, nil
}

// wanted reports whether to send a signal, and the protocol is one that stoa speaks.
func wanted(signal string) (bool, error) {
	switch exporter := cmp.Or(os.Getenv("OTEL_"+signal+"_EXPORTER"), "otlp"); exporter {
	case "none":
		return false, nil
	case "otlp":
	default:
		return false, fmt.Errorf("telemetry: OTEL_%s_EXPORTER can be otlp or none, not %q", signal, exporter)
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
	if protocol != "" && protocol != "http/protobuf" {
		return false, ErrProtocol
	}
	return true, nil
}

// endpointSet reports whether the environment names an endpoint for a signal.
func endpointSet(signal string) bool {
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

func (t *Telemetry) sendTraces(ctx context.Context, about *resource.Resource) error {
	if send, err := wanted("TRACES"); err != nil || !send {
		return err
	}
	var opts []otlptracehttp.Option
	if !endpointSet("TRACES") {
		opts = append(opts, otlptracehttp.WithEndpointURL(localCollector+"/v1/traces"))
	}
	exporter, err := otlptracehttp.New(ctx, opts...)
	if err != nil {
		return fmt.Errorf("telemetry: traces: %w", err)
	}
	// The sampler is that of OTEL_TRACES_SAMPLER, the queue that of OTEL_BSP_….
	t.traces = sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return nil
}

func (t *Telemetry) sendMetrics(ctx context.Context, about *resource.Resource, from prometheus.Gatherer) error {
	if send, err := wanted("METRICS"); err != nil || !send {
		return err
	}
	var opts []otlpmetrichttp.Option
	if !endpointSet("METRICS") {
		opts = append(opts, otlpmetrichttp.WithEndpointURL(localCollector+"/v1/metrics"))
	}
	exporter, err := otlpmetrichttp.New(ctx, opts...)
	if err != nil {
		return fmt.Errorf("telemetry: metrics: %w", err)
	}
	t.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithResource(about),
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter,
			sdkmetric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(from))))))
	return nil
}

// Tracer returns the recorder of spans: nil if none are sent.
func (t *Telemetry) Tracer() *trace.Tracer {
	if t == nil || t.traces == nil {
		return nil
	}
	return trace.NewTracer(t.traces)
}

// Close sends waiting data and stops. A collector that does not answer delays it by Config.CloseLimit at
// most.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.closeLimit)
	defer cancel()
	var ending sync.WaitGroup
	if t.traces != nil {
		ending.Go(func() { report(t.traces.Shutdown(ctx)) })
	}
	if t.metrics != nil {
		ending.Go(func() { report(t.metrics.Shutdown(ctx)) })
	}
	ending.Wait()
	return nil
}

// report logs what a shutdown could not send. That is no failure of stoa's.
func report(err error) {
	if err != nil {
		otel.Handle(err)
	}
}

// complaints is an otel.ErrorHandler that logs at most one failure a minute: while a collector is
// down, every batch fails.
type complaints struct {
	log *slog.Logger

	mu   sync.Mutex
	last time.Time
}

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	if errors.Is(err, context.Canceled) {
		return // Close has overtaken what was being sent, and sends it anew
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.last) >= time.Minute {
		c.last = now
		c.log.Warn("telemetry cannot be sent", slog.Any("err", err))
	}
}
