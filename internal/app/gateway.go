package app

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"stoa/internal/gateway"
	"stoa/internal/plugin"
	"stoa/internal/runtime"
	"stoa/internal/runtime/external"
	"stoa/internal/store"
)

// buildGateway makes the way to the plugins.
func (a *App) buildGateway(ctx context.Context, cfg Config, plugins *plugin.Service) (*gateway.Gateway, error) {
	platformID, err := store.NewSettings(a.DB).Once(ctx, SettingPlatformID, uuid.NewString())
	if err != nil {
		return nil, err
	}
	a.PlatformID = platformID
	a.external = external.New(external.Config{Log: cfg.Log, Allow: cfg.ExternalAllow})
	return &gateway.Gateway{
		Plugins: plugins, Secrets: plugins, Tokens: a.Accounts, Memory: gateway.NewMemory(), Now: cfg.Now,
		Runtimes: map[plugin.RuntimeType]runtime.Runtime{plugin.External: a.external, plugin.Internal: a.node},
		Platform: gateway.Platform{
			ID: platformID, Version: cfg.Version,
			APIBaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
			Locale:     cmp.Or(cfg.DefaultLocale, "en"),
		},
	}, nil
}
