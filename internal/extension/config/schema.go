package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/extension/manifest"
)

// Schema describes the keys of a config (contract 4.10). A config may
// have others.
type Schema map[string]Field

// Field describes one key of a config.
type Field struct {
	Type        string `json:"type"`
	Label       string `json:"label"`
	Required    bool   `json:"required"`
	Secret      bool   `json:"secret"`
	Description string `json:"description"`

	// Enum are the only values there are: texts, json.Number and bool. nil allows all.
	Enum []any `json:"enum,omitempty"`
	// Properties describes the keys of a field of the type object.
	Properties Schema `json:"properties,omitempty"`
}

// IsSecret reports whether the field's value is write-only: declared as type
// "secret" or flagged so.
func (f Field) IsSecret() bool { return f.Secret || f.Type == "secret" }

// Revealed returns the names of the secret fields of s that are not secret in next, the schema of another version.
// Their values must not pass to that version: it would show what nobody may read (contract 4.10).
func (s Schema) Revealed(next Schema) []string {
	var names []string
	for name, field := range s {
		if field.IsSecret() && !next[name].IsSecret() {
			names = append(names, name)
		}
	}
	return names
}

// ParseSchema reads the field name of a manifest.
func ParseSchema(o manifest.Object, name string) Schema { return parseSchema(o, name, true) }

// parseSchema reads a schema; top is false for the properties of a field.
func parseSchema(o manifest.Object, name string, top bool) Schema {
	c, ok := o.Child(name)
	if !ok {
		return nil
	}
	schema := make(Schema, len(c.Fields))
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		f, ok := c.Nested(name, c.Fields[name])
		if !ok {
			continue
		}
		field := parseField(f)
		if field.IsSecret() && !top {
			f.Fault("type", errs.CodeInvalid,
				"must not be secret: only fields at the top of a config are kept secret.")
		}
		schema[name] = field
	}
	return schema
}

func parseField(f manifest.Object) Field {
	field := Field{Required: f.Flag("required"), Secret: f.Flag("secret")}
	if f.Flag("sensitive") { // means the same (contract 4.10)
		field.Secret = true
	}
	field.Label, _ = f.Text("label")
	field.Description, _ = f.Text("description")
	var ok bool
	if field.Type, ok = f.Require("type"); ok && field.Type == "password" {
		f.Fault("type", errs.CodeInvalid, `must be "secret" for a secret field; "password" is not accepted.`)
	} else if known, is := misspelled(field.Type); ok && is {
		f.Fault("type", errs.CodeUnknownValue, "must be %q, not %.40q.", known, field.Type)
	}
	if field.Type == "object" {
		field.Properties = parseSchema(f, "properties", false)
	}
	field.parseEnum(f)
	field.checkDefault(f)
	return field
}

// types are the types that stoa knows (see accepts). A plugin may use others.
var types = []string{
	"string", "text", "textarea", "url", "email", "color", "secret", "number", "integer", "boolean", "object", "array",
}

// misspelled returns the known type that somebody meant with a name that is nearly that of one.
func misspelled(name string) (known string, is bool) {
	if slices.Contains(types, name) {
		return "", false
	}
	known, changes := text.Nearest(name, types)
	return known, changes <= 1 || changes == 2 && len(name) > 5
}

// parseEnum reads the values that a field may have. With a fault it may have any.
func (f *Field) parseEnum(o manifest.Object) {
	list := o.List("enum")
	if _, given := o.Get("enum"); given && list != nil && len(list) == 0 {
		o.Fault("enum", errs.CodeRequired, "must have at least one value.")
	}
	var values []any
	for i, raw := range list {
		item := manifest.Item("enum", i)
		switch v := decodeAny(raw); {
		case !isScalar(v) || !f.accepts(v):
			o.Fault(item, errs.CodeWrongType, "must be a text, a number or a boolean, of type %s.", f.Type)
		case slices.Contains(values, v):
			o.Fault(item, errs.CodeDuplicate, "appears twice.")
		default:
			values = append(values, v)
		}
	}
	if len(values) == len(list) {
		f.Enum = values
	}
}

// checkDefault checks the value that a form fills in. stoa itself does not: a config is
// what was sent.
func (f *Field) checkDefault(o manifest.Object) {
	raw, ok := o.Get("default")
	if !ok {
		return
	}
	switch v := decodeAny(raw); {
	case f.IsSecret() && v != "":
		o.Fault("default", errs.CodeInvalid, "must be absent: everybody who has the package would know the secret.")
	case !f.accepts(v):
		o.Fault("default", errs.CodeWrongType, "must be of type %s.", f.Type)
	case !f.allows(v):
		o.Fault("default", errs.CodeUnknownValue, "must be one of the values in enum.")
	}
}

// allows reports whether a value of the right type is one of those that there are. Empty
// text is none, which forms send for a field left empty.
func (f Field) allows(v any) bool { return f.Enum == nil || v == "" || slices.Contains(f.Enum, v) }

func isScalar(v any) bool {
	switch v.(type) {
	case string, json.Number, bool:
		return true
	}
	return false
}

// decodeAny decodes valid JSON. Numbers are json.Number.
func decodeAny(raw json.RawMessage) (v any) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	_ = dec.Decode(&v)
	return v
}
