package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"stoa/internal/api/themes"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/trace"
	"stoa/internal/edge/splice"
)

var errMisdirected = errs.New(errs.Misdirected, "MISDIRECTED_REQUEST",
	"This stoa does not answer for the host in this address. Its operator can allow it with STOA_ALLOWED_HOSTS.")

var errTwoLengths = errs.Malformed(errs.CodeTwoLengths,
	"Send Content-Length or Transfer-Encoding, not both, and no header line that begins with a blank.")

// notGuessed is a header value that all answers share. It is never modified.
var notGuessed = []string{"nosniff"}

// middleware gives every request an id, a log line and a count in the metrics, and
// an answer even if its handler panics.
func (s *Server) middleware(next http.Handler) http.Handler {
	respond := web.Responder{Log: s.Log}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, r := s.contextOf(r)
		h := w.Header()
		h["X-Request-Id"], h["X-Content-Type-Options"] = ctx.id[:], notGuessed
		seen := &ctx.answer
		seen.ResponseWriter = w
		body, lingers := r.Body, true // handlers may wrap r.Body
		defer func() {
			if lingers && seen.status >= http.StatusBadRequest {
				linger(w, r, body)
			}
		}()
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { //nolint:errorlint // panics carry the value itself
					lingers = false
					panic(p)
				}
				s.Log.ErrorContext(ctx, "handler panicked",
					slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
				if seen.status == 0 {
					respond.Fail(seen, r, web.FamilyOf(r.URL.Path), web.ErrInternal)
				}
			}
			took := time.Since(ctx.at)
			if s.Log.Enabled(ctx, slog.LevelDebug) { // else nothing is built for it
				// The path without its query: a query may contain a license key.
				s.Log.DebugContext(ctx, "request",
					slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", seen.status),
					slog.Int64("bytes", seen.bytes), slog.Duration("took", took))
			}
			s.Observe(r.Pattern, seen.status, took)
			if s.Witness != nil && seen.made != nil {
				s.Witness(r, seen.status, seen.made)
			}
			if ctx.span.Recording() {
				s.describe(ctx.span, r, ctx.id[0], seen.status)
			}
			if seen.status == 0 && r.Context().Err() != nil {
				// The client left, or closed its half and reads on: an empty 200, which
				// net/http would send, would be a lie.
				lingers = false
				panic(http.ErrAbortHandler)
			}
		}()
		if s.Refused(r) {
			lingers = false // it is unclear where its body ends
			w.Header().Set("Connection", "close")
			respond.Fail(seen, r, web.FamilyOf(r.URL.Path), errTwoLengths)
			return
		}
		if !s.answersHost(r) {
			s.Log.DebugContext(ctx, "request for another host refused", slog.String("host", r.Host))
			respond.Fail(seen, r, web.FamilyOf(r.URL.Path), errMisdirected)
			return
		}
		next.ServeHTTP(seen, r)
	})
}

// describe ends the span of a request, with the attributes of OpenTelemetry's conventions for HTTP. It
// records the route, but neither the path nor the query, which may hold secrets of the client.
func (s *Server) describe(span trace.Span, r *http.Request, id string, status int) {
	method := trace.Method(r.Method)
	_, route, found := strings.Cut(r.Pattern, " ")
	if !found {
		route = r.Pattern
	}
	name := method
	if method == trace.OtherMethod {
		name = "HTTP"
	}
	span.Name(strings.TrimSpace(name + " " + route))
	span.Text("http.request.method", method)
	span.Text("http.route", route)
	scheme, _, _ := strings.Cut(s.PublicURL, ":")
	span.Text("url.scheme", scheme)
	span.Text("network.protocol.version", strings.TrimSuffix(strings.TrimPrefix(r.Proto, "HTTP/"), ".0"))
	span.Text("stoa.request_id", id)
	if status != 0 { // else the client left, or the connection was taken over
		span.Number("http.response.status_code", status)
	}
	if status >= http.StatusInternalServerError {
		span.Fail(strconv.Itoa(status))
	}
	span.End()
}

// believeVisitor makes a theme app's call for a visitor count as the visitor's own. The app sends the
// visitor's address in a sealed form that it got from stoa and cannot forge. Otherwise all visitors of a
// shop would share the limits of one address.
func (s *Server) believeVisitor(ctx context.Context, r *http.Request) {
	sealed := r.Header[themes.VisitorHeader]
	if len(sealed) != 1 {
		return
	}
	addr, ok, err := s.Themes.Visitor(ctx, r.Header.Get(themes.TokenHeader), sealed[0])
	if err != nil {
		s.Log.WarnContext(ctx, "the visitor of a theme app is not known", slog.Any("err", err))
	}
	if ok {
		r.RemoteAddr = netip.AddrPortFrom(addr, 0).String()
	}
}

// answersHost reports whether r names an allowed host. Probes of load balancers may name any host,
// because their answers reveal nothing.
func (s *Server) answersHost(r *http.Request) bool {
	return s.Hosts.Allows(r) || r.URL.Path == "/livez" || r.URL.Path == "/readyz"
}

// observer is a ResponseWriter that records the status and size of an answer.
type observer struct {
	http.ResponseWriter

	status int
	bytes  int64
	made   any
}

// Made implements web.Witness.
func (o *observer) Made(v any) { o.made = v }

func (o *observer) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.status = status
	}
	if h := o.Header(); status < http.StatusOK && status != http.StatusSwitchingProtocols && h["Connection"] != nil {
		// Connection: close belongs to the final answer. On an early answer, clients would take that
		// one for the last.
		defer func(ends []string) { h["Connection"] = ends }(h["Connection"])
		delete(h, "Connection")
	}
	o.ResponseWriter.WriteHeader(status)
}

func (o *observer) Write(b []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	n, err := o.ResponseWriter.Write(b)
	o.bytes += int64(n)
	return n, err
}

// TakeFrom implements splice.Taker.
func (o *observer) TakeFrom(s *splice.Source, most int64) (int64, error) {
	n, err := splice.Take(o.ResponseWriter, s, most)
	o.bytes += n
	return n, err
}

var _ splice.Taker = (*observer)(nil)

// Unwrap lets http.ResponseController reach Flush, Hijack and the deadlines.
func (o *observer) Unwrap() http.ResponseWriter { return o.ResponseWriter }
