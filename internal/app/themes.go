package app

import (
	"cmp"
	"slices"

	"stoa/internal/runtime/themeapp"
	"stoa/internal/seal"
	"stoa/internal/store"
	"stoa/internal/theme"
)

// buildThemes makes the themes and what runs theme apps.
func (a *App) buildThemes(cfg Config) {
	a.themeApps = themeapp.New(themeapp.Config{
		Log: cfg.Log, Node: a.node, Fetch: a.fetchTheme, APIBaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
	})
	a.Themes = &theme.Service{
		Store: store.NewTheme(a.DB), Now: cfg.Now, Configs: cfg.MasterKey.Box("theme.config"),
		Apps: a.themeApps, TokenKeys: seal.Derive(cfg.MasterKey, "theme.app-token", slices.Clone[[]byte]),
		Visitors: cfg.MasterKey.Box("theme.visitor"),
	}
}
