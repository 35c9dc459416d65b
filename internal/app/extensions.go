package app

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/extension"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/plugin/storage"
	"stoa/internal/extension/theme"
	"stoa/internal/store"
)

// buildExtensions builds the services that install, store and run extensions of every kind.
func (a *App) buildExtensions(ctx context.Context, cfg Config) error {
	packages := store.NewPlugin(a.DB)
	a.packages = packages
	plugins := &plugin.Service{
		Store: packages, Now: cfg.Now,
		Configs: cfg.MasterKey.Box("plugin.config"), Secrets: cfg.MasterKey.Box("plugin.secret"),
	}
	if err := a.buildNode(cfg, plugins, packages); err != nil {
		return err
	}
	a.metrics.WatchProcesses(a.node.Processes)
	a.metrics.WatchDroppedLines(a.node.DroppedLines)
	a.Plugins = plugins
	a.metrics.WatchHealth(plugins.CurrentHealths)
	a.buildThemes(cfg)
	a.storage = &storage.Service{Store: store.NewPluginStorage(a.DB), Now: cfg.Now}
	kinds := extension.Registries{extension.Plugin: plugin.Registry{Service: a.Plugins}}
	for _, kind := range theme.Kinds() {
		kinds[kind] = theme.Registry{Service: a.Themes, Kind: kind}
	}
	records := store.NewExtensions(a.DB, packages)
	a.Bundles = &bundle.Service{Store: store.NewBundles(a.DB), Records: records, Kinds: kinds, Now: cfg.Now}
	kinds[extension.Bundle] = bundle.Registry{Service: a.Bundles}
	a.installer = &install.Installer{
		Kinds: kinds, Records: records, Types: a.site.ArchiveTypes,
		DataDir: cfg.DataDir, Log: cfg.Log, Trusted: cfg.TrustedKeys,
		Recorded: store.NewReleases(a.DB).Paths, Platform: cfg.Version,
		Storage: cfg.Storage, Owned: func(ctx context.Context) error { return a.ownStorage(ctx, cfg) },
	}
	if err := a.openStorage(ctx, cfg); err != nil {
		return err
	}
	if err := a.installer.Sweep(ctx, time.Now()); err != nil { // the age of files is in system time
		cfg.Log.WarnContext(ctx, "cannot remove leftovers of earlier installs", slog.Any("err", err))
	}
	return nil
}
