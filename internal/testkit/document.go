package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"stoa/api"
)

// checkAnswer fails the test unless api/openapi.yaml documents the answer to the
// request: its status, content type, headers, error code and body. Paths and methods
// that are not in the document must answer 404 or 405 in the shape of their family.
func checkAnswer(tb testing.TB, req Request, res Response) {
	tb.Helper()
	c, err := theDocument()
	if err != nil {
		tb.Error(err) // not Fatal: tests ask from goroutines, too, and wait for them
		return
	}
	if err := c.check(req, res); err != nil {
		tb.Errorf("API document: %s %s answered %d, which api/openapi.yaml does not promise:\n%v\n%s", req.Method, req.Path,
			res.Status, err, excerpt(res.Body))
	}
}

func excerpt(body []byte) []byte { return body[:min(len(body), 2000)] }

// theDocument loads the document once for all tests.
var theDocument = sync.OnceValues(func() (*apiDocument, error) {
	data, err := api.JSON()
	if err != nil {
		return nil, err
	}
	return newAPIDocument(data)
})

// apiDocument is an OpenAPI document that answers are checked against.
//
// It compiles schemas with jsonschema, because kin-openapi would compile each JSON
// Schema 2020-12 again for every answer, and treats some of them as OpenAPI 3.0. The
// test of package api has kin-openapi check the document itself.
type apiDocument struct {
	doc   map[string]any
	paths []pathTemplate

	mu       sync.Mutex // guards what follows
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const documentURL = "stoa:openapi.json"

func newAPIDocument(document []byte) (*apiDocument, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("testkit: API document: %w", err)
	}
	doc, ok := parsed.(map[string]any)
	if !ok {
		return nil, errors.New("testkit: API document: not an object")
	}
	c := &apiDocument{doc: doc, compiler: jsonschema.NewCompiler(), compiled: make(map[string]*jsonschema.Schema)}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(documentURL, doc); err != nil {
		return nil, fmt.Errorf("testkit: API document: %w", err)
	}
	for template := range node(doc).at("paths") {
		c.paths = append(c.paths, c.newPathTemplate(template))
	}
	// The most literal templates first, so that {slug} does not hide a fixed name.
	slices.SortFunc(c.paths, func(a, b pathTemplate) int { return a.params - b.params })
	return c, nil
}

// check returns every difference between the answer and the document.
func (c *apiDocument) check(req Request, res Response) error {
	u, err := url.Parse(req.Path)
	if err != nil {
		return err
	}
	path := u.EscapedPath()
	method := strings.ToLower(req.Method)
	template, known := c.find(path)
	if res.Status == http.StatusMisdirectedRequest { // any address may, and the document says so once
		return c.checkPlainError(path, res, "MISDIRECTED_REQUEST")
	}
	if res, ok := ofKey(req, res); ok { // likewise
		return c.checkPlainError(path, res, errorCode(res.Body))
	}
	if isOutage(res) { // likewise
		return c.checkOutage(path, res)
	}
	if isStandInRefusal(res) { // likewise
		return c.checkPlainError(path, res, errorCode(res.Body))
	}
	if !known {
		return c.checkNoOperation(path, res, http.StatusNotFound)
	}
	item := c.resolve("#/paths/" + escapeToken(template.text))
	operation, at := item.at(method), item.pointer+"/"+method
	if operation == nil && req.Method == http.MethodHead { // net/http answers HEAD wherever there is GET
		operation, at = item.at("get"), item.pointer+"/get"
	}
	if operation == nil {
		return c.checkNoOperation(path, res, http.StatusMethodNotAllowed)
	}
	if operation["x-plugin-answers"] == true {
		return c.checkRelayed(at, req, res)
	}
	response := c.resolve(at + "/responses/" + strconv.Itoa(res.Status))
	if response.node == nil {
		return fmt.Errorf("status %d is not documented", res.Status)
	}
	rest, err := checkLimit(operation, withoutKeyLimit(req, res))
	return errors.Join(err, c.checkResponse(response, req, rest))
}

