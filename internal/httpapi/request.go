package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"stoa/internal/errs"
)

// maxBody is the largest JSON request body accepted (CONTRACT 1).
const maxBody = 1 << 20

// readJSON decodes the request body into a T. Unknown fields are ignored. It
// returns VALIDATION_ERROR for anything but exactly one JSON object of the right
// types, 413 for a body over maxBody and 415 for a body declared as something
// else.
func readJSON[T any](w http.ResponseWriter, r *http.Request) (T, error) {
	var v T
	if !isJSON(r.Header.Get("Content-Type")) {
		return v, errNotJSON
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if _, is := errors.AsType[*http.MaxBytesError](err); is {
			return v, errBodyTooLarge
		}
		return v, bodyIssue("unreadable", "The request body could not be read to its end.")
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] != '{' {
		return v, bodyIssue("not_an_object", "The request body must be a JSON object.")
	}
	if !utf8.Valid(body) || hasLoneSurrogate(body) {
		return v, bodyIssue("not_unicode", "The request body must be UTF-8, and its \\u escapes must name characters.")
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return v, explainJSON(err, body, reflect.TypeFor[T]())
	}
	return v, nil
}

// explainJSON says what is wrong with a body that could not be decoded into a
// struct of type into: all its fields of a wrong type, not only the first.
func explainJSON(err error, body []byte, into reflect.Type) error {
	first, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return bodyIssue("malformed", "The request body is not valid JSON.")
	}
	var (
		found  issues
		fields map[string]json.RawMessage
	)
	if into.Kind() == reflect.Struct && json.Unmarshal(body, &fields) == nil {
		for i := range into.NumField() {
			name, _, _ := strings.Cut(into.Field(i).Tag.Get("json"), ",")
			raw, sent := fields[name]
			if !sent {
				continue
			}
			err := json.Unmarshal(raw, reflect.New(into.Field(i).Type).Interface())
			if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				found.wrongType(strings.TrimSuffix(name+"."+e.Field, "."), e)
			}
		}
	}
	if len(found) == 0 { // a name in another case, which the decoder lets pass
		found.wrongType(first.Field, first)
	}
	return found.err()
}

func (is *issues) wrongType(path string, e *json.UnmarshalTypeError) {
	is.add(path, "wrong_type", "%s must be %s, not %s.", path, jsonType(e.Type.Kind().String()), e.Value)
}

// hasLoneSurrogate reports whether a \u escape names half of a character.
// encoding/json would put U+FFFD in its place: then two different passwords are
// one. Backslashes occur in strings only, so no tokens need to be told apart;
// what is not valid JSON at all is found later.
func hasLoneSurrogate(body []byte) bool {
	unit := func(at int) (rune, bool) {
		if at+6 > len(body) || body[at] != '\\' || body[at+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(body[at+2:at+6]), 16, 16)
		return rune(n), err == nil
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		r, ok := unit(i)
		switch {
		case !ok:
			i++ // another escape: its second character may be a backslash
		case !utf16.IsSurrogate(r):
			i += 5
		default:
			low, _ := unit(i + 6)
			if utf16.DecodeRune(r, low) == unicode.ReplacementChar {
				return true
			}
			i += 11
		}
	}
	return false
}

// bodyIssue is what is wrong with a body as a whole.
func bodyIssue(code, message string) error {
	return errs.Validation(errs.Issue{Code: code, Message: message})
}

// jsonType names a Go kind as a JSON author knows it.
func jsonType(kind string) string {
	switch {
	case kind == "struct" || kind == "map":
		return "an object"
	case kind == "slice" || kind == "array":
		return "an array"
	case kind == "bool":
		return "a boolean"
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		return "an integer"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	}
	return "a string"
}

// issues collects what is wrong with a request.
type issues []errs.Issue

func (is *issues) add(path, code, format string, args ...any) {
	*is = append(*is, errs.Issue{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}

// err returns VALIDATION_ERROR with every issue, or nil.
func (is *issues) err() error { return errs.Validation(*is...) }
