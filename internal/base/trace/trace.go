// Package trace reads and writes W3C Trace Context: the headers traceparent and tracestate, by
// which trace collectors join the parts of one request.
//
// Every request belongs to a trace: the one that its client started, or a new one. stoa logs its id
// and passes it on to plugins. If a Tracer is given (package telemetry makes one), its spans are
// also recorded.
package trace

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"strings"

	oteltrace "go.opentelemetry.io/otel/trace"
)

// The headers, as net/http spells them.
const (
	Traceparent = "Traceparent"
	Tracestate  = "Tracestate"
)

const (
	parentLen = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	// maxState is the longest tracestate in bytes that is passed on (Trace Context, 3.3.1).
	maxState = 512
)

// Context is the trace that a request belongs to. The zero value is none.
type Context struct {
	parent string // a whole traceparent, valid, of version 00
	state  string
}

// IsZero reports whether c is empty.
func (c Context) IsZero() bool { return c.parent == "" }

type key struct{}

// Key is the key under which a context has its *Context. A context that carries several values can
// answer it without one context for each.
func Key() any { return key{} }

// With returns a context that carries c.
func With(ctx context.Context, c Context) context.Context { return context.WithValue(ctx, key{}, &c) }

// From returns the trace that ctx carries, or the zero Context.
func From(ctx context.Context) Context {
	if c, ok := ctx.Value(key{}).(*Context); ok {
		return *c
	}
	return Context{}
}

// Of returns the trace of a request with that header, as its next hop: with a new parent id. If the
// header has no valid trace, it starts a new one.
func Of(h http.Header) Context {
	given, ok := parse(h[Traceparent])
	if !ok {
		return New()
	}
	return Context{parent: compose(given[3:35], given[53:55]), state: state(h[Tracestate])}
}

// New returns a new trace, marked as recorded: each plugin decides whether to record it.
func New() Context {
	var id [32]byte
	appendHex(id[:0], rand.Uint64()) //nolint:gosec // ids need to differ, and keep nothing secret
	appendHex(id[:16], nonZero())
	return Context{parent: compose(string(id[:]), "01")}
}

// nonZero returns a random number but 0, which is no valid id.
func nonZero() uint64 { return rand.Uint64N(1<<64-1) + 1 } //nolint:gosec // as above

// compose returns a traceparent with a new parent id.
func compose(id, flags string) string {
	b := make([]byte, 0, parentLen)
	b = append(b, "00-"...)
	b = append(b, id...)
	b = append(b, '-')
	b = appendHex(b, nonZero())
	b = append(b, '-')
	return string(append(b, flags...))
}

// appendHex appends the sixteen digits of n.
func appendHex(b []byte, n uint64) []byte {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], n)
	return hex.AppendEncode(b, raw[:])
}

// TraceID returns the id that all parts of the trace share, in hex.
func (c Context) TraceID() string {
	if c.parent == "" {
		return ""
	}
	return c.parent[3:35]
}

// SpanID returns the id of this hop, in hex.
func (c Context) SpanID() string {
	if c.parent == "" {
		return ""
	}
	return c.parent[36:52]
}

// Traceparent returns the value of that header for the next hop.
func (c Context) Traceparent() string { return c.parent }

// Tracestate returns the value of that header, or "" for none.
func (c Context) Tracestate() string { return c.state }

// parse returns the traceparent, cut to the fields of version 00, if the header is valid.
func parse(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	v := values[0]
	if len(v) < parentLen || v[2] != '-' || v[35] != '-' || v[52] != '-' {
		return "", false
	}
	version, id, parent, flags := v[:2], v[3:35], v[36:52], v[53:55]
	switch {
	case !isHex(version), version == "ff", !isHex(id), isZero(id), !isHex(parent), isZero(parent),
		!isHex(flags):
		return "", false
	case version == "00" && len(v) > parentLen:
		return "", false
	case len(v) > parentLen && v[parentLen] != '-': // a later version may add fields
		return "", false
	}
	return v[:parentLen], true
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isZero(digits string) bool { return strings.Trim(digits, "0") == "" }

// state returns the tracestate to pass on: what the client sent if it is valid, else
// nothing.
func state(values []string) string {
	if len(values) == 0 {
		return ""
	}
	line := strings.Join(values, ",")
	if len(line) > maxState {
		return ""
	}
	var members []string
	for member := range strings.SplitSeq(line, ",") {
		if strings.Trim(member, " \t") != "" { // ParseTraceState refuses a member of spaces, which is valid
			members = append(members, member)
		}
	}
	if _, err := oteltrace.ParseTraceState(strings.Join(members, ",")); err != nil || members == nil {
		return ""
	}
	return line
}
