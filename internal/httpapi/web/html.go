package web

import (
	"net/http"
	"sync"

	"stoa/internal/pages"
)

// HTML returns a handler that answers with one of stoa's own HTML pages. It is
// rendered once, for the first request. What the page's address contains stays
// with the page, and no other window can reach into it.
func HTML(render func() (pages.Page, error)) HandlerFunc {
	type rendered struct {
		pages.Page

		tag string
	}
	once := sync.OnceValues(func() (rendered, error) {
		p, err := render()
		return rendered{p, ContentTag(p.HTML)}, err
	})
	return func(w http.ResponseWriter, r *http.Request) error {
		page, err := once()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Security-Policy", page.Policy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		WriteCached(w, r, "text/html; charset=utf-8", page.tag, page.HTML)
		return nil
	}
}
