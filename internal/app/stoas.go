package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"

	"stoa/internal/base/errs"
	"stoa/internal/data/duty"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/handoff"
	"stoa/internal/market/origin"
	"stoa/internal/market/remote"
	"stoa/internal/operate/overview"
	"stoa/internal/operate/settings"
	"stoa/internal/shop/release"
	"stoa/internal/store"
)

// buildMarkets builds what this stoa knows of the markets of others, and the licenses of what it has from them.
func (a *App) buildMarkets(cfg Config) {
	fetcher := remote.NewFetcher(remote.FetcherConfig{
		Allow: cfg.MarketAllow, Agent: "stoa/" + cfg.Version, Within: cfg.MarketTimeout,
	})
	a.Markets = &remote.Service{
		Store: store.NewMarkets(a.DB), Fetcher: fetcher,
		Local: func(ctx context.Context) (name, address string) { return a.site.Name(ctx), cfg.PublicURL },
		Log:   cfg.Log, Now: cfg.Now,
	}
	a.Entitlements = &entitlement.Service{
		Store: store.NewEntitlements(a.DB, a.packages), Markets: a.Markets, Plugins: a.Plugins, Client: fetcher.Client(),
		Keys: cfg.MasterKey.Box(entitlement.SealedFor), Instance: entitlement.InstanceOf(cfg.PublicURL),
		Administrators: buyers{a}, Poster: a.Mail, Log: cfg.Log, Now: cfg.Now,
	}
}

// licensesDue returns the packages whose license is in grace or has lapsed.
func (a *App) licensesDue(ctx context.Context) ([]overview.License, error) {
	list, err := a.Entitlements.Worrying(ctx)
	due := make([]overview.License, len(list))
	for i, l := range list {
		due[i] = overview.License{
			Kind: string(l.Kind), Slug: l.Slug, State: string(l.State), Reason: string(l.Reason), GraceUntil: l.GraceUntil,
		}
	}
	return due, err
}

// checkLicenses checks the licenses of packages from other stoas, in one of the stoa processes on the database.
func (a *App) checkLicenses(ctx context.Context, cfg Config) {
	d := &duty.Duty{
		Name: "licenses", Store: store.NewDuties(a.DB), Log: cfg.Log, Lease: keptLease, Grace: keptGrace, Every: keptEvery,
	}
	d.Keep(ctx, func(ctx context.Context) { a.Entitlements.Keep(ctx, cfg.CheckLicenses) })
}

// buildOrigin builds what other stoas install from. With Config.Market, every change of what they are told is signed.
func (a *App) buildOrigin(ctx context.Context, cfg Config) error {
	ring := a.ring(cfg, origin.KeyPurpose)
	a.Market = &origin.Service{
		Store: store.NewMarket(a.DB), Ring: ring, LicenseKeys: a.LicenseKeys, Describe: a.Releases.Describe,
		Name: func(ctx context.Context) (string, error) {
			set, err := a.site.Get(ctx)
			return cmp.Or(set.Name, a.site.Default()), err
		},
		URL: cfg.PublicURL, PlatformID: a.PlatformID, Administrators: buyers{a}, Poster: a.Mail, Now: cfg.Now, Log: cfg.Log,
	}
	a.Handoffs = &handoff.Service{
		Store: store.NewHandoffs(a.DB), Products: a.Catalog, Licenses: a.Licenses, Orders: a.Orders, Vault: a.Licenses.Vault,
		PublicURL: cfg.PublicURL, Now: cfg.Now, Log: cfg.Log,
	}
	ring.MaySign = a.Market.MaySign
	if !cfg.Market {
		return nil
	}
	is, err := a.Market.Exists(ctx)
	if err != nil {
		return err
	}
	if !is {
		return settings.Wrong(errors.New("--market is on, and there is no market yet: run stoa market init --root FILE " +
			"first (docs/market.md)"))
	}
	a.Releases.Market = release.Market{Fits: a.Market.Fits, Changed: a.Market.Changed}
	a.Catalog.Changed, a.site.Changed = a.Market.Changed, a.Market.Changed
	return nil
}

// tendMarket signs what is due before the first request, and goes on in one of the stoa processes on the database.
func (a *App) tendMarket(ctx context.Context, cfg Config) {
	if !cfg.Market {
		return
	}
	if err := a.Market.Catchup(ctx); err != nil && ctx.Err() == nil {
		cfg.Log.ErrorContext(ctx, "the metadata of the market is not signed; stoa goes on trying", slog.Any("err", err))
	}
	d := &duty.Duty{
		Name: "market", Store: store.NewDuties(a.DB), Log: cfg.Log, Lease: keptLease, Grace: keptGrace, Every: keptEvery,
	}
	a.background.Go(func() {
		d.Keep(ctx, func(ctx context.Context) {
			var both sync.WaitGroup
			both.Go(func() { a.Handoffs.Tend(ctx) })
			a.Market.Tend(ctx)
			both.Wait()
		})
	})
}

// marketDue returns what the operator has to do about the market; nothing where this stoa is none.
func (a *App) marketDue(ctx context.Context) (overview.Market, error) {
	due, err := a.Market.Due(ctx)
	if errs.KindOf(err) == errs.NotFound {
		return overview.Market{}, nil
	}
	return overview.Market{
		RootEndsAt: due.RootEndsAt, WarnFrom: due.RootEndsAt.Add(-origin.WarnBefore), Restored: due.Restored,
	}, err
}
