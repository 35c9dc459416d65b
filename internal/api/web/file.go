package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
)

// File is a body that is the same for everyone, also in compressed form.
type File struct {
	Body []byte

	contentType  string
	tag, gzipTag string // of each form: a strong entity tag names bytes
	gzipped      []byte
}

// NewFile compresses body, which must not change afterwards.
func NewFile(contentType string, body []byte) (File, error) {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = zip.Write(body)
	}
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		return File{}, fmt.Errorf("web: compress: %w", err)
	}
	tag := ContentTag(body)
	return File{
		Body: body, contentType: contentType, tag: tag,
		gzipTag: strings.TrimSuffix(tag, `"`) + `-gzip"`, gzipped: packed.Bytes(),
	}, nil
}

// WriteFile answers with f, compressed for clients that say they can read it, or with
// 304 if the client has it already.
func WriteFile(w http.ResponseWriter, r *http.Request, f File) {
	w.Header().Add("Vary", "Accept-Encoding")
	if !Accepts(r, "gzip") {
		WriteCached(w, r, f.contentType, f.tag, f.Body)
		return
	}
	if !stillCurrent(w, r, f.gzipTag) {
		w.Header().Set("Content-Encoding", "gzip")
		writeTyped(w, f.contentType, f.gzipped)
	}
}

// Accepts reads Accept-Encoding (RFC 9110, 12.5.3): only a client that names a coding
// gets it.
func Accepts(r *http.Request, wanted string) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), wanted) {
			return weightOf(params) > 0
		}
	}
	return false
}
