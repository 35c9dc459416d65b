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

// buildGateway builds the gateway to the plugins.
func (a *App) buildGateway(ctx context.Context, cfg Config) (*gateway.Gateway, error) {
	platformID, err := store.NewSettings(a.DB).Once(ctx, "platform_id", uuid.NewString())
	if err != nil {
		return nil, err
	}
	a.external = external.New(external.Config{Log: cfg.Log, Allow: cfg.ExternalAllow})
	return &gateway.Gateway{
		Plugins: a.Plugins, Secrets: a.Plugins, Tokens: a.Accounts, Memory: gateway.NewMemory(), Now: cfg.Now,
		Runtimes: map[plugin.RuntimeType]runtime.Runtime{plugin.External: a.external, plugin.Internal: a.node},
		Platform: gateway.Platform{
			ID: platformID, Version: cfg.Version,
			APIBaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
			Locale:     cmp.Or(cfg.DefaultLocale, "en"),
		},
	}, nil
}
