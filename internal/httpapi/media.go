package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"time"

	"stoa/internal/errs"
)

// Media is the files that products show, under names made of their content.
type Media interface {
	// Get returns the file of that name, which the caller closes, or
	// fs.ErrNotExist.
	Get(ctx context.Context, name string) (*os.File, error)
}

var errNoMedia = errs.New(errs.NotFound, "NOT_FOUND", "There is no such file.")

// mediaTypes are the types of the files that are served. Anything else would be
// a file this program did not store.
var mediaTypes = map[string]string{
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".webp": "image/webp",
}

// svgPolicy keeps an SVG opened by itself from being a program on the shop's
// origin. The bitmaps it embeds are shown: some browsers apply the policy to what is
// an image of a page, too.
const svgPolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"

// serveMedia serves GET /media/{file}. A name never changes its content, hence
// the caching.
func (s *Server) serveMedia(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	contentType, ok := mediaTypes[path.Ext(name)]
	if !ok {
		return errNoMedia
	}
	file, err := s.Media.Get(r.Context(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return errNoMedia
	} else if err != nil {
		return err
	}
	defer file.Close()

	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+name+`"`)
	if contentType == mediaTypes[".svg"] {
		h.Set("Content-Security-Policy", svgPolicy)
	}
	r.Header.Del("Range") // the files are small: always the whole one
	http.ServeContent(w, r, name, time.Time{}, file)
	return nil
}
