package compat_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestCore: what Fastify promises holds inside of stoa, on every Node.js.
func TestCore(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h *host) {
		s := h.install(t, "core", bundled(t, "core.js"), `{"webhookSecret":"whsec-0123456789","prefix":"/never"}`)
		s.get(t, "/health").want(t, 404, "/health not found") // its own, for which the gateway answers
		for name, test := range map[string]func(*testing.T, *site){
			"hooks": testHooks, "scopes": testScopes, "schemas": testSchemas, "errors": testErrors, "bodies": testBodies,
			"replies": testReplies, "webhook": testWebhook, "request": testRequest,
		} {
			t.Run(name, func(t *testing.T) { test(t, s) })
		}
	})
}

func testHooks(t *testing.T, s *site) {
	res := s.do(t, "POST", "/api/hooks", "{}", "Content-Type", "application/json")
	res.want(t, 200, `{"trail":["onRequest","preParsing","preValidation","preHandler","route","preSerialization"],`+
		`"END":true}`)
	if res.header.Get("X-Sent") != "1" {
		t.Error("onSend set no header")
	}
	res = s.get(t, "/api/hooks/error")
	res.want(t, 409, "hooked")
	if res.header.Get("X-Error") != "hooked" {
		t.Error("onError set no header")
	}
	s.get(t, "/api/hooks/early").want(t, 403, `{"trail":["onRequest","preSerialization"],"END":"early"}`)
	s.get(t, "/api/lifecycle").want(t, 200, `"phases":["ready","listen","response /api/hooks","response /api/hooks/error"`)
}

func testScopes(t *testing.T, s *site) {
	s.get(t, "/api/scoped/").want(t, 200, `{"secret":"inner","prefix":"/api/scoped"}`)
	deep := s.get(t, "/api/scoped/v1/deep")
	deep.want(t, 200, `{"secret":"inner","prefix":"/api/scoped/v1"}`)
	if got := deep.header.Get("X-Scope"); got != "inner" {
		t.Errorf("x-scope = %q, want the inner scope's", got)
	}
	s.get(t, "/api/scoped/callback").want(t, 200, `{"secret":"inner","own":"option"}`)
	s.get(t, "/api/scoped/v1/none").want(t, 404, `{"nothing":"/api/scoped/v1/none"}`)
	res := s.get(t, "/api/decorators?n=21")
	res.want(t, 200, `{"data":{"sum":3,"double":42,"user":"ada","lazy":"computed","has":true}}`)
	if res.header.Get("X-Scope") != "" {
		t.Error("a hook left its scope")
	}
}

func testSchemas(t *testing.T, s *site) {
	post := func(path, kind, body string) answer {
		return s.do(t, "POST", path, body, "Content-Type", "application/json", "X-Kind", kind)
	}
	good := `{"mail":"a@b.example","items":[{"sku":"ab","more":1}]}`
	post("/api/validated/7?deep=true&tags=x&tags=y", "a", good).want(t, 200,
		`{"id":7,"deep":true,"tags":["x","y"],"items":[{"sku":"ab","count":1}]}`)
	post("/api/validated/x", "a", good).want(t, 400, `params/id must be integer`)
	post("/api/validated/7", "c", good).want(t, 400, `headers/x-kind must be equal to one of the allowed values`)
	post("/api/validated/7", "a", `{"mail":"no","items":[]}`).want(t, 400, `body/mail must match format`)
	post("/api/validated/7", "a", `{"mail":"a@b.example","items":[{"sku":"a"}]}`).want(t, 400,
		`body/items/0/sku must NOT have fewer than 2 characters`)
	post("/api/validated/7", "a", `{`).want(t, 400, "JSON")
	post("/api/attached", "", `{}`).want(t, 200, `{"attached":"body"}`)
}

func testErrors(t *testing.T, s *site) {
	s.get(t, "/api/errors/async").want(t, 500, `{"handled":"async"}`)
	s.get(t, "/api/errors/sync").want(t, 500, `{"handled":"sync"}`)
	s.get(t, "/api/errors/sent").want(t, 500, `{"handled":"sent","code":"E_SENT"}`)
	s.get(t, "/api/errors/nested").want(t, 500, `{"handled":"outer gets inner"}`)
	s.get(t, "/api/errors/default").want(t, 499, `route: own`)
	none := s.get(t, "/api/errors/nothing")
	none.want(t, 404, `{"none":true}`)
	if none.header.Get("X-Looked") != "1" {
		t.Error("the not-found handler's hook did not run")
	}
	s.get(t, "/api/nothing").want(t, 404, "Route GET:/api/nothing not found")
}

func testBodies(t *testing.T, s *site) {
	s.do(t, "POST", "/api/body", "a,b\nc,d", "Content-Type", "text/csv; charset=utf-8").want(t, 200,
		`"body":[["a","b"],["c","d"]]`)
	s.do(t, "POST", "/api/body", `{"a":[1,null]}`, "Content-Type", "application/json").want(t, 200,
		`{"type":"object","body":{"a":[1,null]}}`)
	s.do(t, "POST", "/api/body", "plain", "Content-Type", "text/plain").want(t, 200, `{"type":"string","body":"plain"}`)
	s.do(t, "POST", "/api/body", "?", "Content-Type", "application/x-unknown").want(t, 415, "Unsupported Media Type")
	s.do(t, "POST", "/api/small", `{"a":"0123456789"}`, "Content-Type", "application/json").want(t, 413, "too large")
	s.do(t, "PUT", "/api/body", `{"a":1}`, "Content-Type", "application/json").want(t, 200, `{"PUT":{"a":1}}`)
	s.do(t, "PATCH", "/api/body", `{"a":2}`, "Content-Type", "application/json").want(t, 200, `{"PATCH":{"a":2}}`)
	s.do(t, "DELETE", "/api/body", "").want(t, 200, `{"body":null}`)

	all := make([]byte, 3<<20)
	rand.Read(all)
	for path, contentType := range map[string]string{
		"/api/bytes":  "application/vnd.own+bytes",
		"/api/stream": "application/x-stream",
	} {
		sent := all
		if path == "/api/bytes" {
			sent = all[:900<<10]
		}
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+path, bytes.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		res, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%s: %d, %d of %d bytes came back, %v", path, res.StatusCode, len(got), len(sent), err)
		}
	}
}

