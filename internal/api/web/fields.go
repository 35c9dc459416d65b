package web

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"stoa/internal/base/errs"
)

// object is a JSON object whose fields are not decoded yet. Of a field that is
// given twice the last counts.
type object map[string]json.RawMessage

// decoder sets the fields of structs and collects those of another type.
type decoder struct {
	faults errs.Issues
	strict bool // refuse unknown fields of structs inside, too
}

// fill sets the fields of the struct v that have a json tag other than "-" and
// reports every field of another type, which stays as it is. Unlike in
// encoding/json, names must match exactly: "EMAIL" is not email. A field of type
// json.RawMessage takes any value unchanged; for others null means absent.
// Structs inside arrays are not supported: their names would be matched as
// encoding/json does.
func (d *decoder) fill(v reflect.Value, prefix string, from object) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" { // clients must not set it
			continue
		}
		if raw, sent := from[name]; sent {
			d.set(v.Field(i), prefix+name, raw)
		}
	}
}

// set sets v, whose path in the body is given, to a JSON value.
func (d *decoder) set(v reflect.Value, path string, raw json.RawMessage) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(raw)
	case string(raw) == "null":
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.set(v.Elem(), path, raw)
	case v.Kind() == reflect.Struct:
		var inner object
		if json.Unmarshal(raw, &inner) != nil {
			d.wrongType(path, v)
			return
		}
		if d.strict {
			d.refuseUnknown(path+".", inner, fieldNames(v.Type()))
		}
		d.fill(v, path+".", inner)
	case json.Unmarshal(raw, v.Addr().Interface()) != nil:
		v.SetZero()
		if _, err := strconv.Atoi(string(raw)); v.CanInt() && errors.Is(err, strconv.ErrRange) {
			d.faults.Add(path, errs.CodeOutOfRange, "%s is out of range.", path)
			return
		}
		d.wrongType(path, v)
	}
}

func (d *decoder) wrongType(path string, v reflect.Value) {
	d.faults.Add(path, errs.CodeWrongType, "%s must be %s.", path, jsonType(v.Kind()))
}

// jsonType names a Go kind as JSON does.
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
