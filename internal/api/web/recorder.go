package web

import (
	"bytes"
	"net/http"
	"sync"
)

// Recorder is an http.ResponseWriter that keeps an answer instead of sending it.
type Recorder struct {
	Status int // 0 until the answer began
	Body   bytes.Buffer

	header http.Header
	value  any
}

// Made implements Witness.
func (rec *Recorder) Made(v any) { rec.value = v }

// Value returns the value of which the answer is made, or nil.
func (rec *Recorder) Value() any { return rec.value }

var recorders = sync.Pool{New: func() any { return new(Recorder) }}

// NewRecorder returns an empty Recorder whose headers are written into header.
func NewRecorder(header http.Header) *Recorder {
	rec := recorders.Get().(*Recorder) //nolint:forcetypeassert // nothing else is put there
	rec.header = header
	return rec
}

// Release allows rec and the bytes of its body to be used again. A Recorder whose
// body is kept must not be released.
func (rec *Recorder) Release() {
	rec.Status, rec.header, rec.value = 0, nil, nil
	rec.Body.Reset()
	recorders.Put(rec)
}

// Header implements http.ResponseWriter.
func (rec *Recorder) Header() http.Header { return rec.header }

// WriteHeader implements http.ResponseWriter. The first status counts.
func (rec *Recorder) WriteHeader(status int) {
	if rec.Status == 0 {
		rec.Status = status
	}
}

// Write implements http.ResponseWriter.
func (rec *Recorder) Write(b []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	return rec.Body.Write(b)
}
