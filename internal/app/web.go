package app

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"sync"

	"stoa/internal/pages"
	"stoa/internal/storefront"
	"stoa/internal/webapp"
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

// site returns what stoa's own pages say of the shop. Without the built files there is no
// console, and everything else works.
func (a *App) site(cfg Config) pages.Site {
	bundle, err := builtWeb()
	switch {
	case errors.Is(err, webapp.ErrNotBuilt):
		cfg.Log.Warn("there is no console: this binary was built without it", slog.String("build", "make build"))
	case err != nil:
		cfg.Log.Error("the console cannot be served", slog.Any("err", err))
	}
	return pages.Site{
		Name: cfg.Name, PasswordRules: a.Accounts.Policy.PasswordRules(),
		Payments: cmp.Or(cfg.Payments, "test"), Web: bundle,
	}
}

// storefrontPages writes the pages of the shop, for every App.
var storefrontPages = sync.OnceValues(func() (*storefront.Pages, error) {
	texts, err := fs.Sub(web.Texts, "texts")
	if err != nil {
		return nil, err
	}
	bundle, _ := builtWeb() // site tells of its error
	return storefront.New(texts, bundle)
})
