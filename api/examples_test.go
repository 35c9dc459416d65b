package api_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"stoa/api"
)

// examples collects the examples and defaults of a document.
type examples struct {
	schemas *jsonschema.Compiler
	seen    int
	faults  []string
}

// check checks value, found at a pointer, against the schema at another.
func (e *examples) check(value any, at, schema string) {
	e.seen++
	compiled, err := e.schemas.Compile("stoa:openapi.json#" + schema)
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		e.faults = append(e.faults, fmt.Sprintf("%s: %v", at, err))
	}
}

// walk visits node, which a pointer leads to, and what is in it, except examples: there
// is no schema in them.
func (e *examples) walk(node any, at string) {
	switch node := node.(type) {
	case []any:
		for i, inner := range node {
			e.walk(inner, fmt.Sprintf("%s/%d", at, i))
		}
	case map[string]any:
		e.visit(node, at)
		for _, name := range slices.Sorted(maps.Keys(node)) {
			if name == "example" || name == "examples" && !strings.HasSuffix(at, "/properties") {
				continue
			}
			e.walk(node[name], at+"/"+strings.NewReplacer("~", "~0", "/", "~1", "%", "%25").Replace(name))
		}
	}
}

// visit checks the examples that node itself has: a media type's, a parameter's or a
// schema's.
func (e *examples) visit(node map[string]any, at string) {
	if strings.HasSuffix(at, "/properties") {
		return // names of fields, not keywords
	}
	_, hasSchema := node["schema"]
	if value, ok := node["example"]; ok {
		schema := at
		if hasSchema {
			schema += "/schema"
		}
		e.check(value, at+"/example", schema)
	}
	if hasSchema {
		named, _ := node["examples"].(map[string]any)
		for name, example := range named {
			if example, ok := example.(map[string]any); ok && example["value"] != nil {
				e.check(example["value"], at+"/examples/"+name, at+"/schema")
			}
		}
		return
	}
	list, _ := node["examples"].([]any)
	for i, value := range list {
		e.check(value, fmt.Sprintf("%s/examples/%d", at, i), at)
	}
	if value, ok := node["default"]; ok && !strings.HasSuffix(at, "/responses") {
		e.check(value, at+"/default", at)
	}
}

func findExamples(t *testing.T, document []byte) *examples {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	e := &examples{schemas: jsonschema.NewCompiler()}
	e.schemas.DefaultDraft(jsonschema.Draft2020)
	e.schemas.AssertFormat()
	if err := e.schemas.AddResource("stoa:openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	e.walk(doc, "")
	return e
}

func TestExamplesFollowTheirSchemas(t *testing.T) {
	t.Parallel()

	document, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	e := findExamples(t, document)
	for _, fault := range e.faults {
		t.Error(fault)
	}
	if e.seen < 150 {
		t.Errorf("%d examples and defaults, want the document's", e.seen)
	}
	// A wrong type, and a rule that only the branch of an if has.
	for fault, broken := range map[string][2]string{
		"wrong type":     {`"username": "ada"`, `"username": 7`},
		"missing issues": {`"issues": [`, `"others": [`},
	} {
		bad := bytes.Replace(document, []byte(broken[0]), []byte(broken[1]), 1)
		if bytes.Equal(bad, document) || len(findExamples(t, bad).faults) == 0 {
			t.Errorf("%s: not found", fault)
		}
	}
}

// Generators for other languages compile patterns without Unicode classes.
func TestPatternsNeedNoUnicodeClasses(t *testing.T) {
	t.Parallel()

	document, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.Index(document, []byte(`\\p{`)); i >= 0 {
		t.Errorf(`a pattern has \p{…}: %s`, document[i-60:i+20])
	}
}
