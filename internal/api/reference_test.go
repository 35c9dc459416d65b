package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/api/web"
)

func getReference(t *testing.T, path, ifNoneMatch string) *httptest.ResponseRecorder {
	t.Helper()
	return getReferenceAs(t, path, http.Header{"If-None-Match": {ifNoneMatch}})
}

// shopDocs is the page of one server, for all tests: building it takes most of a second.
var shopDocs = docs("https://shop.test:8443")

func getReferenceAs(t *testing.T, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	h := map[string]web.HandlerFunc{"/docs": shopDocs, "/openapi.json": openapi}[path]
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for name, values := range header {
		if values[0] != "" {
			r.Header[name] = values
		}
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
	for _, want := range []string{
		"default-src 'none'", "style-src 'sha256-", "script-src 'sha256-", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %s", policy, want)
		}
	}
	for _, banned := range []string{"<script ", "<link", "<img", "<iframe", " src=", "@import", " style="} {
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

// Looking something up must not load megabytes, nor show the same paragraph in every operation.
func TestDocsPageIsSmall(t *testing.T) {
	t.Parallel()

	page := getReferenceAs(t, "/docs", http.Header{"Accept-Encoding": {"gzip, deflate, br"}}).Body.Len()
	if page >= 160_000 { // 52,933 when this was written
		t.Errorf("the compressed page has %d bytes", page)
	}
	html := getReference(t, "/docs", "").Body.String()
	if nodes := regexp.MustCompile(`<[a-z]`).FindAllString(html, -1); len(nodes) > 36_000 {
		t.Errorf("the page has %d elements", len(nodes))
	}
	ids := make(map[string]bool) // an operation must not be called what the page itself uses
	for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(html, -1) {
		if ids[id[1]] {
			t.Errorf("two elements of the page have the id %q", id[1])
		}
		ids[id[1]] = true
	}
	for _, shared := range []string{
		"The access token is missing, invalid or expired, or its session has ended.", "Something went wrong on stoa",
		"Not found, or not visible to this caller.", "The caller is known, but their role lacks the permission",
	} {
		if n := strings.Count(html, shared); n != 1 {
			t.Errorf("the page has %q %d times, want once", shared, n)
		}
	}
}

// What the page says is for its readers: it names their server, and none of the papers
// that stoa is built by.
func TestDocsPageIsForItsReaders(t *testing.T) {
	t.Parallel()

	html := getReference(t, "/docs", "").Body.String()
	for _, inner := range []string{"contract", "Rules:", "127.0.0.1:8080"} {
		if strings.Contains(html, inner) {
			t.Errorf("the page holds %q", inner)
		}
	}
	if !strings.Contains(html, "https://shop.test:8443/auth/login&#39;") {
		t.Error("the examples do not name the server")
	}
}

func TestReferenceIsCompressedForWhoeverReadsIt(t *testing.T) {
	t.Parallel()

	for _, path := range []string{"/docs", "/openapi.json"} {
		plain := getReference(t, path, "")
		for accepted, want := range map[string]string{
			"gzip": "gzip", "br, GZIP;q=0.5": "gzip", "identity": "", "gzip;q=0": "", "x-gzip": "", "": "", "*": "",
		} {
			w := getReferenceAs(t, path, http.Header{"Accept-Encoding": {accepted}})
			if got := w.Header().Get("Content-Encoding"); got != want || w.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s for %q: Content-Encoding %q, Vary %q, want %q", path, accepted, got, w.Header().Get("Vary"), want)
			}
			if want == "" {
				continue
			}
			zip, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(zip); err != nil || !bytes.Equal(body, plain.Body.Bytes()) {
				t.Errorf("%s: unpacked, it is another text (%v)", path, err)
			}
			tag := w.Header().Get("ETag")
			if tag == plain.Header().Get("ETag") {
				t.Errorf("%s: both forms have the tag %s, though their bytes differ", path, tag)
			}
			again := getReferenceAs(t, path, http.Header{"Accept-Encoding": {accepted}, "If-None-Match": {tag}})
			if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
				t.Errorf("%s with If-None-Match %s = %d", path, tag, again.Code)
			}
		}
	}
}
