package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"

	"stoa/internal/errs"
	"stoa/internal/httpapi/storefront"
	"stoa/internal/httpapi/web"
	pages "stoa/internal/storefront"
	"stoa/internal/webapp"
)

var errConsoleNotBuilt = errs.New(errs.Internal, "INTERNAL_ERROR",
	"This stoa was built without its console. Build it with make build, which needs Node.js.")

// webRoutes are the routes of the console and of the files that it and the storefront
// are made of.
func (s *Server) webRoutes(rt *router) {
	console := s.console()
	rt.public("GET /console", console)
	rt.public("GET /console/{path...}", console)
	rt.public("GET /assets/{file}", s.asset)
}

// storefrontRoutes are the pages of the shop, which give way to an active theme app.
func (s *Server) storefrontRoutes(rt *router) {
	h := &storefront.Handlers{
		Pages: s.Storefront, Catalog: s.Catalog, Reviews: s.Reviews, Releases: s.Releases,
		Site: func(context.Context) pages.Site {
			return pages.Site{Name: s.Site.Name, Payments: s.Site.Payments, PublicURL: s.PublicURL}
		},
	}

	rt.page("GET /{$}", web.ByReader(h.Browse, rt.noRoute))
	rt.page("GET /p/{slug}", h.Product)
	rt.page("GET /sign-in", h.App)
	rt.page("GET /checkout/{slug}/{tier}", h.App)
	rt.page("GET /orders", h.App)
	rt.page("GET /orders/{id}", h.App)
	rt.page("GET /licenses", h.App)
	rt.page("GET /licenses/{id}", h.App)
	rt.page("GET /account", h.App)
}

// console serves the page in which the console runs. Which of its pages is shown is for
// the browser to find out.
func (s *Server) console() web.HandlerFunc {
	page := web.HTML(s.Site.Console)
	return func(w http.ResponseWriter, r *http.Request) error {
		err := page(w, r)
		if errors.Is(err, webapp.ErrNotBuilt) {
			return errConsoleNotBuilt.Because(err)
		}
		return err
	}
}

// asset serves a built file. Its name has a hash of its contents, so browsers keep it.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	file, ok := s.Site.Web.File(r.PathValue("file"))
	if !ok {
		return errNoRoute
	}
	header := w.Header()
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Content-Type", file.ContentType)
	header.Add("Vary", "Accept-Encoding")
	switch {
	case web.Accepts(r, "br"):
		header.Set("Content-Encoding", "br")
		_, _ = w.Write(file.Brotli) // as in web.WriteJSON
	case web.Accepts(r, "gzip"):
		header.Set("Content-Encoding", "gzip")
		_, _ = w.Write(file.Gzip)
	default: // no browser; the plain form is not kept
		plain, err := gzip.NewReader(bytes.NewReader(file.Gzip))
		if err != nil {
			return err
		}
		_, _ = io.Copy(w, plain) //nolint:gosec // a file of our own
	}
	return nil
}
