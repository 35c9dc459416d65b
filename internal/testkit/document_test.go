package testkit

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

const requestID = "0192f0c1-2b3c-7d4e-8f50-617283940a1b"

// answer builds a response as the server would send it. headers are pairs of name and
// value; an empty value removes a header.
func answer(status int, contentType, body string, headers ...string) Response {
	h := http.Header{"X-Request-Id": {requestID}, "Content-Type": {contentType}, "Date": {"today"}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			h.Del(headers[i])
		}
	}
	return Response{Status: status, Header: h, Body: []byte(body)}
}

const (
	jsonType    = "application/json"
	licenseJSON = `{"id":"tz4a98xxat96iws9zmbrgj3a","productId":"tz4a98xxat96iws9zmbrgj3a",` +
		`"licenseKey":"STOA-7QK2M-9XW4T-B3HNC-5VJ8R-D6PYE-J7H2Z","type":"perpetual","status":"active","features":[],` +
		`"maxInstances":1,"currentInstances":1,"createdAt":"2030-03-01T12:00:00.000Z"}`
)

func TestPromisedAnswersAreAccepted(t *testing.T) {
	t.Parallel()

	signed := []string{
		"Content-Digest", "sha-256=:" + strings.Repeat("A", 43) + "=:",
		"Signature", "stoa=:" + strings.Repeat("A", 86) + "==:",
		"Signature-Input",
		`stoa=("@status" "content-digest" "@method";req "@path";req "@query";req);created=1;keyid="` +
			strings.Repeat("k", 43) + `";alg="ed25519";tag="stoa-license"`,
	}
	tests := []struct {
		name         string
		method, path string
		res          Response
	}{
		{"success", "GET", "/readyz", answer(200, jsonType, `{"status":"ok"}`)},
		{"HEAD of a GET", "HEAD", "/readyz", answer(200, jsonType, ``)},
		{"a charset", "GET", "/readyz", answer(200, jsonType+"; charset=utf-8", `{"status":"ok"}`)},
		{
			"documented error", "GET", "/auth/me",
			answer(401, jsonType, `{"success":false,"error":{"code":"UNAUTHORIZED","message":"No."}}`,
				"Www-Authenticate", "Bearer"),
		},
		{
			"an error with issues", "GET", "/api/marketplace/products?limit=0",
			answer(400, jsonType,
				`{"error":"VALIDATION_ERROR","message":"No.","details":{"issues":[{"path":"limit","code":"range",`+
					`"message":"No."}]}}`),
		},
		{
			"invalid license", "GET", "/api/marketplace/products/x/license/verify?licenseKey=a&instanceId=b",
			answer(200, jsonType, `{"valid":false}`, slices.Concat(signed, []string{"X-License-Code", "expired"})...),
		},
		{
			"valid license", "GET", "/api/marketplace/products/x/license/verify",
			answer(200, jsonType, `{"valid":true,"license":`+licenseJSON+`,"features":[]}`, signed...),
		},
		{
			"unknown path", "GET", "/nowhere",
			answer(404, jsonType, `{"success":false,"error":{"code":"NOT_FOUND","message":"No."}}`),
		},
		{
			"unknown path of the marketplace", "GET", "/api/marketplace/nowhere",
			answer(404, jsonType, `{"error":"NOT_FOUND","message":"No."}`),
		},
		{
			"unknown method", "PUT", "/readyz",
			answer(405, jsonType, `{"success":false,"error":{"code":"METHOD_NOT_ALLOWED","message":"No."}}`, "Allow",
				"GET"),
		},
		{
			"a plugin's own answer", "POST", "/api/v1/shop/plugins/a/api/b/c",
			answer(418, "text/plain", `short and stout`, "X-Teapot", "yes"),
		},
		{"a plugin's own 404", "GET", "/api/v1/shop/plugins/a/api/b", answer(404, jsonType, `{"gone":true}`)},
		{
			"the gateway's 404", "GET", "/api/v1/shop/plugins/a/api/b",
			answer(404, jsonType,
				`{"success":false,"error":{"code":"NOT_FOUND","message":"No.","details":{"slug":"a"}}}`),
		},
		{
			"not modified", "GET", "/openapi.json",
			Response{Status: 304, Header: http.Header{"X-Request-Id": {requestID}, "Etag": {`"a"`}}},
		},
	}
	c, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if err := c.check(Request{Method: tt.method, Path: tt.path}, tt.res); err != nil {
				t.Error(err)
			}
		})
	}
}

