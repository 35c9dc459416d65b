package api_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"stoa/api"
)

// The document itself follows OpenAPI 3.1, and every $ref leads somewhere. Its examples are checked
// by TestExamplesFollowTheirSchemas, which compiles each schema once.
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
	if err := doc.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
}
