package reference

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// Page is the rendered reference.
type Page struct {
	HTML []byte
	// StyleSource and ScriptSource allow the page's style sheet and script in a
	// Content-Security-Policy: "'sha256-…'".
	StyleSource, ScriptSource string
}

// Render renders an OpenAPI document in JSON. The page has the operations on paths, in
// that order, and no others. base is the address of the server in examples, without a
// slash at the end; in a browser, the page replaces it with the address it was loaded
// from. Render fails for a document that is not JSON, or has a broken reference or an
// undeclared tag.
func Render(document []byte, paths []string, base string) (Page, error) {
	var root object
	if err := json.Unmarshal(document, &root); err != nil {
		return Page{}, fmt.Errorf("reference: %w", err)
	}
	d := &source{root: root, base: base}
	view := d.view(paths)
	if d.err != nil {
		return Page{}, d.err
	}
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return Page{}, fmt.Errorf("reference: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, view); err != nil {
		return Page{}, fmt.Errorf("reference: %w", err)
	}
	return Page{HTML: out.Bytes(), StyleSource: hash(pageCSS), ScriptSource: hash(pageJS)}, nil
}

// hash returns the source expression that allows an inline text in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// The data of the template.
type (
	pageView struct {
		Title, Version, Summary string
		Base                    string
		CSS                     template.CSS
		Script                  template.HTML
		Intro                   template.HTML
		Tags                    []*tagView
		Errors                  []*sharedError
		ErrorBodies             []errorBody
	}
	tagView struct {
		Name, ID    string
		Description template.HTML
		Operations  []operationView
	}
	operationView struct {
		ID, Path, Summary string
		Methods           []string
		Deprecated        bool
		Description       template.HTML
		Auth              string
		Params            []fieldView
		Body              template.HTML
		Bodies            []bodyView
		Curl              string
		Answers           []answerView
		Errors            []errorView
	}
	bodyView struct {
		Media   string
		Fields  []fieldView
		SameAs  string // the operation that has shown the same Fields, which are left out then
		Example string
	}
	// fieldView is one row of a table: a parameter, a header or a field of a body.
	// Depth is how deeply a field is nested.
	fieldView struct {
		Depth       int
		Name, In    string
		Type, Rules string
		Required    bool
		Description template.HTML
	}
)

// Facts are what there is to know of a field beside its name, in a few words.
func (f fieldView) Facts() string {
	facts := []string{f.Type}
	if f.In != "" {
		facts = append(facts, "in "+f.In)
	}
	if f.Required {
		facts = append(facts, "required")
	}
	return strings.Join(facts, " · ")
}

// methods is the order of the operations on a path.
var methods = []string{"get", "head", "options", "post", "put", "patch", "delete"}

func (d *source) view(paths []string) pageView {
	info := d.root.at("info")
	v := pageView{
		Title: info.text("title"), Version: info.text("version"), Summary: info.text("summary"),
		Base: d.base,
		CSS:  template.CSS(pageCSS), //nolint:gosec // embedded, not from a client
		// As it is: the template would change the text that the hash is made of.
		Script: template.HTML("<script>" + pageJS + "</script>"), //nolint:gosec // embedded
		Intro:  prose(info.text("description")),
	}
	byName := make(map[string]*tagView)
	for _, t := range d.root.list("tags") {
		name := t.text("name")
		tag := &tagView{Name: name, ID: "tag-" + slug(name), Description: prose(t.text("description"))}
		byName[name] = tag
		v.Tags = append(v.Tags, tag)
	}
	for _, path := range paths {
		item := d.root.at("paths").at(path)
		last := make(map[string]int) // index by summary, to show all methods of a relay as one
		for _, method := range methods {
			op := item.at(method)
			if op == nil {
				continue
			}
			names, _ := op["tags"].([]any)
			if len(names) == 0 || byName[fmt.Sprint(names[0])] == nil {
				d.fail("%s %s has no declared tag", method, path)
				continue
			}
			tag := byName[fmt.Sprint(names[0])]
			if i, ok := last[op.text("summary")]; ok {
				tag.Operations[i].Methods = append(tag.Operations[i].Methods, strings.ToUpper(method))
				continue
			}
			last[op.text("summary")] = len(tag.Operations)
			tag.Operations = append(tag.Operations, d.operation(method, path, item, op))
		}
	}
	v.Errors, v.ErrorBodies = d.sharedErrors()
	return v
}

