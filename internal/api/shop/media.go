package shop

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
)

// Media is the store of the files that products show. A file's name is derived
// from its content.
type Media interface {
	// Get returns the file with that name, which the caller closes, or
	// fs.ErrNotExist.
	Get(ctx context.Context, name string) (*os.File, error)
}

var errNoMedia = errs.New(errs.NotFound, "NOT_FOUND", "There is no such file.")

// mediaPolicy gives a picture that is opened directly an opaque origin, whatever a browser takes it
// for. svgPolicy also keeps an SVG from loading anything but embedded bitmaps, which it allows because
// some browsers apply the policy to images in pages too.
const mediaPolicy, svgPolicy = "sandbox", "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"

// ServeMedia serves GET /media/{file}. The content of a name never changes, so it
// may be cached for good.
func (h *Handlers) ServeMedia(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	contentType, ok := web.PictureType(path.Ext(name))
	if !ok {
		return errNoMedia // stoa stores no other files
	}
	file, err := h.Media.Get(r.Context(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return errNoMedia
	} else if err != nil {
		return err
	}
	defer file.Close()

	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Content-Security-Policy", mediaPolicy)
	if contentType == web.SVG {
		w.Header().Set("Content-Security-Policy", svgPolicy)
	}
	r.Header.Del("Range") // the files are small: always send the whole file
	return web.ServeContent(w, r, web.Tag(name), file)
}
