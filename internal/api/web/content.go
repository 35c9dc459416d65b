package web

import (
	"io"
	"net/http"
	"regexp"
	"time"

	"stoa/internal/base/errs"
)

var (
	errOtherContent = errs.New(errs.Stale, "PRECONDITION_FAILED", "The file is not the one that If-Match names.")
	errNoRange      = errs.New(errs.NoRange, "RANGE_NOT_SATISFIABLE",
		"The file has no such part. See Content-Range for its length.")
)

// oneRange matches the parts that are sent.
var oneRange = regexp.MustCompile(`^bytes=(\d+-\d*|-\d+)$`)

// ServeContent answers with a file that never changes under its entity tag, or with the part of it that
// Range asks for, or 304 (RFC 9110, 13 and 14). The caller has set Content-Type and what else describes
// the file. Several parts at once, and what is no part of
// bytes, are answered with the whole file.
//
// Unlike http.ServeContent alone, it leaves refusals to the Responder, so that they have the form of all
// errors and nothing of the file in their headers.
func ServeContent(w http.ResponseWriter, r *http.Request, tag string, file io.ReadSeeker) error {
	SetETag(w, tag)
	if match := ifMatchTag(r); match != nil && !match(tag) {
		return forget(w, errOtherContent)
	}
	if !oneRange.MatchString(r.Header.Get("Range")) {
		r.Header.Del("Range")
	}
	held := rangeRefusal{ResponseWriter: w}
	http.ServeContent(&held, r, "", time.Time{}, file)
	if held.refused {
		return forget(w, errNoRange)
	}
	return nil
}

// forget removes what describes a file from an answer that does not have it, and returns err.
func forget(w http.ResponseWriter, err error) error {
	for _, name := range []string{
		"Accept-Ranges", "Cache-Control", "Content-Disposition", "Content-Security-Policy", "Etag",
	} {
		w.Header().Del(name)
	}
	return err
}

// rangeRefusal is a ResponseWriter that withholds the answer 416 of http.ServeContent.
type rangeRefusal struct {
	http.ResponseWriter

	refused bool
}

func (h *rangeRefusal) WriteHeader(status int) {
	if h.refused = status == http.StatusRequestedRangeNotSatisfiable; !h.refused {
		h.ResponseWriter.WriteHeader(status)
	}
}

func (h *rangeRefusal) Write(b []byte) (int, error) {
	if h.refused {
		return len(b), nil
	}
	return h.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach Flush and the deadlines.
func (h *rangeRefusal) Unwrap() http.ResponseWriter { return h.ResponseWriter }
