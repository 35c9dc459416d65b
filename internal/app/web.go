package app

import (
	"errors"
	"io/fs"
	"log/slog"
	"sync"

	"stoa/internal/html/locale"
	"stoa/internal/html/storefront"
	"stoa/internal/html/webapp"
	"stoa/internal/html/wording"
	"stoa/web"
)

// builtWeb are the files of console and storefront, which are the same for every App.
var builtWeb = sync.OnceValues(func() (*webapp.Bundle, error) {
	dist, err := fs.Sub(web.Dist, "dist/assets")
	if err != nil {
		return nil, err
	}
	return webapp.Load(dist)
})

// webFiles returns the files of console and storefront. Without them there is no console, but
// everything else works.
func webFiles(log *slog.Logger) *webapp.Bundle {
	bundle, err := builtWeb()
	switch {
	case errors.Is(err, webapp.ErrNotBuilt):
		log.Warn("there is no console: this binary was built without it", slog.String("build", "make build"))
	case err != nil:
		log.Error("the console cannot be served", slog.Any("err", err))
	}
	return bundle
}

// storefrontPages writes the pages of the shop, for every App.
var storefrontPages = sync.OnceValues(func() (*storefront.Languages, error) {
	built, err := wording.Built()
	if err != nil {
		return nil, err
	}
	bundle, _ := builtWeb() // webFiles logs its error
	return storefront.New(built.Words, bundle)
})

// languages returns those of pages. The pseudo languages are for those who try a demo's pages.
func languages(demo bool) (*locale.Languages, error) {
	built, err := wording.Built()
	if err != nil || !demo {
		return locale.New(built.Tags, nil), err
	}
	return locale.New(built.Tags, built.Pseudo), nil
}
