package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/demo"
	"stoa/internal/base/jsontext"
	"stoa/internal/base/tempfolder"
	"stoa/internal/extension/plugin"
	runtimes "stoa/internal/run"
	"stoa/internal/trust/seal"
)

// load copies the folder and starts the plugin from the copy, so that the running plugin does not see
// files that change.
func (d *devLoop) load(ctx context.Context, since time.Time) error {
	raw, m, err := manifestIn(d.folder)
	if err != nil {
		return err
	}
	fresh := d.app == nil || string(raw) != string(d.manifest)
	if fresh {
		if err := d.restart(ctx); err != nil {
			return err
		}
		if d.before != "" {
			if err := d.loadBefore(ctx, m.Slug, since); err != nil {
				return err
			}
			since = time.Now()
		}
		d.manifest = raw
	}
	p, err := d.copy(d.folder, m)
	if err != nil {
		return err
	}
	d.current.Store(&p) // before it is recorded: its hooks run from the copy
	if fresh {
		if _, err := d.app.Plugins.Add(ctx, p, false); err != nil {
			return err
		}
		if d.before == "" {
			d.follow(ctx, m.Slug)
		}
	}
	if err := d.start(ctx, m.Slug, fresh, since); err != nil {
		return err
	}
	if !fresh {
		d.repeat(ctx, m.Slug)
	}
	return d.publishAll(ctx)
}

// loadBefore installs the earlier version, and returns when it was told everything: a hook that was not
// delivered by the time of the upgrade would be called in the new version.
func (d *devLoop) loadBefore(ctx context.Context, slug string, since time.Time) error {
	_, m, err := manifestIn(d.before)
	if err != nil {
		return err
	}
	if m.Slug != slug {
		return fmt.Errorf("--upgrade-from: the plugin there is %s, not %s", m.Slug, slug)
	}
	p, err := d.copy(d.before, m)
	if err != nil {
		return err
	}
	d.current.Store(&p)
	if _, err := d.app.Plugins.Add(ctx, p, false); err != nil {
		return err
	}
	d.follow(ctx, slug)
	d.console.printf("version %s:", m.Version)
	if err := d.start(ctx, slug, true, since); err != nil {
		return err
	}
	if err := d.publishAll(ctx); err != nil {
		return err
	}
	d.settle(ctx)
	d.console.printf("upgrade to the version in %s:", d.folder)
	return nil
}

// manifestIn reads the manifest of the plugin in a folder.
func manifestIn(folder string) (raw []byte, m plugin.Manifest, err error) {
	raw, err = os.ReadFile(filepath.Join(folder, "manifest.json")) //nolint:gosec // the author's own folder
	if err != nil {
		return nil, m, err
	}
	m, err = plugin.ParseManifest(raw, func(name string) bool {
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		return err == nil && info.Mode().IsRegular()
	})
	if err == nil && m.RuntimeType != plugin.Internal {
		err = fmt.Errorf("manifest.json: runtimeType is %s; only %s plugins are run by stoa", m.RuntimeType, plugin.Internal)
	}
	return raw, m, err
}

// copy copies a folder with the manifest m, and returns the package that runs from the copy.
func (d *devLoop) copy(folder string, m plugin.Manifest) (plugin.Package, error) {
	d.copies++
	path := fmt.Sprintf("plugins/%s/dev-%d", m.Slug, d.copies)
	if err := copyFolder(filepath.Join(d.data, filepath.FromSlash(path)), folder); err != nil {
		return plugin.Package{}, err
	}
	// A copy before the last may still answer a call; no earlier one does for long.
	_ = os.RemoveAll(filepath.Join(d.data, "plugins", m.Slug, fmt.Sprintf("dev-%d", d.copies-3)))
	return plugin.Package{
		Source: plugin.SourceLocalZip, InstallPath: path, ZipHash: fmt.Sprintf("dev-%d", d.copies), Manifest: m,
		UpdatedAt: time.Now(),
	}, nil
}

