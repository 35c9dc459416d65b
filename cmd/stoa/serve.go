package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/redis/go-redis/v9"

	"stoa/internal/app"
	"stoa/internal/app/datafolder"
	"stoa/internal/app/demo"
	"stoa/internal/app/demo/sales"
	"stoa/internal/operate/settings"
)

type serveCmd struct {
	settings.Serve
}

// Run serves until ctx is done, then lets running requests finish, ends the
// plugins' processes and returns nil.
func (c serveCmd) Run(ctx context.Context, std streams) (err error) {
	tuneMemory()
	log, records := c.Open(std.err)
	defer records.Flush()
	folder := datafolder.Folder{Storage: c.Storage}
	settings.WarnUnknown(ctx, log, os.Environ())
	redis.SetLogger(silent{}) // what matters of Redis is in our log, in its form
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return settings.WrongAddress(fmt.Errorf("%w (choose another with --addr)", err))
	}
	defer ln.Close() // a no-op once served
	at, err := folder.FindDatabase(ctx)
	if err != nil {
		return err
	}
	cfg, err := c.configure(folder, log, at, ln.Addr())
	if err != nil {
		return err
	}
	cfg.AccessRecords = records
	cfg.StartLimit, cfg.HealthLimit, cfg.StallLimit = std.start, std.start, std.start
	var admin demo.Password
	if c.Demo {
		if admin, err = demo.LoadPassword(c.Data); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		cfg.AdminEmail, cfg.AdminPassword = demo.AdminEmail, admin.Text
	}
	a, err := app.New(ctx, cfg)
	if err != nil {
		return err
	}
	// The App ends after the servers: their last requests still need it.
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.StopTimeout)
		defer cancel()
		err = errors.Join(err, a.Close(closing))
		log.InfoContext(ctx, "stopped")
	}()

	if err := c.served(cfg, a.PlatformID).Write(c.Data); err != nil {
		return fmt.Errorf("keep the settings for other commands: %w", err)
	}

	group := &servers{
		log: log, delay: c.StopDelay, grace: c.StopTimeout, lost: a.Lost(),
		beforeStop: a.StopAccepting, drain: a.Drain, finish: a.FinishCalls,
	}
	group.start(ctx, a.Listen(ln), a.Handler)
	if err := c.startOps(ctx, group, a.OpsHandler(), cfg.OpsToken == "", log); err != nil {
		return errors.Join(err, group.stop(ctx))
	}
	if err := offerSetup(ctx, a, cfg.PublicURL, log, std); err != nil {
		return errors.Join(err, group.stop(ctx))
	}
	log.InfoContext(ctx, "listening", slog.String("url", "http://"+ln.Addr().String()), slog.String("ops", c.OpsAddr),
		slog.String("database", datafolder.WithoutPassword(cfg.DatabaseURL)),
		slog.String("storage", cmp.Or(cfg.StorageURL, datafolder.OnDisk)), slog.String("payments", cfg.Payments),
		slog.String("version", version()))
	notify(ctx, log, notifyReady)

	// In the background: it starts Node.js, and what is wrong is logged.
	var checking sync.WaitGroup
	checking.Go(func() { _ = a.CheckPlugins() }) //nolint:contextcheck // it limits itself to seconds
	defer checking.Wait()

	if c.Demo {
		stopDemo, err := c.startDemo(ctx, a, admin, ln.Addr(), log, std)
		if err != nil {
			return errors.Join(fmt.Errorf("demo: %w", err), group.stop(ctx))
		}
		defer stopDemo()
	}
	return group.wait(ctx)
}

// startDemo fills the demo's shop through the API at that address, and says how to sign in.
func (c serveCmd) startDemo(
	ctx context.Context, a *app.App, admin demo.Password, at net.Addr, log *slog.Logger, std streams,
) (stop func(), err error) {
	d := &demo.Demo{
		URL: "http://" + at.String(), Dir: c.Data, Node: c.Node, Admin: admin, Catalog: a.Catalog,
		Shop:    sales.NewShop(a.Accounts, a.Orders, a.Licenses),
		Secrets: a.Plugins, Log: log, Client: demo.NewClient(),
	}
	if stop, err = d.Start(ctx); err != nil {
		return nil, err
	}
	fmt.Fprint(std.out, d.Welcome())
	return stop, nil
}

// startOps serves metrics and profiles on their own listener, unless --ops-addr is off.
func (c serveCmd) startOps(ctx context.Context, group *servers, h http.Handler, open bool, log *slog.Logger) error {
	if c.OpsAddr == "off" {
		return nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", c.OpsAddr)
	if err != nil {
		return settings.WrongAddress(fmt.Errorf("%w (choose another with --ops-addr, or off)", err))
	}
	if open {
		warnOfOpenOps(ctx, log, ln.Addr())
	}
	group.start(ctx, ln, h)
	return nil
}

// configure returns the configuration of a stoa that listens on addr. It makes the data folder last: a
// refused command leaves none.
func (c serveCmd) configure(folder datafolder.Folder, log *slog.Logger, at string, addr net.Addr) (app.Config, error) {
	site, err := c.Site(addr, log)
	if err != nil {
		return app.Config{}, settings.Wrong(err)
	}
	c.logOwn(log)
	cfg, err := app.FromServe(c.Serve, site)
	if err != nil {
		return cfg, settings.Wrong(err)
	}
	cfg.Log, cfg.Hashes = log, hashes
	stamp(&cfg)
	err = cfg.Open(folder, at)
	return cfg, err
}

// logOwn logs which settings win over --auth-policy.
func (c serveCmd) logOwn(log *slog.Logger) {
	rules, err := c.AccountRules()
	if err == nil && len(rules.Own) > 0 {
		log.Info("these settings win over --auth-policy="+c.AuthPolicy, slog.Any("settings", rules.Own))
	}
}

// warnOfOpenOps warns if other machines may reach metrics and profiles: nothing protects these but a Host
// header, which clients choose.
func warnOfOpenOps(ctx context.Context, log *slog.Logger, addr net.Addr) {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		log.WarnContext(ctx, "metrics and profiles have no token: whoever reaches this address and calls it localhost "+
			"reads them; set STOA_OPS_TOKEN, or listen on a loopback address", slog.String("ops", tcp.String()))
	}
}

// served returns what other commands on this data folder need to know.
func (c serveCmd) served(cfg app.Config, databaseID string) datafolder.Served {
	rules, _ := c.AccountRules() // which Check has checked
	return datafolder.Served{
		Database: datafolder.Recorded(cfg.DatabaseURL, c.Data), DatabaseID: databaseID, Storage: cfg.StorageURL,
		PasswordPolicy: rules.PasswordPolicy, Payments: cfg.Payments, PublicURL: cfg.PublicURL, Version: version(),
	}
}

// silent drops what the Redis library would write to standard error.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
