// Package app is the composition root: it assembles a stoa that answers requests. It is
// the only package that knows every concrete type. The serve command and the tests both
// build the program here, so that the tested program is the real one (docs/adr/0002).
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/impersonate"
	"stoa/internal/account/invite"
	"stoa/internal/account/leave"
	"stoa/internal/account/live"
	"stoa/internal/account/password"
	"stoa/internal/account/staff"
	"stoa/internal/account/takeout"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
	"stoa/internal/data/blob"
	"stoa/internal/data/database"
	"stoa/internal/data/idempotency"
	"stoa/internal/data/outage"
	"stoa/internal/edge/bodies"
	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
	"stoa/internal/edge/peers"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/plugin/storage"
	"stoa/internal/extension/theme"
	"stoa/internal/keep/backup"
	"stoa/internal/keep/rewrap"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/handoff"
	"stoa/internal/market/operation"
	"stoa/internal/market/origin"
	"stoa/internal/market/remote"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/message/webhook"
	"stoa/internal/operate/ops"
	"stoa/internal/operate/settings"
	"stoa/internal/operate/signin"
	"stoa/internal/operate/system"
	"stoa/internal/operate/telemetry"
	"stoa/internal/run/child"
	"stoa/internal/run/egress"
	"stoa/internal/run/external"
	"stoa/internal/run/gateway"
	"stoa/internal/run/hook"
	"stoa/internal/run/node"
	"stoa/internal/run/themeapp"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
	"stoa/internal/shop/site"
	"stoa/internal/store"
	"stoa/internal/trust/keyring"
)

// App is a stoa that can answer requests.
type App struct {
	Handler http.Handler
	DB      *database.DB
	// PlatformID identifies this installation: all processes on one database share it, and no
	// other database has it.
	PlatformID string

	Catalog   *catalog.Service
	Licenses  *license.Service
	Discounts *discount.Service
	Templates *template.Service
	Orders    *order.Service
	Reviews   *review.Service
	Releases  *release.Service
	// Market is what other stoas install from. It is served, and signs what changes, only with Config.Market.
	Market *origin.Service
	// Handoffs are what other stoas buy.
	Handoffs *handoff.Service
	// Markets are the other stoas that packages may come from.
	Markets *remote.Service
	// Operations buy and install packages from there.
	Operations *operation.Service
	// Entitlements are the licenses of packages that came from them.
	Entitlements *entitlement.Service

	Accounts *account.Service
	Roles    *staff.Service
	// Invitations invite staff.
	Invitations *invite.Service
	// Leaving plans and carries out the deletion of accounts.
	Leaving *leave.Service
	// Takeout makes copies of what there is about users.
	Takeout *takeout.Service
	// Keys makes API keys and ends them; KeyUses notes when they are used.
	Keys     *apikey.Keys
	KeyUses  *apikey.Uses
	StandIns *impersonate.Service
	// LicenseKeys sign leases and the answers about licenses.
	LicenseKeys *keyring.Ring
	Plugins     *plugin.Service
	Themes      *theme.Service
	Bundles     *bundle.Service
	// Hooks lists the deliveries of lifecycle hooks and events to plugins.
	Hooks *hook.Log
	// Webhooks manages the operators' addresses that get events.
	Webhooks *webhook.Service

	// Mail sends mail in the background. Outbox sends what is recorded in the database.
	Mail   *mail.Queue
	Outbox *mail.Outbox

	outages       *outage.Watch  // a full disk, a database that is away
	missed        backup.Missed  // backups whose failure the database does not know
	member        *rewrap.Member // tracks the current master key
	guard         *framing.Guard // recognizes requests with two lengths
	front         *front.Front   // serves plain requests in place of net/http
	noFront       bool           // net/http serves them too
	peers         *peers.Bound   // limits the connections of each client address
	budget        *bodies.Budget // limits the memory of request bodies; nil without a limit
	installer     *install.Installer
	storage       *storage.Service // of plugins
	site          *site.Service    // the shop's name and other settings
	keeper        *idempotency.Keeper
	packages      *store.Plugin
	snapshots     *plugin.Snapshots // the gateway's view of plugins
	live          *live.Memory[account.Alive]
	signIn        *signin.Service
	children      *child.Launcher   // starts Node.js processes
	closeChildren func() error      // nil if they are not the App's own
	aside         *password.Aside   // computes hashes of passwords; may be nil
	egress        *egress.Gate      // their way to stoa and to granted hosts
	node          *node.Runtime     // internal plugins
	external      *external.Runtime // external ones
	themeApps     *themeapp.Runtime
	gateway       *gateway.Gateway
	mailer        mail.Sender
	noMail        bool // no mail can be sent
	mailTrouble   mailTrouble
	courier       *order.Courier  // of receipts
	hooks         *hook.Sender    // for plugins
	messages      *webhook.Sender // for operators
	media         *blob.Files
	copies        *blob.Direct // of accounts
	metrics       *ops.Metrics
	telemetry     *telemetry.Telemetry // nil: off
	opsToken      string
	redis         *redis.Client // nil without one
	stopping      atomic.Bool
	lost          chan error // see Lost
	readiness     *system.Readiness

	background sync.WaitGroup // work that stopWork ends
	stopWork   context.CancelFunc
}

