package app

import (
	"context"

	"stoa/internal/extension/plugin"
	"stoa/internal/shop/payment"
)

// startWork starts what the App does without being asked, until working is done.
func (a *App) startWork(ctx, working context.Context, cfg Config) {
	a.startUpkeep(working, cfg)
	a.tendMarket(working, cfg)
	if a.Orders.Payments.Mode() == payment.Closed {
		cfg.Log.WarnContext(ctx, "no payments are taken: STOA_PAYMENTS is live, "+
			"but STOA_STRIPE_SECRET_KEY is not set, so paid tiers cannot be bought")
	}
	for _, name := range cfg.Stripe.unused(a.Orders.Payments.Name()) {
		cfg.Log.WarnContext(ctx, name+" has no effect: payments are not taken with Stripe")
	}
	a.startPlugins(working, cfg)
	a.keepBackups(working, cfg)
	a.streamAudit(working, cfg)
	if cfg.Deliver {
		a.Operations.Start(working)
		a.background.Go(func() { a.fillKeyTails(working, cfg) })
		a.deliver(working, cfg)
		if !a.noMail { // else mails wait for a mail server
			a.courier.Start(working)
			a.Outbox.Start(working)
		}
	}
}

// startUpkeep keeps memory true, and does regularly what is due.
func (a *App) startUpkeep(working context.Context, cfg Config) {
	a.background.Go(func() { a.member.Keep(working) })
	a.background.Go(func() { a.live.Keep(working) })
	a.background.Go(func() { a.snapshots.KeepChecked(working, cfg.Log) })
	a.background.Go(func() { a.media.Trim(working) })
	a.KeyUses.Start(working)
	if cfg.MakeCopies {
		a.background.Go(func() { a.makeCopies(working, cfg) })
	}
	if cfg.PollMarkets {
		a.background.Go(func() { a.pollMarkets(working, cfg) })
	}
	if cfg.CheckLicenses > 0 {
		a.background.Go(func() { a.checkLicenses(working, cfg) })
	}
	if !cfg.Upkeep {
		return
	}
	a.background.Go(func() { a.Accounts.KeepSwept(working, cfg.Log) })
	a.background.Go(func() { a.tendAccounts(working, cfg) })
	a.background.Go(func() { a.Orders.KeepSwept(working, cfg.Log) })
	if cfg.Deliver {
		a.background.Go(func() { a.Licenses.KeepPublishingEnds(working, cfg.Log) })
	}
	a.background.Go(func() { a.keeper.KeepSwept(working) })
	a.background.Go(func() { a.Operations.KeepSwept(working) })
	a.background.Go(func() { a.storage.KeepSwept(working, cfg.Log) })
	a.background.Go(func() { a.installer.KeepSwept(working) })
}

// startPlugins asks plugins for their health, runs those that must run without a call, and checks their
// files.
func (a *App) startPlugins(working context.Context, cfg Config) {
	if cfg.HealthInterval > 0 {
		probes := &plugin.Probes{
			Service: a.Plugins, Every: cfg.HealthInterval, Limit: cfg.HealthLimit, Log: cfg.Log,
			Ask: func(ctx context.Context, in plugin.Installed) plugin.Failure {
				return a.gateway.Health(ctx, a.external, in)
			},
		}
		a.background.Go(func() { probes.Keep(working) })
	}
	a.background.Go(func() { a.keepPluginsRunning(working, cfg) })
	if cfg.KeepThemeApps {
		a.background.Go(func() { a.themeApps.Follow(working, a.Themes) })
	}
	if cfg.CheckFiles {
		a.background.Go(func() { a.installer.CheckInstalled(working) })
	}
}
