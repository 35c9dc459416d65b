package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"stoa/internal/errs"
)

// object is a JSON object whose fields are not decoded yet. Of a field that is
// given twice the last counts.
type object map[string]json.RawMessage

// issues collects what is wrong with a request.
type issues []errs.Issue

func (is *issues) add(path, code, format string, args ...any) {
	*is = append(*is, errs.Issue{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}

// err returns VALIDATION_ERROR with every issue, or nil.
func (is *issues) err() error { return errs.Validation(*is...) }

// merge adds what a domain found wrong, except about fields that are known to
// have the wrong type: to such a field the domain saw nothing at all.
func (is *issues) merge(more issues) {
	for _, m := range more {
		known := false
		for _, have := range *is {
			known = known || have.Path == m.Path
		}
		if !known {
			*is = append(*is, m)
		}
	}
}

// fill sets the fields of the struct v that have a json tag other than "-", and notes every
// field of another type, which stays as it is. Unlike with encoding/json, names
// are taken to the letter: "EMAIL" is not email. A field of type json.RawMessage
// takes any value as it was sent; to others null means absent. There are no
// structs inside arrays: whoever adds the first has to take care of its names.
func (is *issues) fill(v reflect.Value, prefix string, from object) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" { // not the client's to set
			continue
		}
		if raw, sent := from[name]; sent {
			is.set(v.Field(i), prefix+name, raw)
		}
	}
}

// set sets v, whose path in the body is given, to a JSON value.
func (is *issues) set(v reflect.Value, path string, raw json.RawMessage) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(raw)
	case string(raw) == "null":
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		is.set(v.Elem(), path, raw)
	case v.Kind() == reflect.Struct:
		var inner object
		if json.Unmarshal(raw, &inner) != nil {
			is.wrongType(path, v)
			return
		}
		is.fill(v, path+".", inner)
	case json.Unmarshal(raw, v.Addr().Interface()) != nil:
		v.SetZero()
		is.wrongType(path, v)
	}
}

func (is *issues) wrongType(path string, v reflect.Value) {
	is.add(path, "wrong_type", "%s must be %s.", path, jsonType(v.Kind()))
}

// jsonType names a Go kind as a JSON author knows it.
func jsonType(kind reflect.Kind) string {
	switch kind {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a number"
	default:
		return "a string"
	}
}