// New opens the database, brings its schema up to date and builds the program. The
// caller closes the App.
func New(ctx context.Context, cfg Config) (*App, error) {
	db, err := database.OpenWith(cfg.DatabaseURL, cfg.DatabaseConns)
	if err != nil {
		return nil, err
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx)) // until Close
	outages := outage.NewWatch()
	outages.Settled = cmp.Or(cfg.WriteEvery, outages.Settled)
	cfg.Log = slog.New(outages.Handler(cfg.Log.Handler()))
	a := &App{
		DB: db, outages: outages, guard: framing.NewGuard(), metrics: ops.NewMetrics(cfg.Version), opsToken: cfg.OpsToken,
		stopWork: stop,
	}
	a.metrics.ReadLimit = cmp.Or(cfg.InnerLimit, a.metrics.ReadLimit)
	if err := a.startTelemetry(ctx, cfg); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	a.buildLimits(cfg)
	if err := a.build(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("app: %w", err), a.Close(ctx))
	}
	if err := a.installBuiltins(ctx, cfg.BuiltinDir); err != nil {
		return nil, errors.Join(fmt.Errorf("app: %w", err), a.Close(ctx))
	}
	a.startWork(ctx, working, cfg)
	return a, nil
}

// buildLimits limits connections and memory, and has the metrics watch both.
func (a *App) buildLimits(cfg Config) {
	for name, pool := range a.DB.Pools() {
		a.metrics.WatchPool(name, pool)
	}
	a.peers = &peers.Bound{
		Most: cfg.AddressConnections, Trusted: reqctx.AddrResolver{Trusted: cfg.TrustedProxies}, Log: cfg.Log,
	}
	if cfg.AccessRecords != nil {
		a.metrics.WatchLostRecords(cfg.AccessRecords.Lost)
	}
	if cfg.BodyMemory > 0 {
		a.budget = bodies.NewBudget(cfg.BodyMemory)
		a.metrics.WatchBodies(a.budget.Used)
	}
}

