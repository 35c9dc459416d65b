// Package api holds the description of the HTTP API, openapi.yaml. The server serves
// it and the tests check every answer against it; both read it through this
// package, so there is one document.
package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v4"
)

//go:embed openapi.yaml
var source []byte

// JSON returns the document as an indented JSON document (OpenAPI 3.1). It parses
// the YAML again each time; callers keep the result. It fails only when the file
// in the binary is not valid.
func JSON() ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, fmt.Errorf("api: openapi.yaml: %w", err)
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("api: openapi.yaml: %w", err)
	}
	return append(out, '\n'), nil
}

// Paths returns the paths of the document in the order in which it tells them,
// which JSON objects do not keep. Callers do not change the slice.
func Paths() ([]string, error) { return paths() }

var paths = sync.OnceValues(func() ([]string, error) {
	var doc struct {
		Paths yaml.Node `yaml:"paths"`
	}
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, fmt.Errorf("api: openapi.yaml: %w", err)
	}
	var names []string
	for i := 0; i < len(doc.Paths.Content); i += 2 {
		names = append(names, doc.Paths.Content[i].Value)
	}
	return names, nil
})
