package httpapi_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// The platform's own routes keep to the API document, and so do unknown paths and
// methods: testkit checks each answer.
func TestServiceRoutes(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	waitReady(t, app, "database", true, http.StatusOK)

	tests := []struct {
		name, method, path string
		want               int
	}{
		{"liveness", "GET", "/livez", http.StatusOK},
		{"readiness", "GET", "/readyz", http.StatusOK},
		{"the API document for machines", "GET", "/openapi.json", http.StatusOK},
		{"the API document for people", "GET", "/docs", http.StatusOK},
		{"HEAD of a page", "HEAD", "/docs", http.StatusOK},
		{"an unknown address", "GET", "/nowhere", http.StatusNotFound},
		{"an unknown address of the marketplace", "GET", "/api/marketplace/nowhere", http.StatusNotFound},
		{"an unknown method", "PUT", "/livez", http.StatusMethodNotAllowed},
		{"an unknown method of the marketplace", "DELETE", "/api/marketplace/products", http.StatusMethodNotAllowed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if res := app.Do(t, testkit.Request{Method: tt.method, Path: tt.path}); res.Status != tt.want {
				t.Errorf("status = %d, want %d", res.Status, tt.want)
			}
		})
	}
}

// A stale token must not take a replica out of the load balancer.
func TestHealthIgnoresTokens(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)

	waitReady(t, app, "database", true, http.StatusOK)
	for _, path := range []string{"/livez", "/readyz", "/openapi.json", "/docs"} {
		if res := app.Do(t, testkit.Get("nonsense", path)); res.Status != http.StatusOK {
			t.Errorf("%s with a bad token = %d, want 200", path, res.Status)
		}
	}
}

func TestReferenceIsNotSentAgain(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)

	for _, path := range []string{"/openapi.json", "/docs"} {
		tag := app.Fetch(t, path).Header.Get("ETag")
		again := app.Do(t, testkit.Request{Method: "GET", Path: path, Header: http.Header{"If-None-Match": {tag}}})
		if again.Status != http.StatusNotModified || len(again.Body) != 0 {
			t.Errorf("%s again = %d with %d bytes, want 304 with none", path, again.Status, len(again.Body))
		}
	}
}
