package trace

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"

	"stoa/internal/base/redact"
)

// Tracer records spans. The nil *Tracer records none, at the cost of a comparison.
//
// Spans leave this machine, so they hold no secrets: no query, no path of a client's, no
// header, no value of a statement, no e-mail address, and no text of an error, which may quote
// any of these.
type Tracer struct{ tracer oteltrace.Tracer }

// NewTracer returns a Tracer whose spans go to provider.
func NewTracer(provider oteltrace.TracerProvider) *Tracer {
	return &Tracer{provider.Tracer("stoa")}
}

// Kind is the side of a call that a span is on.
type Kind = oteltrace.SpanKind

// The kinds that stoa uses.
const (
	Internal = oteltrace.SpanKindInternal
	Server   = oteltrace.SpanKindServer
	Client   = oteltrace.SpanKindClient
	Consumer = oteltrace.SpanKindConsumer
)

// Span is one timed part of a trace. The zero Span is not recorded, and its methods do
// nothing. A span belongs to one goroutine.
type Span struct{ span oteltrace.Span }

// Request starts the span of a request with that header, recorded if the sampler decides so. The
// caller must also put the trace into the context (Key).
func (t *Tracer) Request(ctx context.Context, h http.Header) (context.Context, Context, Span) {
	if t == nil {
		return ctx, Of(h), Span{}
	}
	var st string
	if given, ok := parse(h[Traceparent]); ok {
		st = state(h[Tracestate])
		ctx = oteltrace.ContextWithRemoteSpanContext(ctx, spanContext(given, st))
	}
	ctx, s := t.tracer.Start(ctx, "request", oteltrace.WithSpanKind(Server))
	return ctx, contextOf(s.SpanContext(), st), recorded(s)
}

// Start starts a child of the span in ctx. It does nothing unless that is recorded: what a request
// did is of no use without the request.
func (t *Tracer) Start(ctx context.Context, name string, kind Kind) (context.Context, Span) {
	if t == nil || !oteltrace.SpanFromContext(ctx).IsRecording() {
		return ctx, Span{}
	}
	ctx, s := t.tracer.Start(ctx, name, oteltrace.WithSpanKind(kind))
	return With(ctx, contextOf(s.SpanContext(), From(ctx).state)), recorded(s)
}

// Work starts a span of background work: a child of the span in ctx if there is one, otherwise a
// new trace. cause is the traceparent of the request that caused the work, to which the span is
// linked; it may be empty.
func (t *Tracer) Work(ctx context.Context, name string, kind Kind, cause string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	opts := []oteltrace.SpanStartOption{oteltrace.WithSpanKind(kind)}
	if given, ok := parse([]string{cause}); ok {
		opts = append(opts, oteltrace.WithLinks(oteltrace.Link{SpanContext: spanContext(given, "")}))
	}
	ctx, s := t.tracer.Start(ctx, name, opts...)
	return With(ctx, contextOf(s.SpanContext(), "")), recorded(s)
}

// Cause returns the traceparent to which work caused by ctx is linked: that of ctx if it is
// recorded, otherwise "".
func Cause(ctx context.Context) string {
	if !oteltrace.SpanFromContext(ctx).IsRecording() {
		return ""
	}
	return From(ctx).Traceparent()
}

func recorded(s oteltrace.Span) Span {
	if !s.IsRecording() {
		return Span{}
	}
	return Span{s}
}

// spanContext converts a valid traceparent to OpenTelemetry's type.
func spanContext(parent, tracestate string) oteltrace.SpanContext {
	id, _ := oteltrace.TraceIDFromHex(parent[3:35])
	span, _ := oteltrace.SpanIDFromHex(parent[36:52])
	st, _ := oteltrace.ParseTraceState(tracestate)
	return oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
		TraceID: id, SpanID: span, TraceState: st, Remote: true,
		TraceFlags: oteltrace.TraceFlags(hexByte(parent[53], parent[54])) & oteltrace.FlagsSampled,
	})
}

// hexByte returns the byte of two digits in lower case.
func hexByte(high, low byte) byte {
	digit := func(c byte) byte {
		if c >= 'a' {
			return c - 'a' + 10
		}
		return c - '0'
	}
	return digit(high)<<4 | digit(low)
}

// contextOf returns the trace context for the next hop of a span.
func contextOf(sc oteltrace.SpanContext, tracestate string) Context {
	id, span := sc.TraceID(), sc.SpanID()
	b := make([]byte, 0, parentLen)
	b = append(b, "00-"...)
	b = append(b, id.String()...)
	b = append(b, '-')
	b = append(b, span.String()...)
	if sc.IsSampled() {
		return Context{parent: string(append(b, "-01"...)), state: tracestate}
	}
	return Context{parent: string(append(b, "-00"...)), state: tracestate}
}

// Recording reports whether the span is recorded, so that its attributes are worth computing.
func (s Span) Recording() bool { return s.span != nil }

// Within returns ctx with s as the parent of new spans. The trace that ctx carries for the next hop
// stays.
func (s Span) Within(ctx context.Context) context.Context {
	if s.span == nil {
		return ctx
	}
	return oteltrace.ContextWithSpan(ctx, s.span)
}

// Name renames the span.
func (s Span) Name(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Text sets a text attribute. An empty value is ignored.
func (s Span) Text(name, value string) {
	if s.span != nil && value != "" {
		s.span.SetAttributes(attribute.String(name, redact.Text(value)))
	}
}

// Number sets a number attribute.
func (s Span) Number(name string, value int) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int(name, value))
	}
}

// Mark adds an event at a time.
func (s Span) Mark(name string, at time.Time) {
	if s.span != nil {
		s.span.AddEvent(name, oteltrace.WithTimestamp(at))
	}
}

// Fail marks the span as failed. kind is one of a few fixed texts, never an error's.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, "")
		s.span.SetAttributes(attribute.String("error.type", kind))
	}
}

// End ends the span.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// OtherMethod stands for a method that HTTP does not define, because that is a client's own text.
const OtherMethod = "_OTHER"

// Method returns the name of a request's method for spans.
func Method(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return OtherMethod
}
