package testkit

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/api/web"
)

// witness returns a function that compares the types of answers with api/openapi.yaml: each field that an
// answer may have, also one that is left out of this one because it is empty, must be named there.
// checkAnswer cannot see those.
func witness(tb testing.TB) func(r *http.Request, status int, v any) {
	return func(r *http.Request, status int, v any) {
		c, err := theDocument()
		if err != nil {
			return // New reports it
		}
		for _, fault := range c.unnamed(r.Pattern, status, v) {
			tb.Errorf("API document: %s answers %d with a field that api/openapi.yaml does not name: %s", r.Pattern,
				status, fault)
		}
	}
}

// unnamed returns the fields of v, the value of an answer of a route, that the document does not name.
func (c *apiDocument) unnamed(pattern string, status int, v any) []string {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		return nil // calls to plugins, and what is no route
	}
	path = strings.ReplaceAll(strings.TrimSuffix(path, "{$}"), "...}", "}")
	response := c.resolve("#/paths/" + escapeToken(path) + "/" + strings.ToLower(method) + "/responses/" +
		strconv.Itoa(status))
	schema := c.follow(response.at("content").at("application/json")["schema"])
	if schema == nil {
		return nil // checkAnswer finds it
	}
	w := walker{doc: c}
	w.walk(reflect.ValueOf(&v).Elem(), c.parts(schema), "")
	slices.Sort(w.faults)
	return slices.Compact(w.faults)
}

// parts returns the schemas that a value of a schema may follow: itself and those it is composed of.
func (c *apiDocument) parts(schema node) []node {
	list := []node{schema}
	for _, name := range []string{"then", "else"} {
		if one := c.follow(schema[name]); one != nil {
			list = append(list, c.parts(one)...)
		}
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		all, _ := schema[name].([]any)
		for _, one := range all {
			list = append(list, c.parts(c.follow(one))...)
		}
	}
	return list
}

// below returns the parts of what stands under a name in one of several schemas.
func (c *apiDocument) below(schemas []node, names ...string) (list []node) {
	for _, s := range schemas {
		at := any(map[string]any(s))
		for _, name := range names {
			m, _ := at.(map[string]any)
			at = m[name]
		}
		if one := c.follow(at); one != nil {
			list = append(list, c.parts(one)...)
		}
	}
	return list
}

type walker struct {
	doc    *apiDocument
	faults []string
	within []reflect.Type // types of values that do not exist, which may contain themselves
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// walk compares a value, and the types of what it lacks, with the schemas that it may follow.
func (w *walker) walk(v reflect.Value, schemas []node, at string) {
	t := v.Type()
	free := !slices.ContainsFunc(schemas, func(s node) bool {
		return s["properties"] != nil || s["items"] != nil || s["additionalProperties"] != nil
	})
	if free || t.Implements(marshaler) || t.Implements(textMarshaler) || len(at) > 500 {
		return
	}
	switch t.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			w.walk(v.Elem(), schemas, at)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			w.walk(v.Elem(), schemas, at)
			return
		}
		w.empty(t.Elem(), schemas, at)
	case reflect.Slice, reflect.Array:
		items := w.doc.below(schemas, "items")
		for i := range min(v.Len(), 3) {
			w.walk(v.Index(i), items, at+"[]")
		}
		if v.Len() == 0 {
			w.empty(t.Elem(), items, at+"[]")
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			w.field(fmt.Sprint(key), v.MapIndex(key), schemas, at)
		}
	case reflect.Struct:
		w.fields(v, schemas, at)
	default:
	}
}

// empty walks the type of a value that is not there.
func (w *walker) empty(t reflect.Type, schemas []node, at string) {
	if slices.Contains(w.within, t) {
		return
	}
	w.within = append(w.within, t)
	w.walk(reflect.New(t).Elem(), schemas, at)
	w.within = w.within[:len(w.within)-1]
}

func (w *walker) fields(v reflect.Value, schemas []node, at string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-", v.Type() == reflect.TypeFor[web.Envelope]() && name == "message" && v.Field(i).IsZero():
			// The message is a matter of the handler's, not of its type.
		case f.Anonymous && name == "":
			inner := v.Field(i)
			if inner.Kind() == reflect.Pointer {
				inner = reflect.New(f.Type.Elem()).Elem()
			}
			if inner.Kind() == reflect.Struct && !f.Type.Implements(marshaler) {
				w.fields(inner, schemas, at)
			}
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			w.field(name, v.Field(i), schemas, at)
		}
	}
}

// field walks the value of a field that one of the schemas must name or leave open.
func (w *walker) field(name string, v reflect.Value, schemas []node, at string) {
	found := w.doc.below(schemas, "properties", name)
	open := slices.ContainsFunc(schemas, func(s node) bool { return s["additionalProperties"] == true })
	if others := w.doc.below(schemas, "additionalProperties"); len(found) == 0 && len(others) > 0 {
		found = others
	}
	named := slices.ContainsFunc(schemas, func(s node) bool { _, is := s.at("properties")[name]; return is })
	if !named && len(found) == 0 && !open {
		w.faults = append(w.faults, strings.TrimPrefix(at+"."+name, "."))
		return
	}
	w.walk(v, found, at+"."+name)
}
