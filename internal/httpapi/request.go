package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

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
		return v, bodyIssue("", "unreadable", "The request body could not be read to its end.")
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] != '{' {
		return v, bodyIssue("", "not_an_object", "The request body must be a JSON object.")
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return v, explainJSON(err)
	}
	return v, nil
}

func explainJSON(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return bodyIssue(e.Field, "wrong_type", fmt.Sprintf("%s must be %s, not %s.", e.Field, jsonType(e.Type.Kind().String()), e.Value))
	}
	return bodyIssue("", "malformed", "The request body is not valid JSON.")
}

func bodyIssue(path, code, message string) error {
	return errs.Validation(errs.Issue{Path: path, Code: code, Message: message})
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

// require adds an issue if value is empty.
func (is *issues) require(path, value string) {
	if value == "" {
		is.add(path, "required", "%s is required.", path)
	}
}

// err returns VALIDATION_ERROR with every issue, or nil.
func (is *issues) err() error { return errs.Validation(*is...) }
