package testkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// node is a JSON object of the document.
type node map[string]any

// at returns the object under name, or nil.
func (n node) at(name string) node {
	m, _ := n[name].(map[string]any)
	return m
}

// located is an object of the document and its place, after following every $ref.
type located struct {
	node

	pointer string // as a fragment: "#/components/…"
}

// codes returns the possible error codes of a response, or nil if it is not an error.
func (l located) codes() []string {
	list, _ := l.node["x-codes"].([]any)
	var codes []string
	for _, v := range list {
		code, _ := v.(string)
		codes = append(codes, code)
	}
	return codes
}

// resolve returns the object at a JSON pointer, and follows a $ref there. The node is
// nil if there is no such object.
func (c *apiDocument) resolve(pointer string) located {
	at := node(c.doc)
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "#/"), "/") {
		at = at.at(unescapeToken(token))
	}
	if ref, ok := at["$ref"].(string); ok {
		return c.resolve(ref)
	}
	return located{node: at, pointer: pointer}
}

// Names with a slash, a tilde or a brace inside a JSON pointer that is a URL's
// fragment (RFC 6901, sections 3 and 6).
func escapeToken(name string) string { return url.PathEscape(toToken.Replace(name)) }

var toToken, fromToken = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func unescapeToken(token string) string {
	plain, err := url.PathUnescape(token)
	if err != nil {
		plain = token
	}
	return fromToken.Replace(plain)
}

// pathTemplate is a path of the document, such as /auth/sessions/{id}.
type pathTemplate struct {
	text   string
	match  *regexp.Regexp
	params int
}

var templateParam = regexp.MustCompile(`\\\{[^/}]*\\\}`)

func (c *apiDocument) newPathTemplate(text string) pathTemplate {
	one := `[^/]+`
	if strings.HasSuffix(text, "/{path}") { // x-multi-segment: of the gateway, and of themes
		one = `.*`
	}
	pattern := regexp.QuoteMeta(text)
	params := len(templateParam.FindAllString(pattern, -1))
	n := 0
	pattern = templateParam.ReplaceAllStringFunc(pattern, func(string) string {
		if n++; n == params {
			return one
		}
		return `[^/]+`
	})
	return pathTemplate{text: text, match: regexp.MustCompile("^" + pattern + "$"), params: params}
}

// find returns the template that an escaped path matches.
func (c *apiDocument) find(path string) (pathTemplate, bool) {
	for _, t := range c.paths {
		if t.match.MatchString(path) {
			return t, true
		}
	}
	return pathTemplate{}, false
}

// commonHeaders are allowed on every answer without being documented there. The
// document describes those for pages on other origins, and X-Trace-Id, once, in its
// introduction.
var commonHeaders = []string{
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Cache-Control", "Connection", "Content-Length",
	"Content-Type", "Date", "Last-Modified",
	"Transfer-Encoding", "Vary", "X-Content-Type-Options", "X-Trace-Id",
}

// checkHeaders checks the documented headers of a response and, if closed, that there
// are no others.
func (c *apiDocument) checkHeaders(response located, res Response, closed bool) error {
	var problems []error
	documented := response.at("headers")
	if _, ok := documented["X-Request-Id"]; !ok {
		problems = append(problems, errors.New("the document does not promise X-Request-Id here"))
	}
	for name := range documented {
		problems = append(problems,
			c.checkHeader(c.resolve(response.pointer+"/headers/"+escapeToken(name)).pointer, name, res))
	}
	if !closed {
		return errors.Join(problems...)
	}
	for name := range res.Header {
		known := slices.Contains(commonHeaders, name)
		for d := range documented {
			known = known || http.CanonicalHeaderKey(d) == name
		}
		if !known {
			problems = append(problems, fmt.Errorf("header %s is not documented", name))
		}
	}
	return errors.Join(problems...)
}

// checkHeader checks one header against the header object at pointer.
func (c *apiDocument) checkHeader(pointer, name string, res Response) error {
	values := res.Header.Values(name)
	header := c.resolve(pointer)
	if len(values) == 0 {
		if header.node["required"] == true {
			return fmt.Errorf("header %s is missing", name)
		}
		return nil
	}
	if len(values) > 1 && name != "Set-Cookie" { // one line for each (RFC 9110, 5.3)
		return fmt.Errorf("header %s stands there %d times", name, len(values))
	}
	var v any = values[0]
	if header.at("schema")["type"] == "integer" {
		v = json.Number(values[0])
	}
	if err := c.checkValue(pointer+"/schema", v); err != nil {
		return fmt.Errorf("header %s: %w", name, err)
	}
	return nil
}

// errorCode returns the code of an error body of either family, or "".
func errorCode(body []byte) string {
	var v struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	var code string
	if json.Unmarshal(v.Error, &code) == nil {
		return code
	}
	var nested struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(v.Error, &nested) != nil {
		return ""
	}
	return nested.Code
}
