package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// notText are identifiers, percent-encoded, that no database holds as text.
var notText = []string{"%00", "%ff", "a%00b", "a%C3"}

// codeOf returns the code of an error of either family.
func codeOf(res testkit.Response) string {
	body := string(res.Body)
	_, code, ok := strings.Cut(body, `"code":"`)
	if !ok {
		_, code, _ = strings.Cut(body, `"error":"`)
	}
	code, _, _ = strings.Cut(code, `"`)
	return code
}

// An identifier that is no text names nothing, on every route and on both engines (contract 1.2).
func TestIdentifiersThatAreNoTextNameNothing(t *testing.T) {
	t.Parallel()
	inEachWorld(t, func(t *testing.T, w *world) {
		tried := 0
		for _, op := range testkit.Operations(t) {
			for _, p := range op.Params {
				if p.In != "path" {
					continue
				}
				unknown := w.Do(t, w.request(t, op, w.at(t, op, p.Name, "nothing-has-this-name")))
				for _, value := range notText {
					tried++
					path := w.at(t, op, p.Name, value)
					res := w.Do(t, w.request(t, op, path))
					switch {
					case res.Status >= http.StatusInternalServerError && res.Status != unknown.Status:
						t.Errorf("%s %s = %d %s", op.Method, path, res.Status, res.Body)
					case p.Name == "path" || p.Name == "key": // a plugin's own, or bytes
					case op.Method == http.MethodPut && unknown.Status == http.StatusOK: // it made what has that name
						if res.Status != http.StatusNotFound {
							t.Errorf("PUT %s = %d %s", path, res.Status, res.Body)
						}
					case res.Status != unknown.Status || codeOf(res) != codeOf(unknown):
						t.Errorf("%s %s = %d %s, and for a name that nothing has %d %s", op.Method, path, res.Status, res.Body,
							unknown.Status, unknown.Body)
					}
				}
			}
		}
		if tried < 300 {
			t.Errorf("%d identifiers were tried; the document has more", tried)
		}
	})
}

// A value of the query that is no text is a fault where it is read, or matches nothing (contract 1.2).
func TestQueriesThatAreNoTextAreNoFaultOfStoa(t *testing.T) {
	t.Parallel()
	inEachWorld(t, func(t *testing.T, w *world) {
		for _, op := range testkit.Operations(t) {
			names := []string{"none"}
			for _, p := range op.Params {
				if p.In == "query" {
					names = append(names, p.Name)
				}
			}
			for _, name := range names {
				for _, value := range notText {
					path := w.at(t, op, "", "") + "?" + name + "=" + value
					if op.Method != http.MethodGet && name == "none" || strings.Contains(op.Path, "/logs") && name == "follow" {
						continue
					}
					if op.Method == http.MethodDelete { // what is there shall stay
						path = w.at(t, op, op.Params[0].Name, "nothing-has-this-name") + "?" + name + "=" + value
					}
					if res := w.Do(t, w.request(t, op, path)); res.Status >= http.StatusInternalServerError &&
						res.Status != http.StatusNotImplemented {
						t.Errorf("%s %s = %d %s", op.Method, path, res.Status, res.Body)
					}
				}
			}
		}
	})
}

// Texts in a body with a character that PostgreSQL cannot store are refused or stored, alike on both
// engines.
func TestBodiesWithNULAreNoFaultOfStoa(t *testing.T) {
	t.Parallel()
	inEachWorld(t, func(t *testing.T, w *world) {
		tried := 0
		for _, op := range testkit.Operations(t) {
			if op.Example == nil || strings.Contains(op.Path, "/auth/logout") {
				continue
			}
			for name, body := range withNUL(op.Example) {
				tried++
				req := w.request(t, op, w.at(t, op, "", ""))
				req.Body = body
				if res := w.Do(t, req); res.Status >= http.StatusInternalServerError {
					t.Errorf("%s %s with NUL in %s = %d %s", op.Method, req.Path, name, res.Status, res.Body)
				}
			}
		}
		if tried < 50 {
			t.Errorf("%d fields were tried; the document has more", tried)
		}
	})
}

// Of the fields above, these two are asked for in a query, and one of them behind a password that the first request
// changes.
func TestNoQueryGetsATextWithNUL(t *testing.T) {
	t.Parallel()
	inEachWorld(t, func(t *testing.T, w *world) {
		user := w.Register(t, "kim")
		for _, role := range []string{"\x00", "SUPPORT\x00", "A\x00"} {
			res := w.Do(t, testkit.Patch(w.Admin.Access, "/api/v1/admin/users/"+user.UserID, map[string]any{"role": role}))
			testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		}
		res := w.Do(t, testkit.Post(user.Access, "/auth/change-password", map[string]any{
			"currentPassword": testkit.Password, "newPassword": "staple correct horse",
			"keepApiKeys": []string{"\x00", "7Hq2ZkP0aXw9\x00", "7Hq2ZkP0aXw\x00", ""},
		}))
		if res.Status != http.StatusOK {
			t.Errorf("keys that there cannot be: %d %s", res.Status, res.Body)
		}
	})
}

