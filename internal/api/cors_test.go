package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/api"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

const frontEnd = "https://front.example"

func withOrigins(origins ...string) func(testing.TB, *app.Config) {
	return func(_ testing.TB, cfg *app.Config) { cfg.CORSOrigins = origins }
}

func from(origin, method, path string, headers ...string) testkit.Request {
	req := testkit.Request{Method: method, Path: path, Header: http.Header{"Origin": {origin}}}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

func preflight(origin, path, method, headers string) testkit.Request {
	return from(origin, http.MethodOptions, path,
		"Access-Control-Request-Method", method, "Access-Control-Request-Headers", headers)
}

// crossOriginHeaders returns the headers of an answer that concern other origins.
func crossOriginHeaders(res testkit.Response) map[string]string {
	found := make(map[string]string)
	for name := range res.Header {
		if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
			found[name] = strings.Join(res.Header.Values(name), ", ")
		}
	}
	return found
}

func TestPreflightsAreAnsweredAndCached(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, withOrigins(frontEnd, "http://localhost:5173"))
	for _, path := range []string{
		"/auth/login", "/api/marketplace/products/x/purchase", "/.well-known/jwks.json", "/openapi.json", "/api/v1/shop/none",
	} {
		res := a.DoUnchecked(t, preflight(frontEnd, path, "POST", "authorization,content-type,idempotency-key"))
		want := map[string]string{
			"Access-Control-Allow-Headers": "authorization,content-type,idempotency-key",
			"Access-Control-Allow-Methods": "POST",
			"Access-Control-Allow-Origin":  frontEnd,
			"Access-Control-Max-Age":       "7200",
			"Vary":                         "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
		}
		if diff := cmp.Diff(want, crossOriginHeaders(res)); diff != "" || res.Status != http.StatusNoContent {
			t.Errorf("%s = %d (-want +got):\n%s", path, res.Status, diff)
		}
	}
	for name, req := range map[string]testkit.Request{
		"another origin":              preflight("https://evil.example", "/auth/login", "POST", "content-type"),
		"another port":                preflight(frontEnd+":8443", "/auth/login", "POST", "content-type"),
		"plain http":                  preflight("http://front.example", "/auth/login", "POST", "content-type"),
		"a name below":                preflight("https://a.front.example", "/auth/login", "POST", "content-type"),
		"no origin":                   preflight("null", "/auth/login", "POST", "content-type"),
		"a method nothing here has":   preflight(frontEnd, "/auth/login", "TRACE", "content-type"),
		"a header that nothing reads": preflight(frontEnd, "/auth/login", "POST", "x-installation-id"),
	} {
		if res := a.DoUnchecked(t, req); res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s is allowed: %v", name, crossOriginHeaders(res))
		}
	}
}

// An answer, an error's included, can be read by the pages that may ask, and no
// cache gives it to another origin.
func TestAnswersSayWhoMayReadThem(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, withOrigins(frontEnd))
	for _, path := range []string{
		"/api/marketplace/products", "/auth/me", "/auth/none", "/.well-known/jwks.json", "/openapi.json",
	} {
		for origin, want := range map[string]string{frontEnd: frontEnd, "https://evil.example": "", "": ""} {
			req := from(origin, http.MethodGet, path)
			if origin == "" {
				req.Header = nil
			}
			res := a.Do(t, req)
			got, vary := res.Header.Get("Access-Control-Allow-Origin"), res.Header.Get("Vary")
			if got != want || vary != "Origin" {
				t.Errorf("%s for %q: Access-Control-Allow-Origin %q, Vary %q; want %q, Origin", path, origin, got, vary, want)
			}
			if got := res.Header.Get("Access-Control-Expose-Headers"); (got != "") != (want != "") {
				t.Errorf("%s for %q exposes %q", path, origin, got)
			}
		}
	}
	tag := a.Fetch(t, "/openapi.json").Header.Get("ETag")
	res := a.Do(t, from(frontEnd, http.MethodGet, "/openapi.json", "If-None-Match", tag))
	if res.Status != http.StatusNotModified || res.Header.Get("Access-Control-Allow-Origin") != frontEnd {
		t.Errorf("a copy that is still fresh = %d with %v", res.Status, crossOriginHeaders(res))
	}
}