const (
	verifyPath       = "/api/marketplace/products/x/license/verify"
	unauthorizedBody = `{"success":false,"error":{"code":"UNAUTHORIZED","message":"No."}}`
)

// driftCases are answers that the document does not allow.
var driftCases = []struct {
	name         string
	method, path string
	res          Response
	want         string // part of the complaint
}{
	{"wrong type", "GET", "/readyz", answer(200, jsonType, `{"status":1}`), "/status"},
	{"missing field", "GET", "/readyz", answer(200, jsonType, `{}`), "missing property 'status'"},
	{"extra field", "GET", "/readyz", answer(200, jsonType, `{"status":"ok","x":1}`), "additional properties 'x'"},
	{
		"extra field beside allOf", "GET", "/auth/me",
		answer(200, jsonType,
			`{"success":true,"data":{"id":"tz4a98xxat96iws9zmbrgj3a","email":"a@b.c","username":"abc","role":"USER",`+
				`"avatar":null,"createdAt":"2030-03-01T12:00:00.000Z","passwordHash":"x"}}`), "passwordHash",
	},
	{
		"an answer that is not signed", "GET", verifyPath,
		answer(200, jsonType, `{"valid":false}`, "X-License-Code", "expired"), "Signature",
	},
	{
		"extra field in an invalid license", "GET", verifyPath,
		answer(200, jsonType, `{"valid":false,"reason":"expired"}`), "oneOf",
	},
	{"valid without its license", "GET", verifyPath, answer(200, jsonType, `{"valid":true}`), "oneOf"},
	{
		"time without milliseconds", "GET", verifyPath,
		answer(200, jsonType,
			`{"valid":true,"features":[],"license":`+strings.Replace(licenseJSON, ".000Z", "Z", 1)+`}`), "oneOf",
	},
	{
		"value outside an enum", "GET", verifyPath,
		answer(200, jsonType, `{"valid":false}`, "X-License-Code", "lost"), "X-License-Code",
	},
	{
		"undocumented status", "GET", "/readyz",
		answer(418, jsonType, `{"status":"ok"}`), "status 418 is not documented",
	},
	{
		"undocumented route", "GET", "/auth/secret",
		answer(200, jsonType, `{"success":true,"data":null}`), "must be 404",
	},
	{
		"undocumented method", "PUT", "/auth/me",
		answer(200, jsonType, `{"success":true,"data":null}`), "must be 405",
	},
	{
		"405 without Allow", "PUT", "/readyz",
		answer(405, jsonType, `{"success":false,"error":{"code":"METHOD_NOT_ALLOWED","message":"No."}}`),
		"Allow is missing",
	},
	{
		"unknown path in the other family's shape", "GET", "/api/marketplace/x",
		answer(404, jsonType, `{"success":false,"error":{"code":"NOT_FOUND","message":"No."}}`),
		"missing property 'message'",
	},
	{"wrong content type", "GET", "/readyz", answer(200, "text/plain", `{"status":"ok"}`), "content type"},
	{
		"no content type", "GET", "/readyz",
		answer(200, jsonType, `{"status":"ok"}`, "Content-Type", ""), "content type",
	},
	{
		"no request id", "GET", "/readyz",
		answer(200, jsonType, `{"status":"ok"}`, "X-Request-Id", ""), "X-Request-Id is missing",
	},
	{
		"a request id that is no UUIDv7", "GET", "/readyz",
		answer(200, jsonType, `{"status":"ok"}`, "X-Request-Id", "6f1c2f0e-8d0b-4c39-9f7a-0d5c4a1b2e3f"),
		"X-Request-Id",
	},
	{
		"no request id from the gateway", "GET", "/api/v1/shop/plugins/a/api/b",
		answer(200, "text/plain", `hi`, "X-Request-Id", ""), "X-Request-Id is missing",
	},
	{
		"undocumented header", "GET", "/readyz",
		answer(200, jsonType, `{"status":"ok"}`, "Server", "stoa"), "header Server is not documented",
	},
	{
		"missing documented header", "GET", "/auth/me",
		answer(401, jsonType, unauthorizedBody), "Www-Authenticate is missing",
	},
	{
		"undocumented error code", "GET", "/auth/me",
		answer(401, jsonType, strings.Replace(unauthorizedBody, "UNAUTHORIZED", "LOGIN_FAILED", 1), "Www-Authenticate",
			"Bearer"), `"LOGIN_FAILED" is not documented`,
	},
	{
		"an issue without a message", "GET", "/api/marketplace/products",
		answer(400, jsonType,
			`{"error":"VALIDATION_ERROR","message":"No.","details":{"issues":[{"path":"limit","code":"range"}]}}`),
		"'message'",
	},
	{
		"VALIDATION_ERROR without issues", "POST", "/auth/login",
		answer(400, jsonType,
			`{"success":false,"error":{"code":"VALIDATION_ERROR","message":"No.","details":{"slug":"x"}}}`),
		"'issues'",
	},
	{
		"VALIDATION_ERROR without details", "POST", "/auth/login",
		answer(400, jsonType, `{"success":false,"error":{"code":"VALIDATION_ERROR","message":"No."}}`), "'details'",
	},
	{
		"VALIDATION_ERROR without issues in the other family", "GET", "/api/marketplace/products",
		answer(400, jsonType, `{"error":"VALIDATION_ERROR","message":"No."}`), "'details'",
	},
	{"text behind the body", "GET", "/readyz", answer(200, jsonType, `{"status":"ok"}{}`), "not JSON"},
	{
		"a body where none is documented", "GET", "/docs",
		answer(304, jsonType, `{}`, "Etag", `"a"`), "no body is documented",
	},
	{
		"the gateway's 502 with an extra field", "GET", "/api/v1/shop/plugins/a/api/b",
		answer(502, jsonType, `{"success":false,"error":{"code":"PLUGIN_UNREACHABLE","message":"No."},"x":1}`),
		"additional properties 'x'",
	},
}