// start applies the config and starts the process.
func (d *devLoop) start(ctx context.Context, slug string, fresh bool, since time.Time) error {
	in, err := d.app.Plugins.ByKey(ctx, slug, plugin.DefaultInstance)
	if err != nil {
		return err
	}
	config := []byte("null")
	if d.config != "" {
		if config, err = os.ReadFile(d.config); err != nil {
			return err
		}
	}
	if fresh || string(config) != string(d.applied) {
		if !json.Valid(config) {
			return fmt.Errorf("%s is not valid JSON: %s", d.config, jsontext.Fault(config))
		}
		input := plugin.Input{Enabled: json.RawMessage("true"), Config: config}
		if _, err := d.app.Plugins.UpdateInstance(ctx, slug, in.Instance.ID, input, nil); err != nil {
			return err
		}
		d.applied = config
	}
	if in, err = d.app.Plugins.ByKey(ctx, slug, plugin.DefaultInstance); err != nil {
		return err
	}
	if err := untilStarted(ctx, func() error { return d.app.Prepare(ctx, d.with(in)) }); err != nil {
		f := d.app.Plugins.Processes.RuntimeStatus(in.Instance.ID).LastError
		if f.IsZero() {
			return err
		}
		return errors.New(position(f.File, f.Line) + f.Message)
	}
	if missing := lacking(in); len(missing) > 0 {
		d.console.printf("not granted, because an upgrade adds it (type grant): %s", strings.Join(missing, ", "))
	}
	d.console.printf("ready in %s: %s/api/v1/shop/plugins/%s/api/", time.Since(since).Round(time.Millisecond), d.url, slug)
	return nil
}

// untilStarted calls prepare again while the plugin starts: it may take longer to start than a call waits.
func untilStarted(ctx context.Context, prepare func() error) error {
	for {
		err := prepare()
		if !errors.Is(err, runtimes.ErrStarting) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(devPoll):
		}
	}
}

// lacking returns the permissions that are declared and not granted.
func lacking(in plugin.Installed) []string {
	granted := in.Permissions()
	return slices.DeleteFunc(slices.Clone(in.Package.Manifest.Permissions), func(p string) bool {
		return slices.Contains(granted, p)
	})
}

// restart replaces the stoa by one with an empty database.
func (d *devLoop) restart(ctx context.Context) error {
	if err := d.end(ctx); err != nil {
		return err
	}
	key, err := seal.ParseKey(seal.GenerateKey())
	if err != nil {
		return err
	}
	tempfolder.Sweep(os.TempDir(), devFolder) // what a plugin dev that was killed left behind
	folder, err := tempfolder.New(os.TempDir(), devFolder)
	if err != nil {
		return err
	}
	data := folder.Dir
	d.removeData, d.data, d.applied = folder.Remove, data, nil
	a, err := app.New(ctx, app.Config{
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Version: version(),
		DatabaseURL: filepath.Join(data, "stoa.db"), DataDir: data, MasterKey: seal.NewKeys(key), MasterKeySource: "file",
		PublicURL:  d.url,
		AdminEmail: demo.AdminEmail, AdminPassword: d.password,
		ExternalAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		NodePath:      d.node, PluginErrors: true,
		Deliver: true, Upkeep: true, StartLimit: d.startLimit, HealthLimit: d.startLimit,
		StallLimit:  d.startLimit,
		Development: &app.Development{Files: d.with, Published: d.published, Delivered: d.delivered},
	})
	if err != nil {
		return errors.Join(err, folder.Remove())
	}
	d.app = a
	d.handler.Store(&a.Handler)
	return nil
}

// end closes the stoa, if there is one, and removes its data.
func (d *devLoop) end(ctx context.Context) error {
	if d.app == nil {
		return nil
	}
	if d.stopFollow != nil {
		d.stopFollow()
	}
	closing, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := errors.Join(d.app.Close(closing), d.removeData())
	d.app = nil
	return err
}

// with returns in with the files of the last copy.
func (d *devLoop) with(in plugin.Installed) plugin.Installed {
	if p := d.current.Load(); p != nil {
		in.Package.InstallPath, in.Package.ZipHash, in.Package.UpdatedAt = p.InstallPath, p.ZipHash, p.UpdatedAt
		in.Notes = nil // of the recorded state
	}
	return in
}
