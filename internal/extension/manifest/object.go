package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// Object reads a JSON object field by field and collects every fault instead of
// stopping at the first. It matches names exactly. encoding/json ignores case, and
// another program would not see what it took for "slug" in "Slug".
type Object struct {
	at     string // path of this object, with a dot at the end unless it is the top
	Fields map[string]json.RawMessage
	Faults *errs.Issues
}

// NewObject returns a reader of raw, or false if raw is not a JSON object.
func NewObject(at string, raw json.RawMessage, faults *errs.Issues) (Object, bool) {
	o := Object{at: at, Faults: faults}
	if !IsObject(raw) || json.Unmarshal(raw, &o.Fields) != nil {
		return o, false
	}
	return o, true
}

// IsObject reports whether a valid JSON value is an object.
func IsObject(raw json.RawMessage) bool { return firstByte(raw) == '{' }

// firstByte returns the first byte of a valid JSON value, which shows its type.
func firstByte(raw json.RawMessage) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

// Fault adds an issue about the field name. The message begins with its path.
func (o Object) Fault(name, code, format string, args ...any) {
	path := o.at + name
	o.Faults.Add(path, code, "%s "+format, append([]any{path}, args...)...)
}

// Get returns the raw value of a field, or false if it is absent.
func (o Object) Get(name string) (json.RawMessage, bool) {
	raw := o.Fields[name]
	return raw, !Absent(raw)
}

// Absent reports whether a JSON value is not there or null.
func Absent(raw json.RawMessage) bool { return firstByte(raw) == 0 || firstByte(raw) == 'n' }

// Into decodes a field that may be absent, and reports whether it holds a value of
// the right type. what names that type for people.
func (o Object) Into(name, what string, v any) bool {
	raw, ok := o.Get(name)
	if !ok {
		return false
	}
	if json.Unmarshal(raw, v) != nil {
		o.Fault(name, errs.CodeWrongType, "must be %s.", what)
		return false
	}
	return true
}

// Text decodes a string that may be absent.
func (o Object) Text(name string) (string, bool) {
	var s string
	ok := o.Into(name, "a string", &s)
	if ok && strings.ContainsFunc(s, isControl) {
		o.Fault(name, errs.CodeOutOfRange,
			"must not contain control characters, nor marks that change the writing direction.")
		return "", false
	}
	return s, ok
}

// isControl reports whether a character is not accepted in a name or a description, which
// administrators read before they consent. Line breaks and tabs are.
func isControl(r rune) bool {
	return text.Misleading(r) && !strings.ContainsRune("\n\r\t\u2028\u2029", r)
}

// Require decodes a string that must be present and not blank.
func (o Object) Require(name string) (string, bool) {
	if _, ok := o.Get(name); !ok {
		o.Fault(name, errs.CodeRequired, "is required.")
		return "", false
	}
	s, ok := o.Text(name)
	if ok && strings.TrimSpace(s) == "" {
		o.Fault(name, errs.CodeRequired, "is required.")
		return "", false
	}
	return s, ok
}

// PatternCode returns the code for a text that does not match its pattern. The
// wrong number of characters is the same fault here as in fields without a pattern.
func PatternCode(s string, least, most int) string {
	if n := utf8.RuneCountInString(s); n < least || n > most {
		return errs.CodeOutOfRange
	}
	return errs.CodeInvalid
}

// Flag decodes a boolean that may be absent.
func (o Object) Flag(name string) bool {
	var b bool
	o.Into(name, "a boolean", &b)
	return b
}

// List decodes an array that may be absent.
func (o Object) List(name string) []json.RawMessage {
	var items []json.RawMessage
	o.Into(name, "an array", &items)
	return items
}

// EachText calls fn for every string of an array that may be absent. Items of
// other types are faults.
func (o Object) EachText(name string, fn func(i int, s string)) {
	for i, raw := range o.List(name) {
		var s string
		if firstByte(raw) != '"' || json.Unmarshal(raw, &s) != nil {
			o.Fault(Item(name, i), errs.CodeWrongType, "must be a string.")
			continue
		}
		fn(i, s)
	}
}

// Texts decodes an array of strings that may be absent.
func (o Object) Texts(name string) []string {
	var out []string
	o.EachText(name, func(_ int, s string) { out = append(out, s) })
	return out
}

// Child returns a reader of an object that may be absent.
func (o Object) Child(name string) (Object, bool) {
	raw, ok := o.Get(name)
	if !ok {
		return Object{}, false
	}
	return o.Nested(name, raw)
}

// Nested returns a reader of raw, the value of the field name.
func (o Object) Nested(name string, raw json.RawMessage) (Object, bool) {
	c, ok := NewObject(o.at+name+".", raw, o.Faults)
	if !ok {
		o.Fault(name, errs.CodeWrongType, "must be an object.")
	}
	return c, ok
}

// Item returns the path of an item of a list.
func Item(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }
