package app

import (
	"cmp"
	"slices"

	"stoa/internal/extension/theme"
	"stoa/internal/run/themeapp"
	"stoa/internal/store"
	"stoa/internal/trust/seal"
)

// buildThemes builds the theme service and the runtime of theme apps.
func (a *App) buildThemes(cfg Config) {
	a.themeApps = themeapp.New(themeapp.Config{
		Log: cfg.Log, Children: a.children, DataDir: cfg.DataDir, Fetch: a.fetchTheme, Egress: a.egress,
		Start: cfg.StartLimit, StartWait: cfg.StartLimit, Stall: cfg.StallLimit, HealthWait: cfg.HealthLimit,
		ReapWait:   cfg.InnerLimit,
		APIBaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
	})
	a.Themes = &theme.Service{
		Store: store.NewTheme(a.DB), Now: cfg.Now, Configs: cfg.MasterKey.Box("theme.config"),
		Apps: a.themeApps, TokenKeys: seal.Derive(cfg.MasterKey, "theme.app-token", slices.Clone[[]byte]),
		Visitors: cfg.MasterKey.Box("theme.visitor"),
	}
}
