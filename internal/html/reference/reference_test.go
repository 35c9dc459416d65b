package reference_test

import (
	"strings"
	"testing"

	"stoa/internal/html/reference"
)

const document = `{
  "info": {"title": "T", "version": "1", "description": "One.\n\nTwo."},
  "tags": [{"name": "Things", "description": "All <b>things</b>."}],
  "paths": {
    "/things/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "example": "7", "schema": {"type": "string"}}],
      "post": {
        "tags": ["Things"], "operationId": "makeThing", "summary": "Make a thing",
        "description": "Sends ` + "`<script>alert(1)</script>`" + ` **well**.",
        "security": [{"accessToken": []}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
        "responses": {
          "200": {"$ref": "#/components/responses/Ok"}, "404": {"$ref": "#/components/responses/Missing"},
          "409": {"description": "Not now.", "x-codes": ["CODE_TWO"], "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}}
        }
      },
      "delete": {
        "tags": ["Things"], "operationId": "removeThing", "summary": "Remove a thing",
        "responses": {"204": {"description": "Gone."}, "404": {"$ref": "#/components/responses/Missing"}}
      }
    }
  },
  "components": {
    "responses": {"Ok": {"description": "Made.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
      "Missing": {"description": "There is no such thing.", "x-codes": ["CODE_ONE"], "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}, "example": {"why": "CODE_ONE"}}}}
    },
    "schemas": {
      "Failure": {"type": "object", "description": "Every error.", "required": ["why"], "properties": {"why": {"type": "string"}}},
      "Base": {"type": "object", "required": ["name"], "properties": {"name": {"type": ["string", "null"], "enum": ["lamp", null], "examples": ["Ada's lamp"]}}},
      "Thing": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "properties": {"parts": {"type": "array", "items": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 3}}}}}}]}
    }
  }
}`

func TestPageTellsTheOperation(t *testing.T) {
	t.Parallel()

	page, err := reference.Render([]byte(document), []string{"/things/{id}"}, "http://shop.test:8123")
	if err != nil {
		t.Fatal(err)
	}
	html := string(page.HTML)
	for _, want := range []string{
		`<article id="makeThing">`, "Make a thing", "<code>/things/{id}</code>", "Needs: access token",
		"<code>name</code>", "array of object", "<code>size</code>", "at least 3", "CODE_ONE", "CODE_TWO",
		"<strong>well</strong>", "curl -X POST &#39;http://shop.test:8123/things/7&#39;",
		"&#34;name&#34;: &#34;Ada&#39;s lamp&#34;",
		"one of lamp, null", `Ada&#39;\&#39;&#39;s lamp`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("page lacks %q", want)
		}
	}
}

// An error that several operations share is told once; each links to it.
func TestSharedErrorsAreToldOnce(t *testing.T) {
	t.Parallel()

	page, err := reference.Render([]byte(document), []string{"/things/{id}"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"There is no such thing.": 1, `id="error-Missing"`: 1, `href="#error-Missing"`: 2, "Not now.": 1,
		"Every error.": 1, "<code>why</code>": 1,
	} {
		if got := strings.Count(string(page.HTML), text); got != want {
			t.Errorf("the page tells %q %d times, want %d", text, got, want)
		}
	}
}

func TestPageEscapesWhatTheDocumentSays(t *testing.T) {
	t.Parallel()

	page, err := reference.Render([]byte(document), []string{"/things/{id}"}, "http://shop.test:8123")
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{"<script>alert", "<b>things"} {
		if strings.Contains(string(page.HTML), raw) {
			t.Errorf("page holds %q unescaped", raw)
		}
	}
}

func TestRenderRefusesBrokenDocuments(t *testing.T) {
	t.Parallel()

	for name, doc := range map[string]string{
		"not JSON":              `{`,
		"a reference to nobody": strings.Replace(document, "#/components/responses/Ok", "#/components/responses/No", 1),
		"an undeclared tag":     strings.Replace(document, `"tags": ["Things"]`, `"tags": ["Others"]`, 1),
	} {
		if _, err := reference.Render([]byte(doc), []string{"/things/{id}"}, "http://shop.test:8123"); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