// What administrators, plugins and payment providers use is closed to other
// origins, in every encoding.
func TestOtherOriginsReachNoAdministrationAndNoPlugin(t *testing.T) {
	t.Parallel()

	for _, origins := range [][]string{{frontEnd}, {"*"}} {
		a := testkit.New(t, withOrigins(origins...)).InstallEcho(t, nil)
		for _, path := range []string{
			"/", "/docs", "/livez", "/register", "/setup", "/reset-password", "/claim-orders", "/payment/success",
			"/auth/setup", "/api/v1/admin/users", "/api/v1/admin/plugins/echo/api/x", "/api/v1/platform/config",
			"/api/extensions/plugin/echo/api/x",
			testkit.EchoPath + "/api/x", testkit.EchoPath + "/health", "/api/v1/shop/%70lugins/echo/api/x",
			"/auth/../api/v1/admin/users", "/auth/%2e%2e/api/v1/admin/users", "/api/v1/shop/../admin/users",
			"/auth%2F..%2Fapi/v1/admin/users", "/api/marketplace/payments/stripe/webhook", "//auth/login", "/x/auth/login",
			"/authx",
		} {
			for _, req := range []testkit.Request{
				preflight(frontEnd, path, "GET", "authorization"),
				from(frontEnd, http.MethodGet, path),
			} {
				req.Token = a.Admin.Access
				res := a.DoUnchecked(t, req)
				// Some spellings begin like an open path. What they lead to is a 404.
				nothing := req.Method == http.MethodOptions || res.Status == http.StatusNotFound
				odd := strings.Contains(path, "%2") || strings.Contains(path, "..")
				if res.Header.Get("Access-Control-Allow-Origin") != "" && (!odd || !nothing) {
					t.Errorf("%s %s = %d is readable by other origins: %v", req.Method, path, res.Status, crossOriginHeaders(res))
				}
			}
		}
	}
}

// A browser that has a cookie of stoa's origin never sends it along.
func TestOtherOriginsNeverGetCredentials(t *testing.T) {
	t.Parallel()

	for _, origins := range [][]string{{frontEnd}, {"*"}} {
		a := testkit.New(t, withOrigins(origins...))
		for _, res := range []testkit.Response{
			a.DoUnchecked(t, preflight(frontEnd, "/auth/me", "GET", "authorization")),
			a.Do(t, from(frontEnd, http.MethodGet, "/auth/me", "Cookie", "a=b")),
		} {
			if got, ok := res.Header["Access-Control-Allow-Credentials"]; ok || len(res.Header.Values("Set-Cookie")) > 0 {
				t.Errorf("origins %v: Access-Control-Allow-Credentials %q", origins, got)
			}
		}
		want := map[string]string{"*": "*", frontEnd: frontEnd}[origins[0]]
		res := a.Do(t, from(frontEnd, http.MethodGet, "/openapi.json"))
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("origins %v: Access-Control-Allow-Origin %q, want %q", origins, got, want)
		}
	}
}

func TestWithoutOriginsNothingChanges(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	if res := a.Do(t, from(frontEnd, http.MethodGet, "/.well-known/jwks.json")); len(crossOriginHeaders(res)) != 0 {
		t.Errorf("an answer has %v", crossOriginHeaders(res))
	}
	res := a.DoUnchecked(t, preflight(frontEnd, "/auth/login", "POST", "content-type"))
	if res.Status != http.StatusMethodNotAllowed || len(crossOriginHeaders(res)) != 0 {
		t.Errorf("a preflight = %d with %v, want 405 with none", res.Status, crossOriginHeaders(res))
	}
}

// Every operation that api/openapi.yaml documents for these paths can be called, and
// every header of its answers read.
func TestDocumentedOperationsCrossOrigins(t *testing.T) {
	t.Parallel()

	data, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Responses map[string]documentedHeaders `json:"responses"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	a := testkit.New(t, withOrigins(frontEnd))
	res := a.Do(t, from(frontEnd, http.MethodGet, "/openapi.json"))
	exposed := strings.Split(res.Header.Get("Access-Control-Expose-Headers"), ", ")
	for path, item := range doc.Paths {
		if !strings.HasPrefix(path, "/auth/") && !strings.HasPrefix(path, "/api/marketplace/") && path != "/openapi.json" {
			continue
		}
		if path == "/auth/oidc/{slug}/callback" { // browsers go there by themselves
			continue
		}
		for method, text := range item {
			var op struct {
				Responses map[string]documentedHeaders `json:"responses"`
			}
			if json.Unmarshal(text, &op) != nil { // the parameters of the path
				continue
			}
			use := strings.ToUpper(method)
			asked := a.DoUnchecked(t, preflight(frontEnd, path, use, "authorization")).Header
			if asked.Get("Access-Control-Allow-Methods") != use && !closedToOthers(path) {
				t.Errorf("pages on other origins cannot %s %s", use, path)
			}
			for status, answer := range op.Responses {
				if name, ok := strings.CutPrefix(answer.Ref, "#/components/responses/"); ok {
					answer = doc.Components.Responses[name]
				}
				for header := range answer.Headers {
					read := func(name string) bool { return strings.EqualFold(name, header) }
					if header == "Set-Cookie" { // for stoa's own pages (ADR 0011), and no script reads it
						continue
					}
					if header != "Cache-Control" && !slices.ContainsFunc(exposed, read) { // browsers always show that one
						t.Errorf("%s %s answers %s with %s, which pages on other origins cannot read", method, path, status, header)
					}
				}
			}
		}
	}
}

// closedToOthers reports whether a path is for administrators or payment providers,
// below addresses that are open otherwise.
func closedToOthers(path string) bool {
	return path == "/auth/setup" || strings.HasPrefix(path, "/api/marketplace/payments/")
}

type documentedHeaders struct {
	Ref     string                     `json:"$ref"`
	Headers map[string]json.RawMessage `json:"headers"`
}