func testReplies(t *testing.T, s *site) {
	get := func(name string) answer { return s.get(t, "/api/replies/"+name) }
	buffer := get("buffer")
	buffer.want(t, 200, "\x00\x01\x02\xff")
	if buffer.header.Get("Content-Type") != "image/png" {
		t.Errorf("content type %s", buffer.header.Get("Content-Type"))
	}
	get("view").want(t, 200, "\xff\x00\xfe")
	get("stream").want(t, 200, "one two three")
	if web := get("web"); web.header.Get("X-Web") != "1" {
		t.Errorf("a Response: %+v", web)
	} else {
		web.want(t, 201, "from the web")
	}
	get("late").want(t, 200, `{"late":true}`)
	get("awaited").want(t, 200, `{"awaited":true}`)
	if raw := get("raw"); raw.status != 202 || raw.body != "raw" || raw.header.Get("X-Raw") != "yes" {
		t.Errorf("hijacked: %+v", raw)
	}
	get("nothing").want(t, 204, "")
	get("null").want(t, 200, "null")
	if redirect := get("redirect"); redirect.status != 307 || redirect.header.Get("Location") != "/elsewhere" {
		t.Errorf("redirect: %+v", redirect)
	}
	get("trailer").want(t, 200, "body")
	get("number").want(t, 200, "<7>")
	if headers := get("headers"); len(headers.header.Values("Set-Cookie")) != 2 || headers.header.Get("X-A") != "1" ||
		headers.header.Get("X-B") != "latin" {
		t.Errorf("headers: %v", headers.header)
	}
	if events := get("events"); events.header.Get("Content-Type") != "text/event-stream" ||
		events.body != "id: 1\ndata: {\"n\":1}\n\nid: 2\ndata: {\"n\":2}\n\nid: 3\ndata: {\"n\":3}\n\n" {
		t.Errorf("events: %+v", events)
	}
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		s.do(t, method, "/api/replies/method", "").want(t, 200, method)
	}
	if head := s.do(t, "HEAD", "/api/replies/late", ""); head.status != 200 || head.body != "" ||
		head.header.Get("Content-Length") != "13" {
		t.Errorf("HEAD: %+v", head)
	}
	get("params/x%20y/12.json").want(t, 200, `{"a":"x y","b":"12"}`)
	get("wild/a/b%2Fc").want(t, 200, `{"*":"a/b/c"}`)

	res, err := s.client.Get(s.url + "/api/replies/broken")
	if err == nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	if err == nil {
		t.Error("an answer that broke off was passed off as whole")
	}
}

// A provider's signature verifies byte for byte, whatever the bytes and the
// content type.
func testWebhook(t *testing.T, s *site) {
	odd := "{ \"a\" : 1.0 ,\r\n\t\"b\":\"\\u00fc ü\" }\n\n"
	random := make([]byte, 100<<10)
	rand.Read(random)
	for _, body := range []string{odd, string(random), "\x00", "a=1&b=%20+"} {
		for _, contentType := range []string{
			"application/json", "application/x-www-form-urlencoded",
			"text/plain; charset=utf-16", "application/vnd.provider+json",
		} {
			mac := hmac.New(sha256.New, []byte("whsec-0123456789"))
			mac.Write([]byte(body))
			signature := hex.EncodeToString(mac.Sum(nil))
			res := s.do(t, "POST", "/api/webhook", body, "Content-Type", contentType, "X-Provider-Signature", signature)
			var got struct{ Bytes int }
			if json.Unmarshal([]byte(res.body), &got) != nil || res.status != 200 || got.Bytes != len(body) {
				t.Errorf("%s, %d bytes: %d %s", contentType, len(body), res.status, res.body)
			}
			s.do(t, "POST", "/api/webhook", body+" ", "Content-Type", contentType, "X-Provider-Signature", signature).want(t,
				401, "signature")
		}
	}
}

func testRequest(t *testing.T, s *site) {
	var got map[string]any
	res := s.get(t, "/api/request?a=1&a=2&b=%C3%BC", "X-Forwarded-Host", "evil.example")
	if err := json.Unmarshal([]byte(res.body), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"ip": "203.0.113.9", "protocol": "https", "hostname": "shop.example.com", "host": "shop.example.com:8443",
		"port":   8443.0,
		"method": "GET", "url": "/api/request?a=1&a=2&b=%C3%BC", "id": "string", "is404": false, "route": "/api/request",
	} {
		if got[name] != want {
			t.Errorf("request.%s = %v, want %v", name, got[name], want)
		}
	}
	if !strings.Contains(res.body, `"query":{"a":["1","2"],"b":"ü"}`) {
		t.Errorf("query: %s", res.body)
	}
}
