package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"stoa/internal/errs"
)

// object reads a JSON object field by field and collects every fault instead of
// stopping at the first. It matches names exactly. encoding/json ignores case, and
// another program would not see what it took for "slug" in "Slug".
type object struct {
	at     string // path of this object, with a dot at the end unless it is the top
	fields map[string]json.RawMessage
	faults *errs.Issues
}

// Codes of issues that only this package finds; errs has the others. Clients may
// match on them.
const (
	codeReserved = "reserved"
	codeUnknown  = "unknown"
	codeTooLarge = "too_large"
	codeTooDeep  = "too_deep"

	codeUnsupported = "unsupported"
)

// newObject returns a reader of raw, or false if raw is not a JSON object.
func newObject(at string, raw json.RawMessage, faults *errs.Issues) (object, bool) {
	o := object{at: at, faults: faults}
	if !isObject(raw) || json.Unmarshal(raw, &o.fields) != nil {
		return o, false
	}
	return o, true
}

func isObject(raw json.RawMessage) bool { return firstByte(raw) == '{' }

// firstByte tells the type of a valid JSON value.
func firstByte(raw json.RawMessage) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

func (o object) fault(name, code, format string, args ...any) {
	path := o.at + name
	o.faults.Add(path, code, "%s "+format, append([]any{path}, args...)...)
}

// get returns the raw value of a field, or false if it is absent.
func (o object) get(name string) (json.RawMessage, bool) {
	raw := o.fields[name]
	return raw, !absent(raw)
}

// absent reports whether a JSON value is not there or null.
func absent(raw json.RawMessage) bool { return firstByte(raw) == 0 || firstByte(raw) == 'n' }

// into decodes a field that may be absent, and reports whether it holds a value of
// the right type. what names that type for people.
func (o object) into(name, what string, v any) bool {
	raw, ok := o.get(name)
	if !ok {
		return false
	}
	if json.Unmarshal(raw, v) != nil {
		o.fault(name, errs.CodeWrongType, "must be %s.", what)
		return false
	}
	return true
}

// text decodes a string that may be absent.
func (o object) text(name string) (string, bool) {
	var s string
	ok := o.into(name, "a string", &s)
	if ok && strings.ContainsFunc(s, isControl) {
		o.fault(name, errs.CodeInvalid, "must not contain control characters.")
		return "", false
	}
	return s, ok
}

// isControl reports whether a character is not accepted in a name or a description.
// Line breaks and tabs are.
func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }

// require decodes a string that must be present and not blank.
func (o object) require(name string) (string, bool) {
	if _, ok := o.get(name); !ok {
		o.fault(name, errs.CodeRequired, "is required.")
		return "", false
	}
	s, ok := o.text(name)
	if ok && strings.TrimSpace(s) == "" {
		o.fault(name, errs.CodeRequired, "is required.")
		return "", false
	}
	return s, ok
}

// flag decodes a boolean that may be absent.
func (o object) flag(name string) bool {
	var b bool
	o.into(name, "a boolean", &b)
	return b
}

// list decodes an array that may be absent.
func (o object) list(name string) []json.RawMessage {
	var items []json.RawMessage
	o.into(name, "an array", &items)
	return items
}

// eachText calls fn for every string of an array that may be absent. Items of
// other types are faults.
func (o object) eachText(name string, fn func(i int, s string)) {
	for i, raw := range o.list(name) {
		var s string
		if firstByte(raw) != '"' || json.Unmarshal(raw, &s) != nil {
			o.fault(item(name, i), errs.CodeWrongType, "must be a string.")
			continue
		}
		fn(i, s)
	}
}

// texts decodes an array of strings that may be absent.
func (o object) texts(name string) []string {
	var out []string
	o.eachText(name, func(_ int, s string) { out = append(out, s) })
	return out
}

// child returns a reader of an object that may be absent.
func (o object) child(name string) (object, bool) {
	raw, ok := o.get(name)
	if !ok {
		return object{}, false
	}
	return o.nested(name, raw)
}

// nested returns a reader of raw, the value of the field name.
func (o object) nested(name string, raw json.RawMessage) (object, bool) {
	c, ok := newObject(o.at+name+".", raw, o.faults)
	if !ok {
		o.fault(name, errs.CodeWrongType, "must be an object.")
	}
	return c, ok
}

func item(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }
