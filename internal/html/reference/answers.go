package reference

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
)

type (
	// answerView is a successful answer of an operation.
	answerView struct {
		Status, Class string
		Description   template.HTML
		Headers       []fieldView
		Bodies        []bodyView
	}
	// errorView is an error of one operation. Anchor is the place that tells about it
	// if operations share it; it has no Description of its own then.
	errorView struct {
		Status, Class string
		Codes         []string
		Anchor        string
		Description   template.HTML
	}
	// sharedError is an error that operations refer to by name.
	sharedError struct {
		ID, Status, Class string
		Codes             []string
		Description       template.HTML
		Headers           []fieldView
	}
	// errorBody is one of the forms that errors have.
	errorBody struct {
		Description template.HTML
		Fields      []fieldView
		Example     string
	}
)

// errorTable collects what operations answer if they fail, while they are rendered.
type errorTable struct {
	shared []*sharedError
	byText map[string]*sharedError // by what they tell: names may say the same
	bodies map[string]string       // the example of each form, by reference to its schema
}

// addAnswers adds the answers of an operation to its view.
func (d *source) addAnswers(v *operationView, responses object) {
	for _, status := range responses.names() {
		ref := responses.at(status).text("$ref")
		if status == "2XX" && ref != "" && ref == responses.at("default").text("$ref") {
			continue // for generators of clients; the default says the same to people
		}
		r := d.resolve(responses.at(status))
		if isError(status, r) {
			v.Errors = append(v.Errors, d.failure(status, ref, r))
			continue
		}
		a := d.answer(status, r)
		for i := range a.Bodies {
			d.shorten(&a.Bodies[i], v.ID)
		}
		v.Answers = append(v.Answers, a)
	}
}

// worthALink is how many fields an answer has at least that is shown once and linked to from others.
const worthALink = 4

// shorten leaves out the fields of an answer that another operation shows already.
func (d *source) shorten(b *bodyView, operation string) {
	if len(b.Fields) < worthALink {
		return
	}
	key := fmt.Sprint(b.Fields)
	if first := d.shown[key]; first != "" && first != operation {
		b.Fields, b.SameAs = nil, first
		return
	}
	if d.shown == nil {
		d.shown = make(map[string]string)
	}
	d.shown[key] = operation
}

// isError reports whether an answer is a failure in one of the forms of errors.
func isError(status string, r object) bool {
	return status >= "400" && status < "600" && errorSchema(r) != ""
}

// errorSchema returns the reference to the schema of an answer's JSON, or "".
func errorSchema(r object) string {
	return r.at("content").at("application/json").at("schema").text("$ref")
}

func (d *source) answer(status string, r object) answerView {
	v := answerView{
		Status: status, Class: "s" + status[:1], Description: prose(r.text("description")),
		Headers: d.headers(r), Bodies: d.bodies(r),
	}
	if status == "default" {
		v.Status = "any"
	}
	return v
}

func (d *source) headers(r object) (fields []fieldView) {
	for _, name := range r.at("headers").names() {
		if name == "X-Request-Id" || r.at("headers").at(name).text("$ref") == "#/components/headers/NoStore" {
			continue // the introduction says which answers have it
		}
		h := d.resolve(r.at("headers").at(name))
		fields = append(fields, fieldView{
			Name: name, Required: h["required"] == true,
			Type: typeName(d.resolve(h.at("schema"))), Description: note(h.text("description")),
		})
	}
	return fields
}

// failure returns an error of an operation, and remembers it if operations share it.
func (d *source) failure(status, ref string, r object) errorView {
	v := errorView{Status: status, Class: "s" + status[:1]}
	codes, _ := r["x-codes"].([]any)
	for _, c := range codes {
		v.Codes = append(v.Codes, fmt.Sprint(c))
	}
	d.rememberBody(r)
	if ref == "" {
		v.Description = prose(r.text("description"))
		return v
	}
	key := status + strings.Join(v.Codes, " ") + r.text("description")
	shared := d.errors.byText[key]
	if shared == nil {
		if d.errors.byText == nil {
			d.errors.byText = make(map[string]*sharedError)
		}
		shared = &sharedError{
			ID: "error-" + ref[strings.LastIndexByte(ref, '/')+1:], Status: status, Class: v.Class, Codes: v.Codes,
			Description: prose(r.text("description")), Headers: d.headers(r),
		}
		d.errors.byText[key] = shared
		d.errors.shared = append(d.errors.shared, shared)
	}
	v.Anchor = shared.ID
	return v
}

// rememberBody keeps the form of an error with its most telling example.
func (d *source) rememberBody(r object) {
	if d.errors.bodies == nil {
		d.errors.bodies = make(map[string]string)
	}
	schema := errorSchema(r)
	example := indented(r.at("content").at("application/json")["example"])
	if len(example) > len(d.errors.bodies[schema]) {
		d.errors.bodies[schema] = example
	}
}

// sharedErrors returns the errors that operations share, by status, and the forms of all
// errors.
func (d *source) sharedErrors() ([]*sharedError, []errorBody) {
	slices.SortStableFunc(d.errors.shared, func(a, b *sharedError) int {
		return strings.Compare(a.Status+strings.Join(a.Codes, ""), b.Status+strings.Join(b.Codes, ""))
	})
	var bodies []errorBody
	for _, ref := range slices.Sorted(maps.Keys(d.errors.bodies)) {
		schema := object{"$ref": ref}
		bodies = append(bodies, errorBody{
			Description: prose(d.resolve(schema).text("description")),
			Fields:      d.fields(schema, 0), Example: d.errors.bodies[ref],
		})
	}
	return d.errors.shared, bodies
}