// checkRelayed checks an answer of the gateway. An envelope with a code documented for
// the status is stoa's own answer and checked completely. Any other answer comes from
// the plugin, and only the request id is checked.
func (c *apiDocument) checkRelayed(operation string, req Request, res Response) error {
	response := c.resolve(operation + "/responses/" + strconv.Itoa(res.Status))
	if code := errorCode(res.Body); response.node != nil && code != "" && slices.Contains(response.codes(), code) {
		return errors.Join(c.checkResponse(response, req, res), c.checkJSON("#/components/schemas/Error", res.Body))
	}
	return c.checkHeaders(c.resolve(operation+"/responses/default"), res, false)
}

// checkNoOperation checks the answer of a path or method that is not in the document.
func (c *apiDocument) checkNoOperation(path string, res Response, want int) error {
	code := "NOT_FOUND"
	if want == http.StatusMethodNotAllowed {
		code = "METHOD_NOT_ALLOWED"
	}
	var problems []error
	if res.Status != want {
		problems = append(problems, fmt.Errorf("the document has no such operation, so the status must be %d", want))
	}
	if want == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "" {
		problems = append(problems, errors.New("header Allow is missing"))
	}
	return errors.Join(append(problems, c.checkPlainError(path, res, code))...)
}

// checkPlainError checks an error that any address may answer.
func (c *apiDocument) checkPlainError(path string, res Response, code string) error {
	schema := "Error"
	if strings.HasPrefix(path+"/", "/api/marketplace/") || strings.HasPrefix(path+"/", "/api/market/v1/") {
		schema = "MarketError"
	}
	var problems []error
	if got := errorCode(res.Body); len(res.Body) > 0 && got != code {
		problems = append(problems, fmt.Errorf("error code is %q, must be %s", got, code))
	}
	problems = append(problems,
		c.checkHeader("#/components/headers/RequestId", "X-Request-Id", res),
		c.checkJSON("#/components/schemas/"+schema, res.Body))
	return errors.Join(problems...)
}

// checkResponse checks an answer against one documented response.
func (c *apiDocument) checkResponse(response located, req Request, res Response) error {
	problems := []error{c.checkHeaders(response, res, true)}
	if req.Method == http.MethodHead {
		return errors.Join(problems...)
	}
	content := response.at("content")
	if content == nil {
		if len(res.Body) > 0 {
			problems = append(problems, errors.New("no body is documented"))
		}
		return errors.Join(problems...)
	}
	media, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if _, every := content["*/*"]; every && err == nil {
		return errors.Join(problems...)
	}
	if _, documented := content[media]; err != nil || !documented {
		return errors.Join(append(problems,
			fmt.Errorf("content type %q is not documented, only %q", res.Header.Get("Content-Type"),
				slices.Sorted(maps.Keys(content))))...)
	}
	if codes := response.codes(); codes != nil && media != "text/html" && !slices.Contains(codes, errorCode(res.Body)) {
		problems = append(problems, fmt.Errorf("error code %q is not documented, only %q", errorCode(res.Body), codes))
	}
	if media == "application/json" {
		problems = append(problems, c.checkJSON(response.pointer+"/content/"+escapeToken(media)+"/schema", res.Body))
	}
	return errors.Join(problems...)
}

// checkJSON checks a body against the schema at a pointer into the document.
func (c *apiDocument) checkJSON(pointer string, body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("body is not JSON: %w", err)
	}
	return c.checkValue(pointer, v)
}

func (c *apiDocument) checkValue(pointer string, v any) error {
	schema, err := c.schema(pointer)
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

// schema returns the compiled schema at a pointer into the document.
func (c *apiDocument) schema(pointer string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.compiled[pointer]; ok {
		return s, nil
	}
	s, err := c.compiler.Compile(documentURL + pointer)
	if err != nil {
		return nil, fmt.Errorf("testkit: API document: %w", err)
	}
	c.compiled[pointer] = s
	return s, nil
}