// rateLimit returns an operation's rate limit as a sentence that follows another one,
// both without their last period, or "".
func rateLimit(op object) string {
	l := op.at("x-rate-limit")
	if l == nil {
		return ""
	}
	return fmt.Sprintf(". Rate limit: %v requests in %v seconds per %v", l["limit"], l["window"], l["per"])
}

func (d *source) operation(method, path string, item, op object) operationView {
	v := operationView{
		ID: op.text("operationId"), Methods: []string{strings.ToUpper(method)}, Path: path,
		Summary: op.text("summary"), Description: prose(op.text("description")),
		Deprecated: op["deprecated"] == true, Auth: auth(op) + rateLimit(op) + ".",
	}
	params := slices.Concat(item.list("parameters"), op.list("parameters"))
	for i, p := range params {
		params[i] = d.resolve(p)
		v.Params = append(v.Params, d.param(params[i]))
	}
	body := d.resolve(op.at("requestBody"))
	v.Body = prose(body.text("description"))
	v.Bodies = d.bodies(body)
	v.Curl = curl(d.base, method, path, params, op, v.Bodies)
	d.addAnswers(&v, op.at("responses"))
	return v
}

func (d *source) param(p object) fieldView {
	schema := d.resolve(p.at("schema"))
	return fieldView{
		Name: p.text("name"), In: p.text("in"), Required: p["required"] == true,
		Type: typeName(schema), Rules: rules(schema), Description: note(p.text("description")),
	}
}

// bodies returns the content of a request body or a response, by media type.
func (d *source) bodies(of object) []bodyView {
	var views []bodyView
	content := of.at("content")
	for _, media := range content.names() {
		m := content.at(media)
		v := bodyView{Media: media, Fields: d.fields(m.at("schema"), 0)}
		if strings.HasSuffix(media, "json") {
			example, given := m["example"]
			if !given {
				example = d.sample(m.at("schema"), 0)
			}
			v.Example = indented(example)
		}
		views = append(views, v)
	}
	return views
}

// auth describes the tokens that an operation takes.
func auth(op object) string {
	var who []string
	open := false
	list, _ := op["security"].([]any)
	for _, entry := range list {
		names := object(asObject(entry)).names()
		open = open || len(names) == 0
		who = append(who, names...)
	}
	text := map[string]string{
		"accessToken": "access token", "serviceToken": "service token", "pluginToken": "plugin token",
	}
	for i, w := range who {
		who[i] = text[w]
	}
	switch {
	case len(who) == 0:
		return "No token needed"
	case open:
		return "Token optional: " + strings.Join(who, " or ")
	}
	return "Needs: " + strings.Join(who, " or ")
}

// curl returns a curl command that calls the operation.
func curl(base, method, path string, params []object, op object, bodies []bodyView) string {
	query := ""
	for _, p := range params {
		example := fmt.Sprint(p["example"])
		switch {
		case p.text("in") == "path":
			path = strings.ReplaceAll(path, "{"+p.text("name")+"}", example)
		case p.text("in") == "query" && p["required"] == true:
			query += "&" + p.text("name") + "=" + example
		}
	}
	if query != "" {
		path += "?" + query[1:]
	}
	lines := []string{"curl"}
	if method != "get" {
		lines[0] += " -X " + strings.ToUpper(method)
	}
	lines[0] += " '" + base + strings.ReplaceAll(path, "{id}", "ID") + "'"
	if strings.HasPrefix(auth(op), "Needs") {
		lines = append(lines, `-H "Authorization: Bearer $TOKEN"`)
	}
	for _, b := range bodies {
		if b.Media == "multipart/form-data" {
			lines = append(lines, "-F file=@package.zip")
			break
		}
		if b.Example != "" {
			var compact bytes.Buffer
			_ = json.Compact(&compact, []byte(b.Example)) // it was encoded a moment ago
			lines = append(lines, "-H 'Content-Type: application/json'",
				"-d '"+strings.ReplaceAll(compact.String(), "'", `'\''`)+"'")
			break
		}
	}
	return strings.Join(lines, " \\\n  ")
}
