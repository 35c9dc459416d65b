package web

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/errs"
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
