package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"stoa/api"
	"stoa/internal/reference"
)

// theReference is the contract in both its forms. It is the same for every
// server of a binary, so it is made once, for the first who asks.
var theReference = sync.OnceValues(func() (referenceFiles, error) {
	document, err := api.JSON()
	if err != nil {
		return referenceFiles{}, err
	}
	paths, err := api.Paths()
	if err != nil {
		return referenceFiles{}, err
	}
	page, err := reference.Render(document, paths)
	return referenceFiles{document: document, documentTag: entityTag(document), page: page, pageTag: entityTag(page.HTML)}, err
})

type referenceFiles struct {
	document    []byte
	documentTag string
	page        reference.Page
	pageTag     string
}

// openapi serves GET /openapi.json: the contract for machines.
func (s *Server) openapi(w http.ResponseWriter, r *http.Request) error {
	ref, err := theReference()
	if err != nil {
		return err
	}
	writeCached(w, r, "application/json", ref.documentTag, ref.document)
	return nil
}

// docs serves GET /docs: the contract for people.
func (s *Server) docs(w http.ResponseWriter, r *http.Request) error {
	ref, err := theReference()
	if err != nil {
		return err
	}
	// No script, image or frame has any business on this page.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src "+ref.page.StyleSource+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	writeCached(w, r, "text/html; charset=utf-8", ref.pageTag, ref.page.HTML)
	return nil
}

// entityTag returns a strong ETag for a body.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// writeCached answers with body, or with 304 if the client has it already. A
// cache asks again before each use, so a new version shows at once.
func writeCached(w http.ResponseWriter, r *http.Request, contentType, tag string, body []byte) {
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache")
	if matches(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(body) // a client that went away is not our concern
}

// matches reports whether an If-None-Match header names tag (RFC 9110, 13.1.2).
func matches(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == tag || candidate == "*" {
			return true
		}
	}
	return false
}
