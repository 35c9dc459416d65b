package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"

	"stoa/internal/base/errs"
	"stoa/internal/base/jsontext"
	"stoa/internal/edge/bodies"
)

// maxBody is the largest body that is read, uploads apart (contract 1.5).
const maxBody = 1 << 20

// What may be wrong with a body as a whole.
var (
	errCutShort   = errs.Malformed(errs.CodeUnreadable, "The request body could not be read to its end.")
	errNotObject  = errs.Malformed(errs.CodeWrongType, "The request body must be a JSON object.")
	errNotUnicode = errs.Malformed(errs.CodeNotUnicode,
		"The request body must be UTF-8, and its \\u escapes must name characters.")
	errMalformed    = errs.Malformed(errs.CodeMalformed, "The request body is not valid JSON.")
	errBodyTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The request body is larger than 1 MiB.")
	errNotJSON      = errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE",
		"Send the body as Content-Type: application/json.")
)

// ReadJSON decodes the request body into the struct T, as decoder.fill explains,
// and has check report what the domain finds wrong with it; a nil check finds
// nothing. Unknown fields are ignored. It returns VALIDATION_ERROR for anything
// but exactly one JSON object, and with all violations at once: of types, of
// rules, and of headers (WithHeaderFaults). A body over 1 MiB is 413, one
// declared as something else 415. ReadChange refuses unknown fields.
func ReadJSON[T any](w http.ResponseWriter, r *http.Request, check func(T) errs.Issues) (T, error) {
	v, faults, err := ReadFields[T](w, r)
	if err != nil {
		return v, err
	}
	if check != nil {
		faults.Merge(check(v))
	}
	return v, faults.Err()
}

// ReadInput is ReadJSON for input that a service checks. issues returns the faults that the service
// would find. It is called only for a request that is refused anyway, see Refusal.
func ReadInput[T any](w http.ResponseWriter, r *http.Request, issues func(T) errs.Issues) (T, error) {
	v, faults, err := ReadFields[T](w, r)
	if err != nil {
		return v, err
	}
	return v, Refusal(faults, func() errs.Issues { return issues(v) })
}

// ReadStrictly is ReadInput for a body that refuses unknown fields (contract 1.5).
func ReadStrictly[T any](w http.ResponseWriter, r *http.Request, issues func(T) errs.Issues) (T, error) {
	v, faults, err := ReadChange[T, struct{}](w, r)
	if err != nil {
		return v, err
	}
	return v, Refusal(faults, func() errs.Issues { return issues(v) })
}

// ReadOptional is ReadStrictly for a request that may have no body. Then it is the zero value.
func ReadOptional[T any](w http.ResponseWriter, r *http.Request, issues func(T) errs.Issues) (v T, err error) {
	if r.ContentLength != 0 {
		return ReadStrictly(w, r, issues)
	}
	return v, Refusal(headerFaultsOf(r), func() errs.Issues { return issues(v) })
}

// ReadFields is ReadJSON without a check: it returns the faults of types and headers.
func ReadFields[T any](w http.ResponseWriter, r *http.Request) (v T, faults errs.Issues, err error) {
	_, body, err := readObject(w, r)
	if err != nil {
		return v, faults, err
	}
	d := decoder{faults: headerFaultsOf(r)}
	d.fill(reflect.ValueOf(&v).Elem(), "", body)
	return v, d.faults, nil
}

// HeaderFaults returns the faults of headers of a request whose body is not read.
func HeaderFaults(r *http.Request) errs.Issues { return headerFaultsOf(r) }

// Refusal returns VALIDATION_ERROR for a request with faults, and nil without. more returns the faults
// that the service would find in addition, so that one answer names all. The service checks requests
// without faults.
func Refusal(faults errs.Issues, more func() errs.Issues) error {
	if faults.Len() == 0 {
		return nil
	}
	faults.Merge(more())
	return faults.Err()
}

// ReadDocument reads a request body that is exactly one JSON object, for a domain that decodes it. It
// fails as ReadJSON does.
func ReadDocument(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, _, err := readObject(w, r)
	return body, err
}

func readObject(w http.ResponseWriter, r *http.Request) ([]byte, object, error) {
	body, err := ReadBody(w, r)
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

// ReadBody reads a request body that is declared as JSON.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, errNotJSON
	}
	return ReadPayload(w, r)
}

// ReadPayload reads a request body of any type, up to 1 MiB.
func ReadPayload(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return ReadBytes(w, r, maxBody, errBodyTooLarge)
}

// ReadBytes reads a request body of any type, up to limit bytes. It returns
// tooLarge for a longer one.
func ReadBytes(w http.ResponseWriter, r *http.Request, limit int64, tooLarge *errs.Error) ([]byte, error) {
	content, err := readAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return content, asTooLarge(err, tooLarge)
	}
	return content, reaffirm(r.Context())
}

// readAll reads all of a body or of a part of it.
func readAll(from io.Reader) ([]byte, error) {
	content, err := io.ReadAll(from)
	if errors.Is(err, bodies.ErrBusy) {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(errCutShort, err)
	}
	return content, nil
}

// asTooLarge returns tooLarge for an error that is or was caused by the limit of
// a body, and any other error as it is.
func asTooLarge(err error, tooLarge *errs.Error) error {
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return tooLarge.Because(err)
	}
	return err
}

// headerFaults is the context key of what is wrong with a request's headers.
type headerFaults struct{}

// WithHeaderFaults returns r with faults of its headers. ReadJSON refuses such a
// request whatever its body says, and names them together with those of the
// body.
func WithHeaderFaults(r *http.Request, faults errs.Issues) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), headerFaults{}, faults))
}

func headerFaultsOf(r *http.Request) errs.Issues {
	faults, _ := r.Context().Value(headerFaults{}).(errs.Issues)
	return faults
}
