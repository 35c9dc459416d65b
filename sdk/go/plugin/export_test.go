package plugin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWhatAPluginKnowsAboutAUserIsJSON(t *testing.T) {
	t.Parallel()

	var failures []error
	hooks := &Hooks{
		OnError: func(err error) { failures = append(failures, err) },
		Export: func(ctx context.Context, userID string) (any, error) {
			switch {
			case FromContext(ctx) == nil:
				return nil, errors.New("no context")
			case userID == "nobody":
				return nil, nil //nolint:nilnil // it knows nothing
			case userID == "channel":
				return make(chan int), nil
			}
			return map[string]int{"points": len(userID)}, nil
		},
	}
	for _, tt := range []struct {
		body   string
		status int
		answer string
	}{
		{`{"userId":"u-1"}`, http.StatusOK, `{"points":3}`},
		{`{"userId":"u-1"}`, http.StatusOK, `{"points":3}`}, // each time anew
		{`{"userId":"nobody"}`, http.StatusNoContent, ""},
		{`{"userId":"channel"}`, http.StatusInternalServerError, "failed"},
		{`{`, http.StatusInternalServerError, "failed"},
	} {
		rec := deliver(hooks, "/base/__lifecycle/export", "same", tt.body)
		if rec.Code != tt.status || !strings.Contains(rec.Body.String(), tt.answer) {
			t.Errorf("%s: %d %s", tt.body, rec.Code, rec.Body)
		}
	}
	if len(failures) != 2 {
		t.Errorf("errors: %v", failures)
	}
	if rec := deliver(&Hooks{}, "/__lifecycle/export", "1", `{"userId":"u-1"}`); rec.Code != http.StatusNotFound {
		t.Errorf("without a function: %d", rec.Code)
	}
	rec := httptest.NewRecorder()
	hooks.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/__lifecycle/export", strings.NewReader(`{"userId":"u-1"}`)))
	if rec.Code != http.StatusUnauthorized {
		t.Errorf("unsigned: %d", rec.Code)
	}
}
