package testkit

import (
	"slices"
	"strings"
	"testing"
)

// Operation is what the API document says of a method at a path.
type Operation struct {
	Method, Path string // as in the document: GET, /auth/sessions/{id}
	Params       []Param
	// Example is the example of the request body as JSON, nil if there is none. A body that has
	// several has the first by name.
	Example any
	// BodyTypes are the media types that the operation takes, sorted.
	BodyTypes []string
	// Callers are the kinds of tokens that it takes: accessToken, serviceToken, pluginToken, or ""
	// for none.
	Callers []string
	// Relayed says that a plugin or a theme app answers.
	Relayed bool
}

// Param is a parameter of an Operation.
type Param struct {
	Name, In string // In is path, query or header
	Type     string // of its schema
}

// Operations returns all operations of the API document, sorted by path and method.
func Operations(tb testing.TB) (list []Operation) {
	tb.Helper()
	c, err := theDocument()
	if err != nil {
		tb.Fatal(err)
	}
	methods := []string{"get", "head", "options", "post", "put", "patch", "delete"}
	for path := range node(c.doc).at("paths") {
		for _, method := range methods {
			at := "#/paths/" + escapeToken(path) + "/" + method
			op := c.resolve(at)
			if op.node == nil {
				continue
			}
			o := Operation{Method: strings.ToUpper(method), Path: path, Relayed: op.node["x-plugin-answers"] == true}
			o.Params = append(c.params(c.resolve("#/paths/"+escapeToken(path)).node), c.params(op.node)...)
			o.Callers = callers(op.node)
			o.BodyTypes, o.Example = c.body(at)
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b Operation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	return list
}

// params returns the parameters that stand below a path or an operation.
func (c *apiDocument) params(of node) (list []Param) {
	all, _ := of["parameters"].([]any)
	for _, one := range all {
		p := c.follow(one)
		schema := c.follow(p["schema"])
		text := func(v any) string { s, _ := v.(string); return s }
		list = append(list, Param{Name: text(p["name"]), In: text(p["in"]), Type: text(schema["type"])})
	}
	return list
}

// follow returns the object that v is or refers to.
func (c *apiDocument) follow(v any) node {
	m, _ := v.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		return c.resolve(ref).node
	}
	return m
}

func callers(op node) (kinds []string) {
	all, _ := op["security"].([]any)
	for _, one := range all {
		kind := ""
		m, _ := one.(map[string]any)
		for kind = range m { // there is at most one
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

func (c *apiDocument) body(operation string) (types []string, example any) {
	content := c.resolve(operation + "/requestBody").at("content")
	for media := range content {
		types = append(types, media)
	}
	slices.Sort(types)
	sent := content.at("application/json")
	if v, ok := sent["example"]; ok {
		return types, v
	}
	examples := sent.at("examples")
	var names []string
	for name := range examples {
		names = append(names, name)
	}
	if len(names) > 0 {
		return types, examples.at(slices.Min(names))["value"]
	}
	return types, nil
}
