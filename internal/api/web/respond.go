package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

// WriteJSON answers with v. Nothing useful can be done about a client that went
// away, so the error of the write is dropped.
//
// The answer is encoded first: with a known length a long one, such as a list,
// is sent in one piece and not chunked.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	Show(w, v)
	withBuffer(func(body *bytes.Buffer) error {
		enc := json.NewEncoder(body)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v)
		return writeBody(w, status, body.Bytes())
	})
}

// Witness is an http.ResponseWriter that wants to know of which value an answer is made.
type Witness interface {
	http.ResponseWriter
	Made(v any)
}

// Show tells w, if it is a Witness, that its answer is made of v.
func Show(w http.ResponseWriter, v any) {
	if witness, is := w.(Witness); is {
		witness.Made(v)
	}
}

// WriteAppended answers with the JSON that add appends to an empty slice, for
// answers that cannot afford encoding/json.
func WriteAppended(w http.ResponseWriter, status int, add func(b []byte) []byte) {
	withBuffer(func(body *bytes.Buffer) error {
		body.Write(add(body.AvailableBuffer()))
		return writeBody(w, status, body.Bytes())
	})
}

// buffers are reused for the bodies of answers.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// withBuffer calls do, which writes an answer from a buffer. If do fails, the buffer is
// not used again: HTTP/2 of net/http may still be sending it after a client has reset the
// stream.
func withBuffer(do func(body *bytes.Buffer) error) {
	body := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // nothing else is put there
	body.Reset()
	if do(body) == nil {
		buffers.Put(body)
	}
}

func writeBody(w http.ResponseWriter, status int, body []byte) error {
	h := w.Header()
	h["Content-Type"] = contentJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

// Values of headers that most answers have. All answers share them: to set
// another value, replace the slice and never write into it.
var (
	contentJSON = []string{"application/json; charset=utf-8"}
	notStored   = []string{"no-store"}
)

// NoStore keeps an answer out of every cache: it is private or short-lived.
func NoStore(w http.ResponseWriter) { w.Header()["Cache-Control"] = notStored }

// Envelope is a successful answer of the enveloped family (contract 1.3).
type Envelope struct {
	Success bool   `json:"success"`
	Data    any    `json:"data"`
	Message string `json:"message,omitempty"`
}

// WriteData answers with data in an Envelope.
func WriteData(w http.ResponseWriter, status int, data any) {
	WriteJSON(w, status, Envelope{Success: true, Data: data})
}

// WriteDone answers that something was done and there is nothing to show.
func WriteDone(w http.ResponseWriter, message string) {
	WriteJSON(w, http.StatusOK, Envelope{Success: true, Message: message})
}

// Unkept keeps all answers of h out of every cache, refusals included.
func Unkept(h HandlerFunc) HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		NoStore(w)
		return h(w, r)
	}
}

// WriteAccepted is WriteDone for what will be done, or not, without telling which.
func WriteAccepted(w http.ResponseWriter, message string) {
	WriteJSON(w, http.StatusAccepted, Envelope{Success: true, Message: message})
}

// OrNull returns a pointer to v, or nil for the zero value: on the wire it is null.
func OrNull[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// OrEmpty returns list, or an empty one for nil: on the wire a list is [] and
// never null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
