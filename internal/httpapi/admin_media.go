package httpapi

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"time"

	"stoa/internal/errs"
	"stoa/internal/market"
	"stoa/internal/picture"
)

// fileTimeout is how long the upload of a picture or a catalogue may take.
const fileTimeout = 2 * time.Minute

var (
	errNotPicture = errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE", "Send the picture as image/svg+xml, image/png, image/jpeg or image/webp, or as the one file of a multipart/form-data form.")
	errOnePicture = errs.Validation(errs.Issue{Code: "one_file", Message: "Send exactly one file: the picture."})
)

// uploadMedia serves POST /api/v1/admin/media.
func (s *Server) uploadMedia(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Path        string `json:"path"`
		ContentType string `json:"contentType"`
		Size        int    `json:"size"`
	}

	content, err := readPicture(w, r)
	if err != nil {
		return err
	}
	picture, err := s.Market.AddPicture(r.Context(), content)
	if err != nil {
		return err
	}
	w.Header().Set("Location", picture.Path)
	writeData(w, http.StatusCreated, response{Path: picture.Path, ContentType: mediaTypes["."+picture.Extension], Size: picture.Size})
	return nil
}

// readPicture reads the body, or the one file in it. Of a bare picture the
// Content-Type must be one of a picture; what it really is, its content says.
func readPicture(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && media == "multipart/form-data" && params["boundary"] != "":
		r.Body = http.MaxBytesReader(w, r.Body, picture.MaxSize+maxForm)
		return readPictureForm(multipart.NewReader(r.Body, params["boundary"]))
	case err == nil && slices.Contains([]string{"image/svg+xml", "image/png", "image/jpeg", "image/webp"}, media):
		return readAll(http.MaxBytesReader(w, r.Body, picture.MaxSize), market.ErrPictureTooLarge)
	}
	return nil, errNotPicture
}

func readPictureForm(form *multipart.Reader) (content []byte, err error) {
	found := false
	for {
		part, err := form.NextPart()
		switch {
		case errors.Is(err, io.EOF) && found:
			return content, nil
		case errors.Is(err, io.EOF):
			return nil, errOnePicture
		case err != nil:
			return nil, tooLargeFor(err, market.ErrPictureTooLarge, errBadForm)
		case part.FileName() == "":
			continue // a field of the form; NextPart skips its content
		case found:
			return nil, errOnePicture
		}
		found = true
		// One byte more than may be, for the market to see that there is more.
		if content, err = readAll(io.LimitReader(part, picture.MaxSize+1), market.ErrPictureTooLarge); err != nil {
			return nil, err
		}
	}
}
