package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/httpapi/web"
)

func getReference(t *testing.T, path, ifNoneMatch string) *httptest.ResponseRecorder {
	t.Helper()
	h := map[string]web.HandlerFunc{"/docs": docs, "/openapi.json": openapi}[path]
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	if ifNoneMatch != "" {
		r.Header.Set("If-None-Match", ifNoneMatch)
	}
	w := httptest.NewRecorder()
	if err := h(w, r); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestReferenceIsSentOnce(t *testing.T) {
	t.Parallel()

	for _, path := range []string{"/docs", "/openapi.json"} {
		first := getReference(t, path, "")
		tag := first.Header().Get("ETag")
		if first.Code != http.StatusOK || tag == "" || first.Body.Len() < 10_000 {
			t.Fatalf("%s: %d, ETag %q, %d bytes", path, first.Code, tag, first.Body.Len())
		}
		for _, header := range []string{tag, `"other", W/` + tag, "*"} {
			if again := getReference(t, path, header); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
				t.Errorf("%s with If-None-Match %s: %d with %d bytes, want 304 without a body", path, header,
					again.Code, again.Body.Len())
			}
		}
		if other := getReference(t, path, `"other"`); other.Code != http.StatusOK {
			t.Errorf("%s with another tag: %d, want 200", path, other.Code)
		}
	}
}

func TestOpenAPIIsJSON(t *testing.T) {
	t.Parallel()

	var doc struct {
		OpenAPI string `json:"openapi"`
	}
	if err := json.Unmarshal(getReference(t, "/openapi.json", "").Body.Bytes(), &doc); err != nil ||
		!strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("openapi is %q (%v), want 3.1", doc.OpenAPI, err)
	}
}

// The page loads nothing else, and its policy allows nothing else.
func TestDocsPageIsSelfContained(t *testing.T) {
	t.Parallel()

	w := getReference(t, "/docs", "")
	policy := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "style-src 'sha256-", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %s", policy, want)
		}
	}
	for _, banned := range []string{"<script", "<link", "<img", "<iframe", " src=", "@import", " style="} {
		if strings.Contains(w.Body.String(), banned) {
			t.Errorf("the page holds %q", banned)
		}
	}
	for _, op := range []string{`id="register"`, `id="verifyLicense"`, `id="installExtension"`, `id="callPlugin"`} {
		if !strings.Contains(w.Body.String(), op) {
			t.Errorf("the page lacks %s", op)
		}
	}
}
