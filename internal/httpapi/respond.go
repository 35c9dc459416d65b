package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa/internal/errs"
)

// statusByKind is the HTTP status of each kind of failure.
var statusByKind = map[errs.Kind]int{
	errs.Invalid:          http.StatusBadRequest,
	errs.Unauthenticated:  http.StatusUnauthorized,
	errs.Forbidden:        http.StatusForbidden,
	errs.NotFound:         http.StatusNotFound,
	errs.MethodNotAllowed: http.StatusMethodNotAllowed,
	errs.Conflict:         http.StatusConflict,
	errs.Stale:            http.StatusPreconditionFailed,
	errs.TooLarge:         http.StatusRequestEntityTooLarge,
	errs.UnsupportedMedia: http.StatusUnsupportedMediaType,
	errs.Unprocessable:    http.StatusUnprocessableEntity,
	errs.RateLimited:      http.StatusTooManyRequests,
	errs.Unsupported:      http.StatusNotImplemented,
	errs.Unreachable:      http.StatusBadGateway,
	errs.Busy:             http.StatusServiceUnavailable,
	errs.Timeout:          http.StatusGatewayTimeout,
	errs.Internal:         http.StatusInternalServerError,
}

// levelByKind is how loud a failure is in the log: an error is a fault of ours, a
// warning one of a plugin, and what passes by itself is neither. Kinds that are
// not here are the client's affair, or what this version does not do.
var levelByKind = map[errs.Kind]slog.Level{
	errs.Internal:    slog.LevelError,
	errs.Unreachable: slog.LevelWarn,
	errs.Timeout:     slog.LevelWarn,
	errs.Busy:        slog.LevelInfo,
}

// Failures of the HTTP layer itself. Those of the domains are declared there.
var (
	errInternal         = errs.New(errs.Internal, "INTERNAL_ERROR", "Something went wrong on our side. Quote the X-Request-Id when you report it.")
	errNoRoute          = errs.New(errs.NotFound, "NOT_FOUND", "There is nothing at this address. See /docs for what there is.")
	errMethodNotAllowed = errs.New(errs.MethodNotAllowed, "METHOD_NOT_ALLOWED", "This address does not answer this method. See the Allow header.")
	errBodyTooLarge     = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The request body is larger than 1 MiB.")
	errTwoLengths       = errs.Malformed("two_lengths", "Send Content-Length or Transfer-Encoding, not both.")
	errNotJSON          = errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE", "Send the body as Content-Type: application/json.")
	errUnauthorized     = errs.New(errs.Unauthenticated, "UNAUTHORIZED", "A valid access token is required. Send it as Authorization: Bearer <token>.")
	errNotReady         = errs.New(errs.Busy, "NOT_READY", "stoa cannot reach its database, or is stopping.").After(time.Second)
	errForbidden        = errs.New(errs.Forbidden, "FORBIDDEN", "This needs the role ADMIN.")
)

// handlerFunc is an HTTP handler that reports failure as a value, so that no
// handler decides how an error looks on the wire.
type handlerFunc func(w http.ResponseWriter, r *http.Request) error

// family is one of the shapes an error body may have (CONTRACT 1).
type family func(e *errs.Error) any

// flat is the shape of /api/marketplace/*.
func flat(e *errs.Error) any {
	return struct {
		Error   string         `json:"error"`
		Message string         `json:"message"`
		Details map[string]any `json:"details,omitempty"`
	}{e.Code, e.Message, e.Details}
}

// enveloped is the shape of every other path.
func enveloped(e *errs.Error) any {
	type detail struct {
		Code       string         `json:"code"`
		Message    string         `json:"message"`
		Details    map[string]any `json:"details,omitempty"`
		RetryAfter int            `json:"retryAfter,omitempty"` // seconds
	}
	return struct {
		Success bool   `json:"success"`
		Error   detail `json:"error"`
	}{false, detail{e.Code, e.Message, e.Details, ceilSeconds(e.RetryAfter)}}
}

// familyOf returns the shape that errors below path have.
func familyOf(path string) family {
	if strings.HasPrefix(path, "/api/marketplace/") || path == "/api/marketplace" {
		return flat
	}
	return enveloped
}

// handle adapts h to net/http and answers its errors in the given shape. It is
// the only place where an error becomes bytes. Errors that are not an
// *errs.Error are logged in full and answered without detail.
func (s *Server) handle(shape family, h handlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.fail(w, r, shape, err)
		}
	})
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, shape family, err error) {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		e = errInternal
	}
	status := statusByKind[e.Kind]
	if level, is := levelByKind[e.Kind]; is && r.Context().Err() == nil {
		s.Log.Log(r.Context(), level, "request failed", slog.String("route", r.Pattern), slog.Int("status", status), slog.Any("err", err))
	}
	if n := ceilSeconds(e.RetryAfter); n > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(n))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, status, shape(e))
}

func ceilSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// writeJSON sends v. Nothing useful can be done about a client that went away,
// so the error of the write is dropped.
//
// The answer is put together first: with its length known a long one, such as a
// list, goes out in one piece and unchunked.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	body.Reset()
	enc := json.NewEncoder(body)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	writeBody(w, status, body.Bytes())
}

// writeBody sends JSON as it is.
func writeBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// Values of headers that most answers have. They are shared by all answers: who
// sets another value puts it in their place, and never into them.
var (
	contentJSON = []string{"application/json; charset=utf-8"}
	notStored   = []string{"no-store"}
	notGuessed  = []string{"nosniff"}
)

// noStore keeps an answer out of every cache: it is someone's own, or perishable.
func noStore(w http.ResponseWriter) { w.Header()["Cache-Control"] = notStored }

// bodies are buffers for answers.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// envelope is a successful answer of the enveloped family.
type envelope struct {
	Success bool   `json:"success"`
	Data    any    `json:"data"`
	Message string `json:"message,omitempty"`
}

// writeData answers data in the envelope of CONTRACT 1.
func writeData(w http.ResponseWriter, status int, data any) {
	writeJSON(w, status, envelope{Success: true, Data: data})
}

// timestamp is a time as the API writes it: RFC 3339, UTC, milliseconds. A zero
// time marshals as null; fields that may be absent use omitzero.
type timestamp time.Time

// IsZero makes omitzero work.
func (t timestamp) IsZero() bool { return time.Time(t).IsZero() }

// MarshalJSON implements json.Marshaler.
func (t timestamp) MarshalJSON() ([]byte, error) {
	return t.append(make([]byte, 0, len(`"2006-01-02T15:04:05.000Z"`))), nil
}

func (t timestamp) append(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	// Package time has a short way for this layout, and none for milliseconds.
	b = time.Time(t).UTC().AppendFormat(append(b, '"'), time.RFC3339)
	ms := int64(time.Time(t).Nanosecond()) / int64(time.Millisecond)
	b = strconv.AppendInt(b[:len(b)-1], 1000+ms, 10) // four digits in the place of Z,
	b[len(b)-4] = '.'                                // of which the first is none
	return append(b, 'Z', '"')
}

// isJSON reports whether a Content-Type names JSON. Its absence is taken as
// JSON: many clients leave it out, and nothing else is read here.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}
