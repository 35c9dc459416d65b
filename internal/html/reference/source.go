package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object of the document.
type object map[string]any

func asObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// at returns the object under name, or nil.
func (o object) at(name string) object { return asObject(o[name]) }

// text returns the string under name, or "".
func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}

// list returns the objects of the array under name.
func (o object) list(name string) []object {
	values, _ := o[name].([]any)
	objects := make([]object, len(values))
	for i, v := range values {
		objects[i] = asObject(v)
	}
	return objects
}

// names returns the keys, sorted.
func (o object) names() []string { return slices.Sorted(maps.Keys(o)) }

// source is the document to render. err is the first fault found in it.
type source struct {
	root object
	base string // the server's address in examples
	err  error

	errors errorTable
	shown  map[string]string // the operation that shows these fields of an answer
}

func (d *source) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("reference: "+format, args...)
	}
}

// resolve follows a $ref. Fields next to the $ref, such as a better description,
// override those of the target.
func (d *source) resolve(o object) object {
	ref := o.text("$ref")
	if ref == "" {
		return o
	}
	at := d.root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.at(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	if at == nil {
		d.fail("%s leads nowhere", ref)
		return nil
	}
	merged := maps.Clone(d.resolve(at))
	for name, v := range o {
		if name != "$ref" {
			merged[name] = v
		}
	}
	return merged
}

// flatten merges allOf into one object schema.
func (d *source) flatten(schema object) object {
	schema = d.resolve(schema)
	parts := schema.list("allOf")
	if len(parts) == 0 {
		return schema
	}
	flat := maps.Clone(schema)
	delete(flat, "allOf")
	properties, required := make(map[string]any), []any(nil)
	for _, part := range append(parts, object{"properties": schema["properties"], "required": schema["required"]}) {
		part = d.flatten(part)
		maps.Copy(properties, part.at("properties"))
		more, _ := part["required"].([]any)
		required = append(required, more...)
	}
	flat["type"], flat["properties"], flat["required"] = "object", properties, required
	return flat
}

// properties returns the names of an object's fields: the required ones, in the order of
// the document, then the others.
func properties(schema object) (names []string, required int) {
	list, _ := schema["required"].([]any)
	for _, v := range list {
		names = append(names, fmt.Sprint(v))
	}
	required = len(names)
	for _, name := range schema.at("properties").names() {
		if !slices.Contains(names[:required], name) {
			names = append(names, name)
		}
	}
	return names, required
}

// maxDepth limits the nesting of the fields that are shown.
const maxDepth = 6

// fields returns the fields of a schema, each followed by the fields nested in it.
func (d *source) fields(schema object, depth int) []fieldView {
	schema = d.flatten(schema)
	if depth > maxDepth {
		return nil
	}
	var rows []fieldView
	for i, variant := range schema.list("oneOf") {
		rows = append(rows, fieldView{Depth: depth, Name: fmt.Sprintf("variant %d", i+1), Type: "object"})
		rows = append(rows, d.fields(variant, depth+1)...)
	}
	names, required := properties(schema)
	for i, name := range names {
		f := d.flatten(schema.at("properties").at(name))
		if name == "success" && f["const"] == true {
			continue // the introduction says what every successful answer has
		}
		row := fieldView{
			Depth: depth, Name: name, Type: typeName(f), Required: i < required,
			Rules: rules(f), Description: note(f.text("description")),
		}
		inner := f
		if items := f.at("items"); items != nil {
			inner = d.flatten(items)
			row.Type = "array of " + typeName(inner)
			if row.Description == "" {
				row.Description = note(inner.text("description"))
			}
		}
		rows = append(rows, row)
		rows = append(rows, d.fields(inner, depth+1)...)
		if extra := f.at("additionalProperties"); extra.at("properties") != nil {
			rows = append(rows, fieldView{Depth: depth + 1, Name: "any name", Type: "object"})
			rows = append(rows, d.fields(extra, depth+2)...)
		}
	}
	return rows
}

// typeName returns the type of a schema in words.
func typeName(schema object) string {
	switch t := schema["type"].(type) {
	case string:
		if t == "string" && schema.text("format") == "binary" {
			return "file"
		}
		return t
	case []any:
		names := make([]string, len(t))
		for i, v := range t {
			names[i] = fmt.Sprint(v)
		}
		return strings.Join(names, " or ")
	}
	switch schema["const"].(type) {
	case bool:
		return "boolean"
	case float64:
		return "integer"
	case string:
		return "string"
	}
	return "any"
}

// rules returns the other constraints of a schema in words.
func rules(schema object) string {
	var parts []string
	if c, ok := schema["const"]; ok {
		parts = append(parts, "always "+compact(c))
	}
	if list, ok := schema["enum"].([]any); ok {
		values := make([]string, len(list))
		for i, v := range list {
			values[i] = strings.Trim(compact(v), `"`)
		}
		parts = append(parts, "one of "+strings.Join(values, ", "))
	}
	unit := ""
	if schema["type"] == "string" {
		unit = " characters"
	}
	for _, r := range []struct{ key, text string }{
		{"minLength", "at least"}, {"maxLength", "at most"}, {"minimum", "at least"}, {"maximum", "at most"},
	} {
		if v, ok := schema[r.key].(float64); ok && (r.key != "minLength" || v > 1) {
			parts = append(parts, fmt.Sprintf("%s %v%s", r.text, v, unit))
		}
	}
	if f := schema.text("format"); f != "" && f != "binary" {
		parts = append(parts, f)
	}
	if v, ok := schema["default"]; ok {
		parts = append(parts, "default "+compact(v))
	}
	return strings.Join(parts, " · ")
}

// sample returns an example of a value that a schema allows.
func (d *source) sample(schema object, depth int) any {
	schema = d.flatten(schema)
	if variants := schema.list("oneOf"); len(variants) > 0 {
		return d.sample(variants[0], depth)
	}
	for _, key := range []string{"const", "default"} {
		if v, ok := schema[key]; ok {
			return v
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list, ok := schema[key].([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	switch strings.Fields(typeName(schema))[0] {
	case "object":
		names, _ := properties(schema)
		out := make(map[string]any)
		for _, name := range names {
			if depth < maxDepth {
				out[name] = d.sample(schema.at("properties").at(name), depth+1)
			}
		}
		return out
	case "array":
		return []any{d.sample(schema.at("items"), depth+1)}
	case "integer", "number":
		return max(1, asNumber(schema["minimum"]))
	case "boolean":
		return true
	case "null":
		return nil
	}
	if schema.text("format") == "uuid" {
		return "6f1c2f0e-8d0b-4c39-9f7a-0d5c4a1b2e3f"
	}
	return "…"
}

func asNumber(v any) float64 {
	n, _ := v.(float64)
	return n
}

func compact(v any) string {
	b, _ := json.Marshal(v) //nolint:errchkjson // it came from JSON
	return string(b)
}

func indented(v any) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // it came from JSON
	return strings.TrimSpace(out.String())
}
