package web

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/trace"
	"stoa/internal/testkit/logtest"
)

// Nothing that is expected to happen is logged as an error.
func TestLevelsOfFailures(t *testing.T) {
	t.Parallel()

	tests := []struct {
		err  error
		want string
	}{
		{errors.New("boom"), "ERROR"},
		{ErrInternal, "ERROR"},
		{errs.New(errs.Unreachable, "X", "X."), "WARN"},
		{errs.New(errs.Timeout, "X", "X."), "WARN"},
		{errs.New(errs.Busy, "X", "X.").After(time.Second), "INFO"},
		{errs.New(errs.Unsupported, "X", "X."), ""},
		{errs.New(errs.NotFound, "X", "X."), ""},
		{errMalformed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.err.Error(), func(t *testing.T) {
			t.Parallel()

			var log logtest.Buffer
			Responder{
				Log: log.Logger(),
			}.Fail(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), Enveloped,
				tt.err)
			_, rest, _ := strings.Cut(log.String(), "level=")
			if got, _, _ := strings.Cut(rest, " "); got != tt.want {
				t.Errorf("level = %q, want %q: %s", got, tt.want, log.String())
			}
		})
	}
}

// A failure names its trace in the body, a refusal does not: some must be the same to the byte.
func TestFailuresNameTheirTrace(t *testing.T) {
	t.Parallel()
	traced := trace.New()
	for kind, named := range map[errs.Kind]bool{
		errs.Internal: true, errs.Unreachable: true, errs.Busy: true, errs.Timeout: true,
		errs.Unauthenticated: false, errs.NotFound: false, errs.Invalid: false,
	} {
		rec := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(trace.With(t.Context(), traced), "GET", "/", nil)
		Responder{Log: logtest.New(t)}.Fail(rec, r, Enveloped, errs.New(kind, "X", "X.").With("slug", "pay"))
		has := strings.Contains(rec.Body.String(), `"details":{"slug":"pay","traceId":"`+traced.TraceID()+`"}`)
		if has != named || rec.Header().Get("X-Trace-Id") != traced.TraceID() {
			t.Errorf("%v: header %q, body %s", kind, rec.Header().Get("X-Trace-Id"), rec.Body)
		}
	}
}
