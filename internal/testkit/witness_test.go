package testkit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/api/web"
)

// A field that the document does not name is found in whatever place, even if no answer has it yet.
func TestFieldsThatTheDocumentDoesNotNameAreFound(t *testing.T) {
	t.Parallel()

	type inner struct {
		ID    string `json:"id"`
		Email string `json:"email"`
		Shoe  int    `json:"shoe,omitempty"`
		own   string
	}
	type extended struct {
		inner

		Name *struct {
			Nick string `json:"nick"`
		} `json:"username,omitempty"`
		Hidden string `json:"-"`
		Avatar *inner `json:"face,omitempty"`
	}
	type product struct {
		Slug  string `json:"slug"`
		Tiers []struct {
			ID    string `json:"id"`
			Trial int    `json:"trial,omitzero"`
		} `json:"pricingTiers,omitempty"`
	}
	c, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pattern string
		status  int
		v       any
		want    []string
	}{
		{"GET /auth/me", 200, web.Envelope{Success: true, Data: inner{own: "x"}}, []string{"data.shoe"}},
		{"GET /auth/me", 200, web.Envelope{Success: true, Data: extended{}}, []string{"data.face", "data.shoe"}},
		{"GET /auth/me", 200, web.Envelope{Success: true, Message: "Yes."}, []string{"message"}},
		{"GET /auth/me", 200, map[string]any{"success": true, "extra": 1}, []string{"extra"}},
		{
			"GET /api/marketplace/products", 200,
			map[string]any{"products": []product{}},
			[]string{"products[].pricingTiers"},
		},
		{"GET /api/v1/admin/audit", 200, map[string]any{"data": map[string]any{
			"items": []any{map[string]any{"details": map[string]any{"whatever": 1}, "shoe": 1}},
		}}, []string{"data.items[].shoe"}},
	} {
		if diff := cmp.Diff(tt.want, c.unnamed(tt.pattern, tt.status, tt.v)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.pattern, diff)
		}
	}
}

// Every object of an answer says which fields it has: it is closed, or says that it is open.
func TestEveryObjectOfAnAnswerIsClosed(t *testing.T) {
	t.Parallel()

	c, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{"GET /openapi.json 200": true} // OpenAPI says what is in it
	for _, op := range Operations(t) {
		at := "#/paths/" + escapeToken(op.Path) + "/" + strings.ToLower(op.Method) + "/responses"
		for status := range c.resolve(at).node {
			name := op.Method + " " + op.Path + " " + status
			schema := c.follow(c.resolve(at + "/" + status).at("content").at(jsonType)["schema"])
			if schema == nil || op.Relayed || open[name] {
				continue
			}
			c.closed(t, name, schema, false, map[string]bool{})
		}
	}
}

// closed reports the objects below a schema that leave open which fields they have. One that is composed
// into another may.
func (c *apiDocument) closed(t *testing.T, at string, schema node, composed bool, seen map[string]bool) {
	t.Helper()
	if len(at) > 400 {
		return
	}
	if schema["properties"] != nil && !composed && schema["additionalProperties"] == nil &&
		schema["unevaluatedProperties"] == nil {
		t.Errorf("%s may have fields that it does not name", at)
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		all, _ := schema[name].([]any)
		for _, one := range all {
			c.closed(t, at, c.follow(one), composed || name == "allOf", seen)
		}
	}
	below := map[string]any{"[]": schema["items"], "{}": schema["additionalProperties"]}
	for name, one := range schema.at("properties") {
		below[name] = one
	}
	for name, one := range below {
		if m, _ := one.(map[string]any); m["$ref"] != nil {
			ref, _ := m["$ref"].(string)
			if seen[ref] {
				continue
			}
			seen[ref] = true
		}
		if next := c.follow(one); next != nil {
			c.closed(t, at+"."+name, next, false, seen)
		}
	}
}
