package api_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// Some generators refuse a document with YAML's anchors and aliases as an attack, which it could be:
// a few lines of them stand for gigabytes.
func TestTheDocumentHasNoAnchors(t *testing.T) {
	t.Parallel()

	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode || n.Anchor != "" || n.ShortTag() == "!!merge" {
			t.Errorf("line %d has an anchor, an alias or a merge: refer to a component with $ref, or write it out", n.Line)
			return
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(parsed(t))
}

// parsed returns the root of openapi.yaml.
func parsed(t *testing.T) *yaml.Node {
	t.Helper()
	source, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(source, &root); err != nil {
		t.Fatal(err)
	}
	return &root
}

// A call reaches a plugin or a theme app with every method, so its operations differ in their ids and
// bodies alone.
func TestEveryMethodOfACallIsDescribedAlike(t *testing.T) {
	t.Parallel()

	var doc struct {
		Paths map[string]map[string]any `yaml:"paths"`
	}
	if err := parsed(t).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for path, item := range doc.Paths {
		get, ok := item["get"].(map[string]any)
		if !ok || get["x-plugin-answers"] != true {
			continue
		}
		want := common(get)
		for method, operation := range item {
			o, ok := operation.(map[string]any)
			if !ok || method == "get" {
				continue
			}
			compared++
			if diff := cmp.Diff(common(o), want); diff != "" {
				t.Errorf("%s %s is not described as its GET (-got +want):\n%s", method, path, diff)
			}
		}
	}
	if compared < 30 {
		t.Errorf("only %d operations were compared", compared)
	}
}

// common returns an operation without what differs between methods.
func common(operation map[string]any) map[string]any {
	out := make(map[string]any)
	for name, value := range operation {
		if name != "operationId" && name != "requestBody" {
			out[name] = value
		}
	}
	return out
}
