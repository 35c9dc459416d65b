package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"

	"stoa/internal/base/errs"
)

// FormRoom is how much larger than its file a multipart body may be: boundaries,
// headers, small fields.
const FormRoom = 1 << 20

var errBadForm = errs.Malformed(errs.CodeMalformed, "The form is not valid multipart/form-data.")

// Upload describes requests that carry one file: as their body, or as the one
// file of a multipart/form-data form.
type Upload struct {
	Types   []string // of a file that is the body
	MaxBody int64    // of such a body, in bytes
	MaxForm int64    // of a form, in bytes

	WrongType *errs.Error // for a body of another type
	TooLarge  *errs.Error // for a body beyond its limit
	NotOne    error       // for a form with no file or several
}

// Read passes the file of a request to take, and returns what went wrong with
// either. A form with several files is refused after take got the first.
func (u Upload) Read(w http.ResponseWriter, r *http.Request, take func(file io.Reader) error) error {
	if err := u.read(w, r, take); err != nil {
		return err
	}
	return reaffirm(r.Context())
}

func (u Upload) read(w http.ResponseWriter, r *http.Request, take func(file io.Reader) error) error {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && media == "multipart/form-data" && params["boundary"] != "":
		r.Body = http.MaxBytesReader(w, r.Body, u.MaxForm)
		return asTooLarge(u.readForm(r.Body, params["boundary"], take), u.TooLarge)
	case err == nil && slices.Contains(u.Types, media):
		r.Body = http.MaxBytesReader(w, r.Body, u.MaxBody)
		return asTooLarge(take(r.Body), u.TooLarge)
	}
	return u.WrongType
}

func (u Upload) readForm(body io.Reader, boundary string, take func(file io.Reader) error) error {
	source := &source{Reader: body}
	form := multipart.NewReader(source, boundary)
	for found := false; ; {
		part, err := form.NextPart()
		switch {
		case errors.Is(err, io.EOF) && found:
			return nil
		case errors.Is(err, io.EOF):
			return u.NotOne
		case err != nil && source.err != nil:
			return errors.Join(errCutShort, source.err)
		case err != nil:
			return errors.Join(errBadForm, err)
		case part.FileName() == "":
			continue // a field of the form; NextPart skips its content
		case found:
			return u.NotOne
		}
		found = true
		if err := take(part); err != nil {
			return err
		}
	}
}

// source remembers why a body could not be read to its end. A multipart.Reader
// only reports that the line before the end is malformed.
type source struct {
	io.Reader

	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// ReadFile reads a file that Read passes on.
func ReadFile(file io.Reader) ([]byte, error) { return readAll(file) }
