package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa/api"
)

// Generated clients read the headers of answers by the type that the document gives them, and fail
// without one, even where a const says as much (oapi-codegen 2.8).
func TestEachHeaderHasAType(t *testing.T) {
	t.Parallel()

	data, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	headers := 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(at, one)
			}
		case map[string]any:
			schema, _ := v["schema"].(map[string]any)
			if schema != nil && (strings.Contains(at, "/headers/") || v["in"] == "header") {
				headers++
				if schema["type"] == nil && schema["$ref"] == nil {
					t.Errorf("%s (%v) has no type", at, v["name"])
				}
			}
			for name, one := range v {
				walk(at+"/"+name, one)
			}
		}
	}
	walk("", doc)
	if headers < 50 {
		t.Errorf("%d headers were found; the document has more", headers)
	}
}
