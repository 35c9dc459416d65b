package httpapi

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/html/pages"
	"stoa/internal/html/webapp"
)

var errConsoleNotBuilt = errs.New(errs.Internal, "INTERNAL_ERROR",
	"This stoa was built without its console. Build it with make build, which needs Node.js.")

// console serves the page in which the console runs. Its script decides which view to show.
func (s *Server) console() web.HandlerFunc {
	page := s.html(pages.Site.Console)
	return func(w http.ResponseWriter, r *http.Request) error {
		err := page(w, r)
		if errors.Is(err, webapp.ErrNotBuilt) {
			return errConsoleNotBuilt.Because(err)
		}
		return err
	}
}

// asset serves a built file. Its name has a hash of its code, and that of its language one of
// its texts, so browsers keep it.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	file, ok := s.Web.File(r.PathValue("language"), r.PathValue("file"))
	if !ok {
		return errNoRoute
	}
	header := w.Header()
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Content-Type", file.ContentType)
	header.Add("Vary", "Accept-Encoding")
	switch {
	case web.Accepts(r, "br"):
		header.Set("Content-Encoding", "br")
		_, _ = w.Write(file.Brotli) // as in web.WriteJSON
	case web.Accepts(r, "gzip"):
		header.Set("Content-Encoding", "gzip")
		_, _ = w.Write(file.Gzip)
	default: // no browser; the plain form is not kept
		plain, err := gzip.NewReader(bytes.NewReader(file.Gzip))
		if err != nil {
			return err
		}
		_, _ = io.Copy(w, plain) //nolint:gosec // a file of our own
	}
	return nil
}
