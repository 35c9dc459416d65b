package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"stoa/internal/errs"
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if _, is := errors.AsType[*http.MaxBytesError](err); is {
			return nil, errBodyTooLarge
		}
		return nil, errCutShort.Because(err)
	}
	return body, nil
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
	if !utf8.Valid(body) || hasLoneSurrogate(body) {
		return nil, nil, errNotUnicode
	}
	var o object
	if json.Unmarshal(body, &o) != nil {
		return nil, nil, errMalformed
	}
	return body, o, nil
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
