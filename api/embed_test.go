package api_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"stoa/api"
)

// The document itself follows OpenAPI 3.1, every $ref leads somewhere, and every
// example obeys the schema it illustrates.
func TestDocumentIsValid(t *testing.T) {
	t.Parallel()

	data, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
}
