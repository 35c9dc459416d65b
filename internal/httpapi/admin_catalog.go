package httpapi

import (
	"bytes"
	"mime"
	"net/http"
	"slices"

	"stoa/internal/errs"
	"stoa/internal/market"
)

var (
	errNotCatalog      = errs.New(errs.UnsupportedMedia, "UNSUPPORTED_MEDIA_TYPE", "Send the catalogue as application/yaml or application/json.")
	errCatalogTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The catalogue is larger than %d MiB.", market.MaxCatalog>>20)
)

// catalogTypes are what a catalogue may be declared as: the names YAML had before
// RFC 9512 too.
var catalogTypes = []string{"application/json", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"}

// exportCatalog serves GET /api/v1/admin/catalog. The answer is a file, not an
// envelope, for it is to be sent back as it is.
func (s *Server) exportCatalog(w http.ResponseWriter, r *http.Request) error {
	format := market.YAML
	if v := r.URL.Query().Get("format"); v != "" {
		format = market.Format(v)
	}
	var file bytes.Buffer // whole, so that a failure is answered as one
	if err := s.Market.Export(r.Context(), &file, format, nil); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/"+string(format))
	h.Set("Content-Disposition", `attachment; filename="catalog.`+string(format)+`"`)
	noStore(w)
	_, _ = file.WriteTo(w) // a client that went away is nobody's fault
	return nil
}

// importCatalog serves POST /api/v1/admin/catalog.
func (s *Server) importCatalog(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Created   int `json:"created"`
		Updated   int `json:"updated"`
		Unchanged int `json:"unchanged"`
	}

	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(catalogTypes, media) {
		return errNotCatalog
	}
	data, err := readAll(http.MaxBytesReader(w, r.Body, market.MaxCatalog), errCatalogTooLarge)
	if err != nil {
		return err
	}
	res, err := s.Market.ImportBytes(r.Context(), data)
	if err != nil {
		return err
	}
	writeData(w, http.StatusOK, response(res))
	return nil
}
