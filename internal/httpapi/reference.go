package httpapi

import (
	"net/http"
	"sync"

	"stoa/api"
	"stoa/internal/httpapi/web"
	"stoa/internal/reference"
)

// theReference is the contract in both its forms. It is the same for every
// server of a binary, and made for the first request.
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
	return referenceFiles{
		document: document, documentTag: web.ContentTag(document), page: page, pageTag: web.ContentTag(page.HTML),
	}, err
})

type referenceFiles struct {
	document    []byte
	documentTag string
	page        reference.Page
	pageTag     string
}

// openapi serves GET /openapi.json: the contract for machines.
func openapi(w http.ResponseWriter, r *http.Request) error {
	ref, err := theReference()
	if err != nil {
		return err
	}
	web.WriteCached(w, r, "application/json", ref.documentTag, ref.document)
	return nil
}

// docs serves GET /docs: the contract for people.
func docs(w http.ResponseWriter, r *http.Request) error {
	ref, err := theReference()
	if err != nil {
		return err
	}
	// The page needs no script, image or frame.
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src "+ref.page.StyleSource+
			"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	web.WriteCached(w, r, "text/html; charset=utf-8", ref.pageTag, ref.page.HTML)
	return nil
}