func (a *App) build(ctx context.Context, cfg Config) error {
	if err := a.checkSchema(ctx, cfg); err != nil {
		return err
	}
	if err := a.joinMasterKey(ctx, cfg); err != nil {
		return err
	}
	if !text.Printable(cfg.Name, site.MaxName) {
		return settings.Wrong(fmt.Errorf("the shop's name must have %d printable characters or fewer", site.MaxName))
	}
	pageLanguages, err := languages(cfg.Demo)
	if err != nil {
		return err
	}
	a.site = &site.Service{
		HasLanguage: pageLanguages.Has,
		Store:       store.NewSite(a.DB), Now: cfg.Now, DefaultName: cfg.Name, PublicURL: cfg.PublicURL,
		FixedTypes: cfg.ArchiveTypes,
	}
	if err := a.buildExtensions(ctx, cfg); err != nil {
		return err
	}
	a.watchStorage(cfg)
	a.metrics.WatchBackups(a.backupRuns(cfg.Log))
	if err := a.buildMail(ctx, cfg); err != nil {
		return err
	}
	if err := a.buildMarket(ctx, cfg); err != nil {
		return err
	}
	if err := a.buildAccounts(ctx, cfg); err != nil {
		return err
	}
	a.buildOperations(cfg)
	a.gateway = a.buildGateway(cfg)
	a.Plugins.Circuits = a.gateway
	a.metrics.WatchTraffic(a.gateway.Memory.Traffic, cfg.MetricsInstallations)
	a.buildDelivery(cfg)
	if err := a.buildTakeout(cfg); err != nil {
		return err
	}
	a.watchDeliveries(cfg.Now)
	return a.buildAPI(ctx, cfg)
}

// installBuiltins installs the packages of a folder, unless it is empty.
func (a *App) installBuiltins(ctx context.Context, dir string) error {
	if dir == "" {
		return nil
	}
	err := a.installer.InstallBuiltins(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = settings.Wrong(err)
	}
	return err
}

// StopAccepting makes /readyz answer 503, so that a load balancer sends no more requests. Requests
// that arrive are still served, and their connections closed.
func (a *App) StopAccepting() { a.stopping.Store(true) }

// endingConnections sends Connection: close with every answer once the App stops, so that proxies
// know that the connection ends. If it were closed between two requests, the next could already be
// on its way, and proxies do not repeat every request.
func (a *App) endingConnections(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.stopping.Load() && r.Header.Get("Upgrade") == "" {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

// Lost receives an error when the master key of the database was replaced and this process does
// not have the new one. The process must end then: it would report every license as unknown.
func (a *App) Lost() <-chan error { return a.lost }

// OpsHandler serves metrics and profiles; see package ops.
func (a *App) OpsHandler() http.Handler { return ops.Protect(a.opsToken, a.metrics.Handler()) }

// Close stops everything the App started and closes the database. All requests must have ended.
func (a *App) Close(ctx context.Context) error {
	var all []error
	a.stopWork()
	a.background.Wait()
	if a.Operations != nil {
		a.Operations.Close()
	}
	if a.courier != nil {
		a.courier.Close()
	}
	if a.KeyUses != nil {
		a.KeyUses.Close() //nolint:contextcheck // it limits itself to seconds
	}
	if a.Outbox != nil {
		a.Outbox.Close()
	}
	if a.Mail != nil { // before the database, which rendering a mail may need
		draining, cancel := context.WithTimeout(ctx, mailDrain)
		a.Mail.Close(draining)
		cancel()
	}
	if a.external != nil {
		a.external.Close()
	}
	if a.themeApps != nil {
		a.themeApps.Close()
	}
	if a.node != nil {
		all = append(all, a.node.Close(ctx))
	}
	if a.closeChildren != nil { // after the runtimes that use it
		all = append(all, a.closeChildren())
	}
	if a.aside != nil {
		a.aside.Close(ctx)
	}
	if a.redis != nil {
		all = append(all, a.redis.Close())
	}
	if a.copies != nil {
		all = append(all, a.copies.Close())
	}
	if a.media != nil {
		all = append(all, a.media.Close())
	}
	if a.member != nil { // last: the parts above may still have sealed secrets
		leaving, cancel := context.WithTimeout(ctx, leaveWithin)
		_ = a.member.Leave(leaving) // on failure, others count it as present for another minute
		cancel()
	}
	// The telemetry sends its metrics once more, and those of backups are in the database.
	return errors.Join(append(all, a.telemetry.Close(ctx), a.DB.Close())...)
}
