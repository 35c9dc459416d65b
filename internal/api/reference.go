package httpapi

import (
	"net/http"
	"strings"
	"sync"

	"stoa/api"
	"stoa/internal/api/web"
	"stoa/internal/html/reference"
)

// theDocument is the API document for machines. It is the same for every server of a binary, and built
// at the first request.
var theDocument = sync.OnceValues(func() (web.File, error) {
	document, err := api.JSON()
	if err != nil {
		return web.File{}, err
	}
	return web.NewFile("application/json", document)
})

// openapi serves GET /openapi.json: the API document for machines.
func openapi(w http.ResponseWriter, r *http.Request) error {
	document, err := theDocument()
	if err != nil {
		return err
	}
	web.WriteFile(w, r, document)
	return nil
}

// docs returns a handler that serves GET /docs: the API document for people, with examples for the
// server at base. It is built at the first request.
func docs(base string) web.HandlerFunc {
	type rendered struct {
		web.File

		policy string
	}
	once := sync.OnceValues(func() (rendered, error) {
		document, err := theDocument()
		if err != nil {
			return rendered{}, err
		}
		paths, err := api.Paths()
		if err != nil {
			return rendered{}, err
		}
		page, err := reference.Render(document.Body, paths, base)
		if err != nil {
			return rendered{}, err
		}
		file, err := web.NewFile("text/html; charset=utf-8", page.HTML)
		return rendered{file, policyOf(page)}, err
	})
	return func(w http.ResponseWriter, r *http.Request) error {
		page, err := once()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Security-Policy", page.policy)
		web.WriteFile(w, r, page.File)
		return nil
	}
}

// policyOf returns the Content-Security-Policy of the reference: it allows the page's own style sheet and
// script, and no requests, images or frames.
func policyOf(page reference.Page) string {
	return strings.Join([]string{
		"default-src 'none'", "style-src " + page.StyleSource, "script-src " + page.ScriptSource, "base-uri 'none'",
		"form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
	}, "; ")
}
