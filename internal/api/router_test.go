package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// Unclean paths are not redirected: at the clean path a DELETE would do
// something that the client did not ask for.
func TestUncleanPathsDoNotExist(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	tests := []struct{ method, path, code string }{
		{"GET", "/api/marketplace//products", "error"},
		{"POST", "/auth//login", "error.code"},
		{"POST", "//auth/login", "error.code"},
		{"GET", "/auth/./me", "error.code"},
		{"DELETE", "/api/v1/admin/plugins/./echo", "error.code"},
		{"GET", "/api/marketplace/../../livez", "error"},
		{"GET", "/livez/", "error.code"},
	}
	for _, tt := range tests {
		res := a.DoUnchecked(t, testkit.Request{Method: tt.method, Path: tt.path})
		if res.Status != 404 || res.Text(t, tt.code) != "NOT_FOUND" {
			t.Errorf("%s %s = %d %s, want 404 NOT_FOUND", tt.method, tt.path, res.Status, res.Body)
		}
	}
}

func TestUnknownMethodsAndMedia(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	res := a.Fetch(t, "/auth/login")
	testkit.WantError(t, res, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	req := testkit.SignIn("ada@example.com", "secret")
	req.Header = http.Header{"Content-Type": {"text/plain"}}
	testkit.WantError(t, a.Do(t, req), http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	testkit.WantError(t, a.Send(t, "/auth/login", `{"x":"`+strings.Repeat("x", 1<<20)+`"}`),
		http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
}
