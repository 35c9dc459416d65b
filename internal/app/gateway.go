package app

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"stoa/internal/account"
	"stoa/internal/api/plugincall"
	"stoa/internal/api/web"
	"stoa/internal/edge/framing"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/child"
	"stoa/internal/run/egress"
	"stoa/internal/run/external"
	"stoa/internal/run/gateway"
	"stoa/internal/run/node"
	"stoa/internal/store"
)

// buildNode builds the runtime of internal plugins, and connects the plugin service to it.
func (a *App) buildNode(cfg Config, plugins *plugin.Service, packages *store.Plugin) error {
	gate, err := egress.New(egress.Config{
		Log:     cfg.Log,
		BaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
		// The handler is built later, because it needs the runtimes.
		Platform:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.Handler.ServeHTTP(w, r) }),
		Listen:    a.guard.Listen,
		ConnState: framing.ConnState,
		Allow:     cfg.ExternalAllow,
	})
	if err != nil {
		return err
	}
	a.egress = gate
	if a.children = cfg.Children; a.children == nil {
		a.children = child.New(child.Config{
			Log: cfg.Log, NodePath: cfg.NodePath, Isolation: cfg.PluginIsolation, ProbeTimeout: cfg.StartLimit,
		})
		a.closeChildren = a.children.Close
	}
	a.node = node.New(node.Config{
		Log: cfg.Log, Children: a.children, DataDir: cfg.DataDir, Fetch: a.fetchPlugin, Live: plugins,
		CacheDir: cmp.Or(cfg.CacheDir, filepath.Join(cfg.DataDir, "cache")),
		Egress:   gate, Development: cfg.PluginErrors,
		StartTimeout: cfg.StartLimit, StartWait: cfg.StartLimit, Stall: cfg.StallLimit, ReapWait: cfg.InnerLimit,
		Failed: func(ctx context.Context, in plugin.Installed, f plugin.Failure) {
			if err := plugins.RecordFailure(ctx, in, f); err != nil {
				cfg.Log.WarnContext(ctx, "cannot record the failure of a plugin",
					slog.String("installationId", in.Instance.ID), slog.Any("err", err))
			}
		},
	})
	plugins.Processes, plugins.Prober = a.node, prober{a}
	if files := cfg.files(); files != nil {
		plugins.Processes = developedProcesses{a.node, files}
	}
	a.snapshots = plugin.NewSnapshots(plugins, packages)
	a.snapshots.Changed = a.node.Refresh
	return nil
}

// prober implements plugin.Prober.
type prober struct{ a *App }

// Probe implements plugin.Prober.
func (p prober) Probe(ctx context.Context, in plugin.Installed) (plugin.Failure, error) {
	if in.Package.Manifest.RuntimeType == plugin.Internal {
		return p.a.node.Rehearse(ctx, in, func(rt run.Runtime) plugin.Failure {
			return p.a.gateway.Probe(ctx, rt, in)
		})
	}
	return p.a.gateway.Probe(ctx, p.a.external, in), nil
}

// CheckPlugins returns why internal plugins cannot run here, or nil.
func (a *App) CheckPlugins() error { return a.node.Check() }

// buildGateway builds the gateway to the plugins.
func (a *App) buildGateway(cfg Config) *gateway.Gateway {
	a.external = external.New(external.Config{Log: cfg.Log, Allow: cfg.ExternalAllow})
	finder := plugin.Finder(a.snapshots)
	if files := cfg.files(); files != nil {
		finder = developed{finder, files}
	}
	return &gateway.Gateway{
		Plugins: finder, Secrets: a.snapshots, Tokens: pluginTokens{a.Accounts}, Memory: gateway.NewMemory(),
		HealthLimit: cfg.HealthLimit,
		Now:         cfg.Now, HasChannel: a.node.HasChannel,
		Runtimes: map[plugin.RuntimeType]run.Runtime{plugin.External: a.external, plugin.Internal: a.node},
		Platform: gateway.Platform{
			ID: a.PlatformID, Version: cfg.Version,
			APIBaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
			Locale:     cmp.Or(cfg.DefaultLocale, "en"),
		},
		Log: cfg.Log, Budget: a.budget, LeastRate: cfg.BodyRate, Status: web.Status, Ended: accessLog(cfg),
		Tracer: a.telemetry.Tracer(),
	}
}

// pluginTokens implements gateway.Tokens.
type pluginTokens struct{ *account.Service }

// IssuePluginToken implements gateway.Tokens.
func (t pluginTokens) IssuePluginToken(
	ctx context.Context, p gateway.PluginToken,
) (token string, expires time.Time, err error) {
	return t.Service.IssuePluginToken(ctx, account.PluginToken(p))
}

// accessLog returns the function that logs calls to plugins; nil if they are not logged.
func accessLog(cfg Config) func(*http.Request, gateway.Ended) {
	if cfg.AccessLog == "off" {
		return nil
	}
	return plugincall.AccessLog{
		Log: cfg.Log, Records: cfg.AccessRecords, FailuresOnly: cfg.AccessLog == "failures",
	}.Record
}

// Prepare starts the process of an instance of an internal plugin and returns when it is ready.
// The errors are those of a call.
func (a *App) Prepare(ctx context.Context, in plugin.Installed) error { return a.node.Prepare(ctx, in) }