func TestOtherAnswersAreRefused(t *testing.T) {
	t.Parallel()

	c, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range driftCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			err := c.check(Request{Method: tt.method, Path: tt.path}, tt.res)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.want)) {
				t.Errorf("complaint is %q, want something about %q", err, tt.want)
			}
		})
	}
}

// Every schema of the document compiles, even if no test uses it yet.
func TestEverySchemaCompiles(t *testing.T) {
	t.Parallel()

	c, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	for name := range node(c.doc).at("components").at("schemas") {
		if _, err := c.schema("#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
}

// Where a plugin or a theme app answers, every documented status may come from it, in whatever form.
func TestAnswersThatArePassedOnMayHaveAnyForm(t *testing.T) {
	t.Parallel()

	c, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	relayed := 0
	for _, op := range Operations(t) {
		if !op.Relayed {
			continue
		}
		at := "#/paths/" + escapeToken(op.Path) + "/" + strings.ToLower(op.Method) + "/responses"
		for status := range c.resolve(at).node {
			relayed++
			response := c.resolve(at + "/" + status)
			content := response.at("content")
			if _, any := content["*/*"]; !any {
				t.Errorf("%s %s documents no body but stoa's own for %s", op.Method, op.Path, status)
			}
			if _, is := content[jsonType]; is {
				pointer := response.pointer + "/content/" + escapeToken(jsonType) + "/schema"
				if err := c.checkJSON(pointer, []byte(`{"gone":true}`)); err != nil {
					t.Errorf("%s %s documents stoa's own JSON alone for %s: %v", op.Method, op.Path, status, err)
				}
			}
			for name := range response.at("headers") {
				header := c.resolve(response.pointer + "/headers/" + escapeToken(name))
				if header.node["required"] == true && name != "X-Request-Id" {
					t.Errorf("%s %s demands %s of whoever answers %s", op.Method, op.Path, name, status)
				}
			}
		}
	}
	if relayed < 100 {
		t.Errorf("%d answers of operations that pass on others'; the document has more", relayed)
	}
}
