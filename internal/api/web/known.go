package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// ReadChange is ReadFields for a request that refuses unknown fields (contract 1.5): with a misspelled
// one, nothing would change, and nobody would notice. T is what may change, and Shown what a GET shows
// at that level; its other fields are known and ignored, so that what was read can be sent back. A
// request about nothing that a GET shows has struct{}. T is a struct, or an object of raw values.
func ReadChange[T, Shown any](w http.ResponseWriter, r *http.Request) (v T, faults errs.Issues, err error) {
	_, body, err := readObject(w, r)
	if err != nil {
		return v, faults, err
	}
	into := reflect.ValueOf(&v).Elem()
	d := decoder{faults: headerFaultsOf(r), strict: true}
	d.refuseUnknown("", body, append(fieldNames(into.Type()), fieldNames(reflect.TypeFor[Shown]())...))
	if into.Kind() == reflect.Map {
		into.Set(reflect.ValueOf(body).Convert(into.Type()))
	} else {
		d.fill(into, "", body)
	}
	return v, d.faults, nil
}

// fieldNames returns the names that a struct has in JSON.
func fieldNames(t reflect.Type) []string {
	var names []string
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && f.IsExported() {
			names = append(names, name)
		}
	}
	return names
}

// maxSuggestions is how many unknown fields get a suggestion: a body of 1 MiB may have
// a hundred thousand of them.
const maxSuggestions = 20

// refuseUnknown adds a fault for each field of from that is not known.
func (d *decoder) refuseUnknown(prefix string, from object, known []string) {
	suggested := 0
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if slices.Contains(known, name) {
			continue
		}
		shown := prefix + text.Clip(name)
		if suggested++; suggested > maxSuggestions || len(known) == 0 {
			d.faults.Add(shown, errs.CodeUnknownField, "%s is not a field here.", shown)
		} else if inner := insideOf(from[name], known); inner != "" {
			d.faults.Add(shown, errs.CodeUnknownField, "%s is not a field here. Send %s%s itself, not inside of it.", shown,
				prefix, inner)
		} else {
			near, _ := text.Nearest(text.Clip(name), known)
			d.faults.Add(shown, errs.CodeUnknownField, "%s is not a field here. Did you mean %s%s?", shown, prefix, near)
		}
	}
}

// insideOf returns a known field that is in an object, which the client took for its wrapper, or "".
func insideOf(raw json.RawMessage, known []string) string {
	var wrapped object
	if json.Unmarshal(raw, &wrapped) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(wrapped)) {
		if slices.Contains(known, name) {
			return name
		}
	}
	return ""
}
