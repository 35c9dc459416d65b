package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/reqid"
)

// middleware wraps h with what every request gets: an id, a log line, and an
// answer even when a handler panics.
func (s *Server) middleware(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := reqid.New() // a client's own is never trusted (CONTRACT 1)
		w.Header()["X-Request-Id"] = []string{id}
		w.Header()["X-Content-Type-Options"] = notGuessed
		ctx := reqid.With(r.Context(), id)
		if address := s.ClientIP.Addr(r); address.IsValid() {
			ctx = audit.WithAddress(ctx, address)
		}
		r = r.WithContext(ctx)
		rec := &recorder{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { //nolint:errorlint // panics carry the value itself
					panic(p)
				}
				s.Log.ErrorContext(ctx, "handler panicked", slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
				if rec.status == 0 {
					s.fail(rec, r, familyOf(r.URL.Path), errInternal)
				}
			}
			took := time.Since(start)
			if s.Log.Enabled(ctx, slog.LevelDebug) { // else nothing is put together for it
				// The path without its query: a query may hold a licence key.
				s.Log.DebugContext(ctx, "request",
					slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", rec.status),
					slog.Int64("bytes", rec.bytes), slog.Duration("took", took))
			}
			s.Observe(r.Pattern, rec.status, took)
		}()
		if s.Refused(r) {
			w.Header().Set("Connection", "close")
			s.fail(rec, r, familyOf(r.URL.Path), errTwoLengths)
			return
		}
		h.ServeHTTP(rec, r)
	})
}

// recorder remembers what was answered, for the log.
type recorder struct {
	http.ResponseWriter

	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach Flush, Hijack and the deadlines.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// bearer returns the token in the Authorization header. Other schemes are none
// of the platform's business. Of several headers, none can be taken for what the
// client means, nor for what a proxy on the way checked: together they are a
// token that nobody has.
func bearer(r *http.Request) (string, bool) {
	if len(r.Header.Values("Authorization")) > 1 {
		return "", true
	}
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}

// withCaller puts the caller behind the bearer token, if there is one, into the
// request's context.
func (s *Server) withCaller(h handlerFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if token, ok := bearer(r); ok {
			who, err := s.Auth.Authenticate(r.Context(), token)
			if err != nil {
				return err
			}
			r = r.WithContext(caller.With(r.Context(), who))
		}
		return h(w, r)
	}
}

// requireUser refuses everyone but signed-in users.
func requireUser(h handlerFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if caller.From(r.Context()).UserID == "" {
			return errUnauthorized
		}
		return h(w, r)
	}
}

// requireAdmin refuses everyone but administrators and services: 401 for a
// guest, 403 for other roles (CONTRACT 4).
func requireAdmin(h handlerFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		switch who := caller.From(r.Context()); {
		case who.IsGuest():
			return errUnauthorized
		case !who.IsAdmin():
			return errForbidden
		}
		return h(w, r)
	}
}
