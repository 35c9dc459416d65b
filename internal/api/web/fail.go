package web

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/trace"
	"stoa/internal/data/outage"
)

// statusByKind is the HTTP status of each kind of failure.
var statusByKind = map[errs.Kind]int{
	errs.Invalid:          http.StatusBadRequest,
	errs.Unauthenticated:  http.StatusUnauthorized,
	errs.Forbidden:        http.StatusForbidden,
	errs.NotFound:         http.StatusNotFound,
	errs.MethodNotAllowed: http.StatusMethodNotAllowed,
	errs.Gone:             http.StatusGone,
	errs.Conflict:         http.StatusConflict,
	errs.Stale:            http.StatusPreconditionFailed,
	errs.NoRange:          http.StatusRequestedRangeNotSatisfiable,
	errs.TooLarge:         http.StatusRequestEntityTooLarge,
	errs.Misdirected:      http.StatusMisdirectedRequest,
	errs.UnsupportedMedia: http.StatusUnsupportedMediaType,
	errs.Unprocessable:    http.StatusUnprocessableEntity,
	errs.RateLimited:      http.StatusTooManyRequests,
	errs.Unsupported:      http.StatusNotImplemented,
	errs.Unreachable:      http.StatusBadGateway,
	errs.Busy:             http.StatusServiceUnavailable,
	errs.Timeout:          http.StatusGatewayTimeout,
	errs.Internal:         http.StatusInternalServerError,
}

// Status returns the HTTP status of a kind of failure, or 0 for an unknown kind.
func Status(kind errs.Kind) int { return statusByKind[kind] }

// levelByKind is the level at which a failure is logged: stoa's own faults are errors, a plugin's are
// warnings, and temporary conditions are neither. Absent kinds are not logged: they are the client's
// fault, or something this version does not support.
var levelByKind = map[errs.Kind]slog.Level{
	errs.Internal:    slog.LevelError,
	errs.Unreachable: slog.LevelWarn,
	errs.Timeout:     slog.LevelWarn,
	errs.Busy:        slog.LevelInfo,
}

// ErrInternal is the answer for an error that is not an *errs.Error.
var ErrInternal = errs.New(errs.Internal, "INTERNAL_ERROR",
	"Something went wrong on our side. Quote the X-Request-Id when you report it.")

// Family is one of the shapes of an error body (contract 1.3).
type Family func(e *errs.Error) any

// Flat is the shape of /api/marketplace/* and /api/market/v1/*.
func Flat(e *errs.Error) any {
	return struct {
		Error   string         `json:"error"`
		Message string         `json:"message"`
		Details map[string]any `json:"details,omitempty"`
	}{e.Code, e.Message, e.Details}
}

// Enveloped is the shape of every other path.
func Enveloped(e *errs.Error) any {
	type detail struct {
		Code       string         `json:"code"`
		Message    string         `json:"message"`
		Details    map[string]any `json:"details,omitempty"`
		RetryAfter int            `json:"retryAfter,omitempty"` // seconds
	}
	return struct {
		Success bool   `json:"success"`
		Error   detail `json:"error"`
	}{false, detail{e.Code, e.Message, e.Details, CeilSeconds(e.RetryAfter)}}
}

// FamilyOf returns the shape of errors at path.
func FamilyOf(path string) Family {
	for _, flat := range []string{"/api/marketplace", "/api/market/v1"} {
		if rest, ok := strings.CutPrefix(path, flat); ok && (rest == "" || rest[0] == '/') {
			return Flat
		}
	}
	return Enveloped
}

// Responder turns errors into answers. Nothing else does.
type Responder struct {
	Log *slog.Logger
}

// Handle adapts h to net/http and answers its errors in the given shape.
func (re Responder) Handle(shape Family, h HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			re.Fail(w, r, shape, err)
		}
	})
}

// Fail answers with err and logs it at the level of its kind. An error that is not an *errs.Error is
// logged in full and answered without detail, but for an outage, which has an answer of its own.
func (re Responder) Fail(w http.ResponseWriter, r *http.Request, shape Family, err error) {
	e := answerTo(err)
	status := Status(e.Kind)
	re.log(r, e.Kind, err)
	if id := trace.From(r.Context()).TraceID(); id != "" {
		w.Header().Set("X-Trace-Id", id)
		// Also in the body, where people look, but only for failures: some refusals must be
		// indistinguishable.
		if status >= http.StatusInternalServerError {
			e = e.With("traceId", id)
		}
	}
	if n := CeilSeconds(e.RetryAfter); n > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(n))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	WriteJSON(w, status, shape(e))
}

func answerTo(err error) *errs.Error {
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return e
	}
	if e, ok := outage.Answer(err); ok {
		return e
	}
	return ErrInternal
}

// OrPage returns h for an address that people visit: if h fails because of an outage, they get page,
// with the status and the Retry-After that programs get with their error.
func (re Responder) OrPage(h HandlerFunc, page PageOf) HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		e, is := outage.Answer(err)
		if !is || !WantsHTML(r) {
			return err
		}
		re.log(r, e.Kind, err)
		w.Header().Add("Vary", "Accept")
		w.Header().Set("Retry-After", strconv.Itoa(CeilSeconds(e.RetryAfter)))
		return FailureHTML(Status(e.Kind), page)(w, r)
	}
}

// log logs a failure, unless the client has left. An outage is no fault of stoa's, whatever it is called.
func (re Responder) log(r *http.Request, kind errs.Kind, err error) {
	level, is := levelByKind[kind]
	if outage.Is(err) {
		level = levelByKind[errs.Busy]
	}
	if is && r.Context().Err() == nil {
		re.Log.Log(r.Context(), level, "request failed", slog.String("route", r.Pattern),
			slog.Int("status", Status(kind)), slog.Any("err", err))
	}
}

// CeilSeconds returns d in whole seconds, rounded up, as headers state durations.
func CeilSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
