package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// form is a JSON object read field by field, so that every wrong type is named
// and not only the first that a decoder meets.
type form struct {
	fields map[string]json.RawMessage
	prefix string // of paths in issues: "" or "billingInfo."
	issues *issues
}

// readForm decodes the request body; see readJSON for its errors. What the
// methods find wrong is collected in issues.
func readForm(w http.ResponseWriter, r *http.Request) (form, error) {
	fields, err := readJSON[map[string]json.RawMessage](w, r)
	return form{fields: fields, issues: new(issues)}, err
}

// raw returns a field; null counts as absent.
func (f form) raw(name string) (json.RawMessage, bool) {
	v, ok := f.fields[name]
	return v, ok && !bytes.Equal(v, []byte("null"))
}

// text returns a string field, or "" if it is absent or of another type, which
// is an issue.
func (f form) text(name string) string {
	raw, there := f.raw(name)
	if !there {
		return ""
	}
	var value string
	if json.Unmarshal(raw, &value) != nil {
		f.issues.add(f.prefix+name, "wrong_type", "%s must be a string.", f.prefix+name)
	}
	return value
}

// object returns an object field, and false if it is absent or of another type,
// which is an issue.
func (f form) object(name string) (form, bool) {
	raw, there := f.raw(name)
	if !there {
		return form{}, false
	}
	sub := form{prefix: f.prefix + name + ".", issues: f.issues}
	if json.Unmarshal(raw, &sub.fields) != nil {
		f.issues.add(f.prefix+name, "wrong_type", "%s must be an object.", f.prefix+name)
		return form{}, false
	}
	return sub, true
}

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
