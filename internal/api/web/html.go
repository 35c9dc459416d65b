package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"sync"

	"stoa/internal/html/pages"
)

// PageOf returns the page that answers a request.
type PageOf func(r *http.Request) (pages.Page, error)

// Rendered returns a page of a site, which is rendered when the site has changed since the request in the
// same language before.
func Rendered(site func(r *http.Request) pages.Site, render func(s pages.Site) (pages.Page, error)) PageOf {
	type made struct {
		pages.Page

		of pages.Site
	}
	var last sync.Map // by language, of which there are a few
	return func(r *http.Request) (pages.Page, error) {
		of := site(r)
		if found, ok := last.Load(of.Language); ok {
			if m, ok := found.(made); ok && m.of == of {
				return m.Page, nil
			}
		}
		page, err := render(of)
		if err == nil {
			last.Store(of.Language, made{page, of})
		}
		return page, err
	}
}

// HTML returns a handler that answers with one of stoa's own HTML pages. Its headers keep the page's URL
// from leaking to other sites, and other windows from reaching into the page.
func HTML(of PageOf) HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		page, err := of(r)
		if err != nil {
			return err
		}
		confine(w, page)
		WriteCached(w, r, contentHTML, ContentTag(page.HTML), page.HTML)
		return nil
	}
}

// FailureHTML is HTML for an error page, with its status. It is not cached.
func FailureHTML(status int, of PageOf) HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		page, err := of(r)
		if err != nil {
			return err
		}
		confine(w, page)
		NoStore(w)
		w.Header().Set("ETag", ContentTag(page.HTML))
		w.Header().Set("Content-Type", contentHTML)
		w.WriteHeader(status)
		_, _ = w.Write(page.HTML) // as in WriteJSON
		return nil
	}
}

const contentHTML = "text/html; charset=utf-8"

func confine(w http.ResponseWriter, page pages.Page) {
	w.Header().Set("Content-Security-Policy", page.Policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	VaryByLanguage(w)
}

// VaryByLanguage says that an answer is in the language that the request's cookie or its browser names.
func VaryByLanguage(w http.ResponseWriter) { w.Header().Add("Vary", "Accept-Language, Cookie") }

// NewPage returns an HTML page that is answered more than once. html must not change afterwards.
func NewPage(html []byte) File {
	var packed bytes.Buffer
	packed.Grow(len(html) / 3)
	zip := zippers.Get().(*gzip.Writer) //nolint:forcetypeassert // there is nothing else in it
	defer zippers.Put(zip)
	zip.Reset(&packed)
	_, _ = zip.Write(html) // a buffer takes everything
	_ = zip.Close()
	return newFile(contentHTML, html, bytes.Clone(packed.Bytes()))
}

// WritePage answers with a page, compressed for clients that accept it, or with 304 if the client has it
// already. Error pages are not cached.
func WritePage(w http.ResponseWriter, r *http.Request, status int, page File) {
	if status == http.StatusOK {
		WriteFile(w, r, page)
		return
	}
	header := w.Header()
	header.Add("Vary", "Accept-Encoding")
	NoStore(w)
	header.Set("Content-Type", page.contentType)
	tag, body := page.tag, page.Body
	if Accepts(r, "gzip") {
		header.Set("Content-Encoding", "gzip")
		tag, body = page.gzipTag, page.gzipped
	}
	header.Set("ETag", tag)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // as in WriteJSON
}

// zippers compress as fast as they can: a page is a tenth larger for it, and takes a
// fraction of the time.
var zippers = sync.Pool{New: func() any {
	zip, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // fails for unknown levels only
	return zip
}}