// withNUL returns copies of a JSON value, each with NUL in another text or name of a field.
func withNUL(v any) map[string]any {
	out := make(map[string]any)
	switch v := v.(type) {
	case string:
		out[""], out["+"] = "\x00", v+"\x00"
	case []any:
		for i, one := range v {
			for at, changed := range withNUL(one) {
				list := append([]any{}, v...)
				list[i] = changed
				out["[]"+at] = list
			}
		}
	case map[string]any:
		copied := func() map[string]any {
			m := make(map[string]any)
			for name, value := range v {
				m[name] = value
			}
			return m
		}
		m := copied()
		m["a\x00b"] = "c\x00d"
		out["{}"] = m
		for name, one := range v {
			for at, changed := range withNUL(one) {
				m := copied()
				m[name] = changed
				out[name+"."+at] = m
			}
		}
	}
	return out
}

// Everything else of a request that is stored as text, or compared with it.
func TestOtherPartsThatAreNoTextAreNoFaultOfStoa(t *testing.T) {
	t.Parallel()
	inEachWorld(t, func(t *testing.T, w *world) {
		root, instance := w.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+w.ID
		with := func(r testkit.Request, name, value string) testkit.Request {
			r.Header = http.Header{name: {value}}
			return r
		}
		manifest := func(changes map[string]any) testkit.Request {
			return with(testkit.Request{
				Method: "POST", Path: "/api/v1/admin/extensions/plugin/install", Token: root,
				Body: testkit.ExternalPlugin(t, "strange", changes),
			}, "Content-Type", "application/zip")
		}
		for name, req := range map[string]testkit.Request{
			"chosen instance": with(testkit.Get("", testkit.EchoPath+"/api/x"), "X-Installation-Id", "\xff"),
			"chosen by query": testkit.Get("", testkit.EchoPath+"/api/x?installationId=%ff"),
			"chosen by key":   testkit.Get("", testkit.EchoPath+"/api/x?installation=a%00"),
			"type of a value": with(testkit.Request{
				Method: "PUT", Path: "/api/v1/platform/storage/k", Token: w.plugin, Body: "v",
			}, "Content-Type", "text/plain; x=\xff"),
			"idempotency key": with(testkit.Purchase(w.user.Access, "once"), "Idempotency-Key", "a\xff"),
			"user agent":      with(testkit.SignIn("ada@example.com", testkit.Password), "User-Agent", "\xff"),
			"If-Match":        with(testkit.Patch(root, instance, map[string]any{"enabled": true}), "If-Match", "\"\xff\""),
			"trace":           with(testkit.Me(w.user.Access), "Traceparent", "\xff"),
			"language":        with(testkit.Get("", testkit.EchoPath+"/api/x"), "Accept-Language", "\xff"),
			"config":          testkit.Patch(root, instance, `{"config":{"a\u0000":"b\u0000"}}`),
			"environment":     testkit.Patch(root, "/api/v1/admin/plugins/echo", `{"environment":{"A":"b\u0000"}}`),
			"event":           testkit.Post(w.plugin, "/api/v1/platform/events", `{"type":"echo.x","data":{"a\u0000":"b\u0000"}}`),
			"theme config":    testkit.Post(root, "/api/v1/admin/themes/shop/activate", `{"slug":"plain","config":{"a":"\u0000"}}`),
			"theme slug":      testkit.Post(root, "/api/v1/admin/themes/shop/activate", `{"slug":"\u0000"}`),
			"theme version":   testkit.Post(root, "/api/v1/admin/themes/shop/activate", `{"slug":"plain","version":"\u0000"}`),
			"catalog": with(testkit.Post(root, "/api/v1/admin/catalog", []byte(
				"products: [{slug: a, name: \"A\\0\", category: \"\\0\", shortDescription: \"\\0\", description: \"\\0\", icon: /i.svg,"+
					" pricingTiers: [{id: only, name: \"\\0\", price: 0}]}]")), "Content-Type", "application/yaml"),
			"manifest's name":        manifest(map[string]any{"name": "a\x00b"}),
			"manifest's description": manifest(map[string]any{"description": "a\x00b"}),
			"manifest's own field":   manifest(map[string]any{"own\x00": "a\x00b"}),
			"manifest's permission":  manifest(map[string]any{"permissions": []string{"a\x00b"}}),
			"manifest's version":     manifest(map[string]any{"version": "1.0.0-\x00"}),
		} {
			res := w.DoUnchecked(t, req)
			if res.Status >= http.StatusInternalServerError {
				t.Errorf("%s: %s %s = %d %s", name, req.Method, req.Path, res.Status, res.Body)
			}
		}
	})
}
