package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/demo"
	"stoa/internal/extension/plugin"
)

type pluginCmd struct {
	Dev pluginDevCmd `cmd:"" help:"Run an internal plugin from its source folder under the real gateway, and reload it when a file changes."`
}

type pluginDevCmd struct {
	Folder string `arg:"" type:"existingdir" help:"The plugin's folder, with manifest.json and what it needs to run."`
	Addr   string
	Config string `type:"existingfile"`
	Node   string

	Event       []string
	UpgradeFrom string `type:"existingdir"`
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
	for _, name := range c.Event {
		if _, err := madeUp(name, nil); err != nil {
			return fmt.Errorf("--event: %w", err)
		}
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
		events: c.Event, password: rand.Text(), console: &console{out: std.out}, startLimit: std.start,
	}
	if c.UpgradeFrom != "" {
		if d.before, err = filepath.Abs(c.UpgradeFrom); err != nil {
			return err
		}
	}
	d.console.printf("administrator: %s, password %s", demo.AdminEmail, d.password)
	srv := &http.Server{
		Handler: d, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	d.watch(ctx, linesOf(ctx, std.in))
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
	before                    string // folder of an earlier version; empty for none
	events                    []string
	password                  string // of the administrator, for this run
	console                   *console
	startLimit                time.Duration // see streams

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

// watch loads the plugin, and again after every change, and obeys the author's commands, until ctx is
// done.
func (d *devLoop) watch(ctx context.Context, commands <-chan string) {
	tick := time.NewTicker(devPoll)
	defer tick.Stop()
	var loaded snapshot
	for {
		now := lookAt(d.folder, d.config)
		if !now.equal(loaded) {
			start := time.Now()
			if changed := now.changes(loaded); loaded != nil {
				d.console.printf("changed: %s", changed)
			}
			loaded = now
			if err := d.load(ctx, start); err != nil {
				d.console.printf("failed: %s", describe(err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case line := <-commands:
			if err := d.obey(ctx, line); err != nil {
				d.console.printf("failed: %s", describe(err))
			}
		case <-tick.C:
		}
	}
}
