package admin

import (
	"io"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/picture"
	"stoa/internal/shop/catalog"
)

// pictureUpload describes the upload of a picture. Only the declared type is checked here; package
// picture determines the real type from the content.
var pictureUpload = web.Upload{
	Types:   web.PictureTypes(),
	MaxBody: picture.MaxSize,
	MaxForm: picture.MaxSize + web.FormRoom,
	WrongType: errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE",
		"Send the picture as image/svg+xml, image/png, image/jpeg or image/webp, "+
			"or as the one file of a multipart/form-data form."),
	TooLarge: catalog.ErrPictureTooLarge,
	NotOne:   errs.Validation(errs.Issue{Code: errs.CodeOneFile, Message: "Send exactly one file: the picture."}),
}

// media is a picture on the wire.
type media struct {
	Path        string `json:"path"`
	ContentType string `json:"contentType"`
	Size        int    `json:"size"`
}

func newMedia(p catalog.Picture) media {
	contentType, _ := web.PictureType("." + p.Extension)
	return media{Path: p.Path, ContentType: contentType, Size: p.Size}
}

// ListMedia serves GET /api/v1/admin/media.
func (h *Handlers) ListMedia(w http.ResponseWriter, r *http.Request) error {
	type listed struct {
		media

		AddedAt web.Timestamp `json:"addedAt"`
		UsedBy  []string      `json:"usedBy"`
	}

	var faults errs.Issues
	web.OnlyParams(r, &faults)
	p := web.ReadPage(r, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	found, total, err := h.Catalog.ListPictures(r.Context(), p.Limit, p.Offset())
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteList(w, p, found, total, func(l catalog.Listed) listed {
		return listed{newMedia(l.Picture), web.Timestamp(l.AddedAt), web.OrEmpty(l.UsedBy)}
	})
	return nil
}

// UploadMedia serves POST /api/v1/admin/media.
func (h *Handlers) UploadMedia(w http.ResponseWriter, r *http.Request) error {
	var content []byte
	err := pictureUpload.Read(w, r, func(file io.Reader) (err error) {
		// One byte more than allowed shows package catalog that the file is too large.
		content, err = web.ReadFile(io.LimitReader(file, picture.MaxSize+1))
		return err
	})
	if err != nil {
		return err
	}
	picture, err := h.Catalog.AddPicture(r.Context(), content)
	if err != nil {
		return err
	}
	w.Header().Set("Location", picture.Path)
	web.WriteData(w, http.StatusCreated, newMedia(picture))
	return nil
}

// DeleteMedia serves DELETE /api/v1/admin/media/{file}.
func (h *Handlers) DeleteMedia(w http.ResponseWriter, r *http.Request) error {
	if err := h.Catalog.DeletePicture(r.Context(), r.PathValue("file")); err != nil {
		return err
	}
	web.WriteDone(w, "The picture is deleted.")
	return nil
}
