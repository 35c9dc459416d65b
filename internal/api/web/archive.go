package web

import (
	"net/http"
	"strconv"
)

// WriteArchive answers with a ZIP archive, which no cache may keep.
func WriteArchive(w http.ResponseWriter, content []byte) {
	NoStore(w)
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // the client is gone
}

// WriteExport answers that a copy is being made.
func WriteExport(w http.ResponseWriter, id, state string) {
	WriteData(w, http.StatusAccepted, map[string]any{"id": id, "state": state})
}
