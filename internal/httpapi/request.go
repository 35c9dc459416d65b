package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"

	"stoa/internal/errs"
	"stoa/internal/jsontext"
)

// maxBody is the largest JSON request body accepted (CONTRACT 1).
const maxBody = 1 << 20

// What may be wrong with a body as a whole.
var (
	errCutShort   = errs.Malformed("unreadable", "The request body could not be read to its end.")
	errNotObject  = errs.Malformed("not_an_object", "The request body must be a JSON object.")
	errNotUnicode = errs.Malformed("not_unicode", "The request body must be UTF-8, and its \\u escapes must name characters.")
	errMalformed  = errs.Malformed("malformed", "The request body is not valid JSON.")
)

// readJSON decodes the request body into the struct T, which fill explains, and
// has check say what the domain finds wrong with it; nil finds nothing. Unknown
// fields are ignored. It returns VALIDATION_ERROR for anything but exactly one
// JSON object, and with all of its violations at once: of types and of rules,
// and of headers (headerFaults). A body over maxBody is 413, one declared as
// something else 415.
func readJSON[T any](w http.ResponseWriter, r *http.Request, check func(T) []errs.Issue) (T, error) {
	var v T
	body, err := readObject(w, r)
	if err != nil {
		return v, err
	}
	found := headerFaultsOf(r)
	found.fill(reflect.ValueOf(&v).Elem(), "", body)
	if check != nil {
		found.merge(check(v))
	}
	return v, found.err()
}

// readBody reads a request body that is declared as JSON.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, errNotJSON
	}
	return readAll(http.MaxBytesReader(w, r.Body, maxBody), errBodyTooLarge)
}

// readAll reads all of a body or part of one. tooLarge is the error for one
// that runs into its limit.
func readAll(from io.Reader, tooLarge *errs.Error) ([]byte, error) {
	content, err := io.ReadAll(from)
	if err != nil {
		return nil, tooLargeFor(err, tooLarge, errCutShort)
	}
	return content, nil
}

func tooLargeFor(err error, tooLarge *errs.Error, otherwise error) error {
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return tooLarge.Because(err)
	}
	return errors.Join(otherwise, err)
}

// readObject reads a request body that is a JSON object; see readJSON.
func readObject(w http.ResponseWriter, r *http.Request) (object, error) {
	_, o, err := readDocument(w, r)
	return o, err
}

// readDocument is readObject that returns the bytes too, for a domain that reads
// them by itself.
func readDocument(w http.ResponseWriter, r *http.Request) ([]byte, object, error) {
	body, err := readBody(w, r)
	if err != nil {
		return nil, nil, err
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] != '{' {
		return nil, nil, errNotObject
	}
	if !jsontext.Unicode(body) {
		return nil, nil, errNotUnicode
	}
	var o object
	if json.Unmarshal(body, &o) != nil {
		return nil, nil, errMalformed
	}
	return body, o, nil
}
