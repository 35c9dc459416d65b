package app

import (
	"cmp"
	"context"
	"net/http"

	"github.com/google/uuid"

	"stoa/internal/framing"
	"stoa/internal/gateway"
	"stoa/internal/plugin"
	"stoa/internal/runtime"
	"stoa/internal/runtime/egress"
	"stoa/internal/runtime/external"
	"stoa/internal/runtime/node"
	"stoa/internal/store"
)

// buildNode makes what runs internal plugins.
func (a *App) buildNode(cfg Config, live node.Live) error {
	gate, err := egress.New(egress.Config{
		Log:     cfg.Log,
		BaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
		// The handler is built later, out of what runs plugins.
		Platform:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.Handler.ServeHTTP(w, r) }),
		Listen:    a.Guard.Listen,
		ConnState: framing.ConnState,
		Allow:     cfg.ExternalAllow,
	})
	if err != nil {
		return err
	}
	a.node = node.New(node.Config{
		Log: cfg.Log, DataDir: cfg.DataDir, NodePath: cfg.NodePath, Live: live,
		Isolation: cfg.PluginIsolation, Egress: gate,
	})
	return nil
}

// CheckPlugins returns why internal plugins cannot run here, or nil.
func (a *App) CheckPlugins() error { return a.node.Check() }

// buildGateway makes the way to the plugins.
func (a *App) buildGateway(ctx context.Context, cfg Config, plugins *plugin.Service) (*gateway.Gateway, error) {
	platformID, err := store.NewSettings(a.DB).Once(ctx, "platform_id", uuid.NewString())
	if err != nil {
		return nil, err
	}
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
