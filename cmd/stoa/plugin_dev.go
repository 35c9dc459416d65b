package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/demo"
	"stoa/internal/base/tempfolder"
	"stoa/internal/extension/plugin"
	"stoa/internal/trust/seal"
)

type pluginCmd struct {
	Dev pluginDevCmd `cmd:"" help:"Run an internal plugin from its source folder under the real gateway, and reload it when a file changes."`
}

type pluginDevCmd struct {
	Folder string `arg:"" type:"existingdir" help:"The plugin's folder, with manifest.json and what it needs to run."`
	Addr   string
	Config string `type:"existingfile"`
	Node   string
}

// devPoll is how often the folder is looked at.
const devPoll = 100 * time.Millisecond

// devFolder begins the names of the data folders, which are in the system's folder for
// temporary files.
const devFolder = "stoa-dev"

// Run serves the plugin until ctx is done.
func (c pluginDevCmd) Run(ctx context.Context, std streams) error {
	folder, err := filepath.Abs(c.Folder)
	if err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("%w (choose another with --addr)", err)
	}
	defer ln.Close() // a no-op once served
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return errors.New("plugin dev listens on loopback addresses only: it is for development")
	}
	d := &devLoop{
		folder: folder, config: c.Config, node: c.Node, url: "http://" + ln.Addr().String(),
		password: rand.Text(), console: &console{out: std.out},
	}
	d.console.printf("administrator: %s, password %s", demo.AdminEmail, d.password)
	srv := &http.Server{
		Handler: d, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	d.watch(ctx)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = errors.Join(srv.Shutdown(stopping), d.end(stopping))
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}

// devLoop runs one plugin from its folder. A stoa with an empty database serves it:
// another one whenever the manifest changes, because nothing but an upgrade changes
// the manifest of an installed package.
type devLoop struct {
	folder, config, node, url string
	password                  string // of the administrator, for this run
	console                   *console

	handler atomic.Pointer[http.Handler]
	current atomic.Pointer[plugin.Package] // of the last copy of the folder

	// Used by watch alone.
	app        *app.App
	data       string // the app's data folder
	removeData func() error
	manifest   []byte
	applied    []byte // config
	copies     int
	stopFollow context.CancelFunc
}

// watch loads the plugin, and again after every change, until ctx is done.
func (d *devLoop) watch(ctx context.Context) {
	tick := time.NewTicker(devPoll)
	defer tick.Stop()
	var loaded snapshot
	for {
		now := lookAt(d.folder, d.config)
		if !now.equal(loaded) {
			begun := time.Now()
			if changed := now.changes(loaded); loaded != nil {
				d.console.printf("changed: %s", changed)
			}
			loaded = now
			if err := d.load(ctx, begun); err != nil {
				d.console.printf("failed: %s", describe(err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// load copies the folder and starts the plugin from the copy, so that the running plugin does not see
// files that change.
func (d *devLoop) load(ctx context.Context, begun time.Time) error {
	raw, err := os.ReadFile(filepath.Join(d.folder, "manifest.json"))
	if err != nil {
		return err
	}
	m, err := plugin.ParseManifest(raw, func(name string) bool {
		info, err := os.Stat(filepath.Join(d.folder, filepath.FromSlash(name)))
		return err == nil && info.Mode().IsRegular()
	})
	if err != nil {
		return err
	}
	if m.RuntimeType != plugin.Internal {
		return fmt.Errorf("manifest.json: runtimeType is %s; only %s plugins are run by stoa", m.RuntimeType, plugin.Internal)
	}
	fresh := d.app == nil || string(raw) != string(d.manifest)
	if fresh {
		if err := d.restart(ctx); err != nil {
			return err
		}
		d.manifest = raw
	}
	d.copies++
	path := fmt.Sprintf("plugins/%s/dev-%d", m.Slug, d.copies)
	if err := copyFolder(filepath.Join(d.data, filepath.FromSlash(path)), d.folder); err != nil {
		return err
	}
	p := plugin.Package{
		Source: plugin.SourceLocalZip, InstallPath: path, ZipHash: fmt.Sprintf("dev-%d", d.copies), Manifest: m,
		UpdatedAt: time.Now(),
	}
	d.current.Store(&p)
	// A copy before the last may still answer a call; no earlier one does for long.
	_ = os.RemoveAll(filepath.Join(d.data, "plugins", m.Slug, fmt.Sprintf("dev-%d", d.copies-3)))
	if fresh {
		if _, err := d.app.Plugins.Add(ctx, p, false); err != nil {
			return err
		}
		d.follow(ctx, m.Slug)
	}
	return d.start(ctx, m.Slug, fresh, begun)
}

// start applies the config and starts the process.
func (d *devLoop) start(ctx context.Context, slug string, fresh bool, begun time.Time) error {
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
			return fmt.Errorf("%s is not valid JSON", d.config)
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
	if err := d.app.Prepare(ctx, d.with(in)); err != nil {
		f := d.app.Plugins.Processes.RuntimeStatus(in.Instance.ID).LastError
		if f.IsZero() {
			return err
		}
		return errors.New(position(f.File, f.Line) + f.Message)
	}
	d.console.printf("ready in %s: %s/api/v1/shop/plugins/%s/api/", time.Since(begun).Round(time.Millisecond), d.url, slug)
	return nil
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
		Finder: func(f plugin.Finder) plugin.Finder { return devFinder{f, d} },
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

// devFinder finds instances as they are recorded, with the files of the last copy.
type devFinder struct {
	plugin.Finder

	d *devLoop
}

// ByID implements plugin.Finder.
func (f devFinder) ByID(ctx context.Context, slug, id string) (*plugin.Installed, error) {
	return f.changed(f.Finder.ByID(ctx, slug, id))
}

// ByKey implements plugin.Finder.
func (f devFinder) ByKey(ctx context.Context, slug, key string) (*plugin.Installed, error) {
	return f.changed(f.Finder.ByKey(ctx, slug, key))
}

func (f devFinder) changed(in *plugin.Installed, err error) (*plugin.Installed, error) {
	if err != nil {
		return nil, err
	}
	now := f.d.with(*in)
	return &now, nil
}

// with returns in with the files of the last copy.
func (d *devLoop) with(in plugin.Installed) plugin.Installed {
	if p := d.current.Load(); p != nil {
		in.Package.InstallPath, in.Package.ZipHash, in.Package.UpdatedAt = p.InstallPath, p.ZipHash, p.UpdatedAt
		in.Notes = nil // of the recorded state
	}
	return in
}
