package app

import (
	"cmp"
	"context"
	"net"

	"stoa/internal/account"
	httpapi "stoa/internal/api"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/idempotency"
	"stoa/internal/edge/front"
	"stoa/internal/edge/ratelimit"
	"stoa/internal/operate/figures"
	"stoa/internal/operate/lookup"
	"stoa/internal/operate/overview"
	"stoa/internal/operate/system"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

// buildAPI builds the HTTP API over the parts built before, and the servers in front of it.
func (a *App) buildAPI(ctx context.Context, cfg Config) error {
	answered, err := answeredHosts(cfg)
	if err != nil {
		return err
	}
	limiter, err := a.buildLimiter(ctx, cfg)
	if err != nil {
		return err
	}
	secret, err := a.hashSecret(ctx, cfg.MasterKey, store.SettingIdempotencySecret,
		cfg.MasterKey.Known()[0].Derive(idempotency.HashPurpose))
	if err != nil {
		return err
	}
	a.keeper = idempotency.NewKeeper(
		store.NewIdempotency(a.DB), secret, cfg.MasterKey.Box("idempotency.answer"), cfg.Now, cfg.Log)
	a.keeper.SettleWithin = cmp.Or(cfg.InnerLimit, a.keeper.SettleWithin)
	api := a.api(cfg, limiter)
	if cfg.Market {
		api.Market = a.Market
	}
	api.Hosts, api.CORSOrigins = answered, cfg.CORSOrigins
	api.Locale = cfg.DefaultLocale
	api.Languages, err = languages(cfg.Demo)
	if err != nil {
		return err
	}
	api.Storefront, err = storefrontPages()
	if err != nil {
		return err
	}
	schema, err := store.SchemaVersion(ctx, a.DB)
	if err != nil {
		return err
	}
	a.readiness = &system.Readiness{Needs: a.needs(cfg, schema)}
	a.Handler = front.Streams(a.endingConnections(api.Handler()))
	a.noFront = cfg.NoFront
	a.front = &front.Front{Handler: a.Handler, Begin: api.Begin, Log: cfg.Log}
	return nil
}

// api returns the HTTP API over the parts built before.
func (a *App) api(cfg Config, limiter *ratelimit.Limiter) *httpapi.Server {
	return &httpapi.Server{
		Log:   cfg.Log,
		Now:   cfg.Now,
		Ready: a.ready,
		Build: httpapi.Build{Version: cfg.Version, Commit: cfg.Commit, Date: cfg.CommitDate},

		Idempotency: a.keeper,

		Limiter:  limiter,
		ClientIP: reqctx.AddrResolver{Trusted: cfg.TrustedProxies},

		PublicURL: cfg.PublicURL,

		Site:   a.site,
		SignIn: a.signIn,
		Staff:  a.Roles,
		Web:    webFiles(cfg.Log),
		System: a.system(cfg),
		Lookup: &lookup.Service{Store: store.NewLookup(a.DB), Vault: a.Licenses.Vault, Now: cfg.Now},
		Overview: &overview.Service{
			Store: store.NewOverview(a.DB, a.missed.Amend), Now: cfg.Now, Rings: a.rings(), Broken: a.broken,
			BackupEvery: cfg.Backup.every(), Storage: a.storageState(cfg), Market: a.marketDue, Licenses: a.licensesDue,
			StaffFactor: func() (wanted, passkey bool) {
				staff := a.Accounts.LastRules().Safeguards.StaffFactor // those that the last request of a user was let in by
				return staff.Wanted(), staff == account.StaffFactorPasskey
			},
		},
		Figures: &figures.Service{Store: store.NewFigures(a.DB), Now: cfg.Now, Test: a.Orders.TestPayments},
		Refused: a.guard.Refused,
		Budget:  a.budget,
		Tracer:  a.telemetry.Tracer(),
		Observe: a.metrics.ObserveRequest, Witness: cfg.Witness,
		Count: a.metrics.Count,

		Auth:        a.Accounts,
		Accounts:    a.Accounts,
		Leaving:     a.Leaving,
		Takeout:     a.Takeout,
		Keys:        a.Keys,
		StandIns:    a.StandIns,
		Audit:       &audit.Log{Store: store.NewAudit(a.DB), Now: cfg.Now},
		Invitations: a.Invitations,

		Plugins:   a.Plugins,
		Themes:    a.Themes,
		Bundles:   a.Bundles,
		Installer: a.installer,
		Apps:      a.themeApps,
		Storage:   a.storage,
		Gateway:   a.gateway,
		Traffic:   a.gateway.Memory.Traffic,
		Hooks:     a.Hooks,
		Webhooks:  a.Webhooks,

		Catalog:     a.Catalog,
		Generations: store.NewShopGeneration(a.DB),
		Licenses:    a.Licenses,
		Discounts:   a.Discounts,
		Templates:   a.Templates,
		Orders:      a.Orders,
		Reviews:     a.Reviews,
		Releases:    a.Releases,
		Handoffs:    a.Handoffs,
		Markets:     a.Markets, Entitlements: a.Entitlements,
		Operations:  a.Operations,
		Media:       a.media,
		LicenseKeys: a.LicenseKeys,
	}
}

// Listen wraps the listener on which a server with Handler and front.Setup serves clients.
func (a *App) Listen(ln net.Listener) net.Listener {
	ln = a.guard.Listen(a.peers.Listen(ln))
	if a.noFront {
		return ln
	}
	return a.front.Listen(ln)
}

// Drain closes connections that package front serves after their current request. A server over
// Listen calls it when it begins to shut down.
func (a *App) Drain() { a.front.Drain() }

// FinishCalls waits until these requests have ended, and cuts them off when ctx is done. Call it
// after the server over Listen has shut down.
func (a *App) FinishCalls(ctx context.Context) error { return a.front.Wait(ctx) }
