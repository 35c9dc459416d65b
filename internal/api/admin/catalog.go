package admin

import (
	"bytes"
	"mime"
	"net/http"
	"slices"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

var (
	errNotCatalog = errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE",
		"Send the catalog as application/yaml or application/json.")
	errCatalogTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The catalog is larger than %d MiB.",
		product.MaxCatalog>>20)
)

// catalogTypes are the media types of a catalog, with those that YAML had before
// RFC 9512.
var catalogTypes = []string{"application/json", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"}

// ExportCatalog serves GET /api/v1/admin/catalog. The answer is a file and not an
// envelope, so that it can be imported unchanged.
func (h *Handlers) ExportCatalog(w http.ResponseWriter, r *http.Request) error {
	format := product.YAML
	if v := r.URL.Query().Get("format"); v != "" {
		format = product.Format(v)
	}
	var file bytes.Buffer // written whole, so that a failure is answered as one
	if err := h.Catalog.Export(r.Context(), &file, format, nil); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/"+string(format))
	w.Header().Set("Content-Disposition", `attachment; filename="catalog.`+string(format)+`"`)
	web.NoStore(w)
	_, _ = file.WriteTo(w) // as in web.WriteJSON
	return nil
}

// ImportCatalog serves POST /api/v1/admin/catalog.
func (h *Handlers) ImportCatalog(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Created   int `json:"created"`
		Updated   int `json:"updated"`
		Unchanged int `json:"unchanged"`
	}

	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(catalogTypes, media) {
		return errNotCatalog
	}
	data, err := web.ReadBytes(w, r, product.MaxCatalog, errCatalogTooLarge)
	if err != nil {
		return err
	}
	res, err := h.Catalog.ImportBytes(r.Context(), data)
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, response(res))
	return nil
}
