package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
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
	return newFile(contentType, body, packed.Bytes()), nil
}

func newFile(contentType string, body, gzipped []byte) File {
	tag := ContentTag(body)
	return File{
		Body: body, contentType: contentType, tag: tag,
		gzipTag: strings.TrimSuffix(tag, `"`) + `-gzip"`, gzipped: gzipped,
	}
}

// Size returns how many bytes of memory both forms take.
func (f File) Size() int { return len(f.Body) + len(f.gzipped) }

// WriteFile answers with f, compressed for clients that say they can read it, or with
// 304 if the client has it already.
func WriteFile(w http.ResponseWriter, r *http.Request, f File) {
	w.Header().Add("Vary", "Accept-Encoding")
	tag, body := f.tag, f.Body
	packed := Accepts(r, "gzip")
	if packed {
		tag, body = f.gzipTag, f.gzipped
	}
	if stillCurrent(w, r, tag) {
		return
	}
	if packed {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	writeTyped(w, f.contentType, body)
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
