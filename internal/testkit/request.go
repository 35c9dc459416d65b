package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ctxAfterTest returns a context for clean-up, when the test's own has ended.
func ctxAfterTest(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), 2*time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

// Request is one call of the API.
type Request struct {
	Method string
	Path   string // with query
	// Body is encoded as JSON, except for a string or []byte, which is sent unchanged.
	Body   any
	Token  string // bearer token; empty for a guest
	Host   string // the Host header; the server's own address if empty
	Header http.Header
}

// Get returns a GET with the bearer token, or without one if it is empty. So do the
// functions below.
func Get(token, path string) Request {
	return Request{Method: http.MethodGet, Path: path, Token: token}
}

// Post returns a POST.
func Post(token, path string, body any) Request {
	return Request{Method: http.MethodPost, Path: path, Token: token, Body: body}
}

// Patch returns a PATCH.
func Patch(token, path string, body any) Request {
	return Request{Method: http.MethodPatch, Path: path, Token: token, Body: body}
}

// Delete returns a DELETE.
func Delete(token, path string) Request {
	return Request{Method: http.MethodDelete, Path: path, Token: token}
}

// Response is a complete answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON returns the body decoded as a JSON object.
func (r Response) JSON(tb testing.TB) map[string]any {
	tb.Helper()
	var v map[string]any
	if err := json.Unmarshal(r.Body, &v); err != nil {
		tb.Fatalf("body is not a JSON object: %v\n%s", err, r.Body)
	}
	return v
}

// Get returns the value at a dotted path in the JSON body ("data.user.id"), or nil.
func (r Response) Get(tb testing.TB, path string) any {
	tb.Helper()
	var at any = r.JSON(tb)
	for name := range strings.SplitSeq(path, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[name]
	}
	return at
}

// Text is Get for strings.
func (r Response) Text(tb testing.TB, path string) string {
	tb.Helper()
	s, _ := r.Get(tb, path).(string)
	return s
}

// Do sends req and returns the answer, which it checks against api/openapi.yaml.
func (a *App) Do(tb testing.TB, req Request) Response {
	tb.Helper()
	res := a.DoUnchecked(tb, req)
	checkAnswer(tb, req, res)
	return res
}

// Fetch sends a GET as a guest and returns the answer.
func (a *App) Fetch(tb testing.TB, path string) Response {
	tb.Helper()
	return a.Do(tb, Get("", path))
}

// Send sends a POST as a guest and returns the answer.
func (a *App) Send(tb testing.TB, path string, body any) Response {
	tb.Helper()
	return a.Do(tb, Post("", path, body))
}

// DoUnchecked is Do without the check, for answers of plugins.
func (a *App) DoUnchecked(tb testing.TB, req Request) Response {
	tb.Helper()
	var body io.Reader
	contentType := ""
	switch b := req.Body.(type) {
	case nil:
	case string:
		body, contentType = strings.NewReader(b), "application/json"
	case []byte:
		body, contentType = bytes.NewReader(b), "application/json"
	default:
		data, err := json.Marshal(b)
		if err != nil {
			tb.Fatal(err)
		}
		body, contentType = bytes.NewReader(data), "application/json"
	}
	r, err := http.NewRequestWithContext(tb.Context(), req.Method, a.URL+req.Path, body)
	if err != nil {
		tb.Fatal(err)
	}
	r.Host = req.Host
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for name, values := range req.Header {
		r.Header[name] = values
	}
	if req.Token != "" {
		r.Header.Set("Authorization", "Bearer "+req.Token)
	}
	resp, err := a.Client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return Response{Status: resp.StatusCode, Header: resp.Header, Body: data}
}
