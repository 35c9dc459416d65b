package httpapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"stoa/api"
)

// anyMethod are the methods that the API document lists for a route that takes any.
var anyMethod = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// The API document and the running routes are the same (contract 1.10): every route is
// documented, and every documented operation is served.
func TestRoutesAndTheAPIDocumentAgree(t *testing.T) {
	t.Parallel()

	running := registered((&Server{}).routes())
	documented := operations(t)
	for _, op := range running {
		if !slices.Contains(documented, op) {
			t.Errorf("%s is registered and not in api/openapi.yaml", op)
		}
	}
	for _, op := range documented {
		if !slices.Contains(running, op) {
			t.Errorf("%s is in api/openapi.yaml and not registered", op)
		}
	}
}

// registered returns the router's routes as "METHOD /path/{name}".
func registered(rt *router) []string {
	var ops []string
	for _, pattern := range rt.patterns {
		path := strings.ReplaceAll(strings.TrimSuffix(pattern, "{$}"), "...}", "}")
		if strings.Contains(path, " ") {
			ops = append(ops, path)
			continue
		}
		for _, method := range anyMethod {
			ops = append(ops, method+" "+path)
		}
	}
	return ops
}

func operations(tb testing.TB) []string {
	tb.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	data, err := api.JSON()
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		tb.Fatal(err)
	}
	var ops []string
	for path, item := range doc.Paths {
		for name := range item {
			if method := strings.ToUpper(name); slices.Contains(anyMethod, method) {
				ops = append(ops, method+" "+path)
			}
		}
	}
	return ops
}
