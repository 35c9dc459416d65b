// Package config has the rules for the configuration of extensions: what a manifest
// declares in configSchema, and what a config must be like. Secret fields are
// write-only: they read as "".
package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/extension/manifest"
)

// Limits of an instance's config (contract 4.10).
const (
	// MaxSize is in bytes of compact JSON.
	MaxSize = 65536
	// MaxDepth is in layers. A scalar is one layer, and an object or an
	// array one more than the deepest value in it.
	MaxDepth = 10
)

// Clients may compare these messages (contract 4.10).
var (
	issueNotObject = errs.Issue{Code: errs.CodeWrongType, Message: "Config must be an object"}
	issueTooBig    = errs.Issue{Code: errs.CodeOutOfRange, Message: "Config exceeds 64KB"}
	issueNesting   = errs.Issue{Code: errs.CodeTooDeep, Message: "Config nesting exceeds 10 layers"}
)

// NotObject returns the issue of a config at that path that Decode refuses.
func NotObject(at string) errs.Issue { return issueAt(at, issueNotObject) }

func issueAt(at string, is errs.Issue) errs.Issue {
	is.Path = at
	return is
}

// Validation returns VALIDATION_ERROR with every fault, or nil. If the config, at that
// path, breaks one of the three rules for every config, that rule's message is the whole
// message, because clients may compare it (contract 4.10).
func Validation(at string, faults errs.Issues) error {
	err := faults.Err()
	if e, ok := err.(*errs.Error); ok { //nolint:errorlint // it was made one line above
		for _, is := range []errs.Issue{issueNotObject, issueTooBig, issueNesting} {
			if slices.Contains(faults.List(), issueAt(at, is)) {
				e.Message = is.Message
				break
			}
		}
	}
	return err
}

// Values is a decoded config. Numbers are json.Number, which keeps all digits. nil
// means no config.
type Values map[string]any

// Decode reads a config that a client sent or that was stored. null and
// nothing both mean no config. ok is false for anything else but an object.
func Decode(raw json.RawMessage) (config Values, ok bool) {
	if manifest.Absent(raw) {
		return nil, true
	}
	if !manifest.IsObject(raw) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v := Values{}
	if dec.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

// Encode returns the config as compact JSON, or nil if there is none.
func (v Values) Encode() json.RawMessage {
	if v == nil {
		return nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // "&" is one byte in the config, and counts as one
	if err := enc.Encode(map[string]any(v)); err != nil {
		panic(err) // it came out of a JSON decoder
	}
	return literalSeparators(bytes.TrimRight(buf.Bytes(), "\n"))
}

// literalSeparators replaces the escapes of U+2028 and U+2029 by the characters.
// encoding/json always escapes them, which makes six bytes out of three; other
// encoders do not.
func literalSeparators(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u202`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] != '\\':
			out = append(out, b[i])
		case bytes.HasPrefix(b[i:], []byte(`\u2028`)), bytes.HasPrefix(b[i:], []byte(`\u2029`)):
			out = append(out, "\xe2\x80"...)
			out = append(out, 0xa8+b[i+5]-'8')
			i += 5
		default: // another escape: its second byte does not begin one
			out = append(out, b[i], b[i+1])
			i++
		}
	}
	return out
}

// Check adds an issue for every limit and every rule of the schema that the config
// breaks; at is the path of the config. No value of it is ever part of an issue.
func (v Values) Check(at string, schema Schema, faults *errs.Issues) {
	if len(v.Encode()) > MaxSize {
		faults.Append(issueAt(at, issueTooBig))
	}
	if v != nil && deeper(map[string]any(v), MaxDepth) {
		faults.Append(issueAt(at, issueNesting))
	}
	v.checkTypes(at, schema, faults)
}

func (v Values) checkTypes(at string, schema Schema, faults *errs.Issues) {
	for _, name := range slices.Sorted(maps.Keys(schema)) {
		value, ok := v[name]
		if !ok || value == nil {
			continue
		}
		field, path := schema[name], at+"."+name
		switch {
		case !field.accepts(value):
			faults.Add(path, errs.CodeWrongType, "%s must be of type %s.", path, field.Type)
		case isScalar(value) && !field.allows(value):
			faults.Add(path, errs.CodeUnknownValue, "%s must be one of the values in the manifest's enum.", path)
		}
		if inner, ok := value.(map[string]any); ok {
			Values(inner).checkTypes(path, field.Properties, faults)
		}
	}
}

// deeper reports whether v has more than the given number of layers. It does not
// look at deeper ones.
func deeper(v any, layers int) bool {
	if layers == 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			if deeper(child, layers-1) {
				return true
			}
		}
	case []any:
		for _, child := range v {
			if deeper(child, layers-1) {
				return true
			}
		}
	}
	return false
}

// accepts reports whether a value has the type of the field. Plugins may use
// other types than stoa knows. Such a type accepts every value; a form may know more.
func (f Field) accepts(v any) bool {
	ok := true
	switch f.Type {
	case "string", "text", "textarea", "url", "email", "color", "secret":
		_, ok = v.(string)
	case "number", "integer":
		_, ok = v.(json.Number)
	case "boolean":
		_, ok = v.(bool)
	case "object":
		_, ok = v.(map[string]any)
	case "array":
		_, ok = v.([]any)
	}
	return ok || f.IsSecret() && v == "" // which is how a secret reads
}

// Missing returns the names of required fields without a value, sorted; those of an
// object's properties only if the object is there, with its name in front. Empty text
// is not a value: forms send it for a field left empty.
func (v Values) Missing(schema Schema) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(schema)) {
		if schema[name].Required && !v.Has(name) {
			names = append(names, name)
		}
		if inner, ok := v[name].(map[string]any); ok {
			for _, below := range Values(inner).Missing(schema[name].Properties) {
				names = append(names, name+"."+below)
			}
		}
	}
	return names
}

// Has reports whether a key has a value.
func (v Values) Has(name string) bool {
	value, ok := v[name]
	return ok && value != nil && value != ""
}

// KeepSecrets replaces each secret field that is "" by its stored value. Secrets read
// as "", so a client that reads a config, changes a field and writes it back does not
// wipe them. A secret is removed by null or by leaving it out.
func (v Values) KeepSecrets(stored Values, schema Schema) {
	for name, field := range schema {
		if old, ok := stored[name]; ok && field.IsSecret() && v[name] == "" {
			v[name] = old
		}
	}
}

// Without returns a config without the values of those names. It is raw itself if it has none of them.
func Without(raw json.RawMessage, names []string) json.RawMessage {
	if len(names) == 0 {
		return raw
	}
	v, _ := Decode(raw)
	had := len(v)
	maps.DeleteFunc(v, func(name string, _ any) bool { return slices.Contains(names, name) })
	if len(v) == had {
		return raw
	}
	return v.Encode()
}

// Public returns a config with every secret value replaced by "", or nil if there is no
// config. configured says for each secret field of the schema whether it has a value.
func Public(raw json.RawMessage, schema Schema) (public json.RawMessage, configured map[string]bool) {
	v, _ := Decode(raw)
	configured = make(map[string]bool)
	for name, field := range schema {
		if !field.IsSecret() {
			continue
		}
		configured[name] = v.Has(name)
		if _, ok := v[name]; ok {
			v[name] = ""
		}
	}
	return v.Encode(), configured
}
