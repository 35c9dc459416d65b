// Package app is the composition root: it puts the parts together into a stoa
// that answers requests. It is the only package that knows every concrete type.
// The serve command and the tests both build the program here, so that what is
// tested is what runs (docs/adr/0002).
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"stoa/internal/account"
	"stoa/internal/account/password"
	"stoa/internal/account/token"
	"stoa/internal/blob"
	"stoa/internal/framing"
	"stoa/internal/gateway"
	"stoa/internal/httpapi"
	"stoa/internal/market"
	"stoa/internal/market/payment"
	"stoa/internal/ops"
	"stoa/internal/plugin"
	"stoa/internal/plugin/install"
	"stoa/internal/runtime"
	"stoa/internal/runtime/external"
	"stoa/internal/runtime/node"
	"stoa/internal/seal"
	"stoa/internal/store"
)

// Config is what an App needs to know. All fields are required unless they say
// otherwise.
type Config struct {
	Log *slog.Logger
	Now func() time.Time

	// Version is that of the program, as plugins and metrics are told.
	Version string

	// DatabaseURL is a postgres:// URL or the path of a SQLite file.
	DatabaseURL string

	// DataDir is the folder for package files, media and the like. It exists.
	DataDir string

	// MasterKey encrypts what must not be readable in the database.
	MasterKey *seal.Key

	// AdminEmail and AdminPassword make an administrator while there is none.
	// Both may be empty.
	AdminEmail, AdminPassword string

	// PasswordPolicy is "standard" (or empty) or "asvs" (account.Policy).
	PasswordPolicy string

	// PasswordCost is what hashing a password takes; password.Default if zero.
	// Tests lower it.
	PasswordCost password.Params

	// ServiceIssuer, with one of ServiceSecret (the HMAC key) and ServicePublicKey
	// (PEM), makes service JWTs of that issuer acceptable (spec A, Authentication
	// 6). All empty: off.
	ServiceIssuer, ServiceSecret, ServicePublicKey string

	// Payments is "test" (or empty), where every payment settles at once, or
	// "live", where paid tiers need a payment provider (CONTRACT 3).
	Payments string

	// PublicURL is where clients and plugins reach this server, without a slash at
	// the end.
	PublicURL string

	// PlatformAPIBaseURL is what plugins are told to call the platform at;
	// PublicURL if empty.
	PlatformAPIBaseURL string

	// DefaultLocale is the BCP 47 tag told to plugins when a client names none; en
	// if empty.
	DefaultLocale string

	// ExternalAllow lists networks that external plugins may be in although they
	// are private or loopback (CONTRACT 5).
	ExternalAllow []netip.Prefix

	// NodePath is the Node.js that runs internal plugins; "node" in PATH if empty.
	NodePath string
}

// App is a stoa that can answer requests.
type App struct {
	Handler http.Handler
	DB      *store.DB
	Market  *market.Service

	Accounts *account.Service

	// Guard recognises requests that state their length twice. The server listens
	// through it.
	Guard *framing.Guard

	node     *node.Runtime     // internal plugins
	external *external.Runtime // external ones
	media    *blob.Files
	metrics  *ops.Metrics
	stopping atomic.Bool
}

// New opens the database, brings its schema up to date and builds the program
// on it. The caller closes the App.
func New(ctx context.Context, cfg Config) (*App, error) {
	db, err := store.Open(cfg.DatabaseURL)
	if err != nil {
		return nil, err
	}
	a := &App{DB: db, Guard: framing.NewGuard(), metrics: ops.NewMetrics(cfg.Version)}
	if err := a.build(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("app: %w", err), db.Close())
	}
	return a, nil
}

func (a *App) build(ctx context.Context, cfg Config) error {
	if _, err := a.DB.Migrate(ctx); err != nil {
		return err
	}
	if err := a.checkMasterKey(ctx, cfg.MasterKey); err != nil {
		return err
	}
	packages := store.NewPlugin(a.DB)
	a.node = node.New(node.Config{Log: cfg.Log, DataDir: cfg.DataDir, NodePath: cfg.NodePath})
	plugins := &plugin.Service{
		Store: packages, Now: cfg.Now, Stopper: a.node,
		Configs: cfg.MasterKey.Box("plugin.config"), Secrets: cfg.MasterKey.Box("plugin.secret"),
	}
	installer := &install.Installer{Plugins: plugins, Paths: packages, DataDir: cfg.DataDir, Log: cfg.Log}
	if err := installer.Sweep(ctx, time.Now()); err != nil { // the age of files is in system time
		cfg.Log.WarnContext(ctx, "leftovers of earlier installs could not be removed", slog.Any("err", err))
	}
	if err := a.buildMarket(cfg); err != nil {
		return err
	}
	if err := a.buildAccounts(ctx, cfg); err != nil {
		return err
	}
	gate, err := a.buildGateway(ctx, cfg, plugins)
	if err != nil {
		return err
	}
	api := &httpapi.Server{
		Log:   cfg.Log,
		Now:   cfg.Now,
		Ready: a.ready,

		Refused: a.Guard.Refused,
		Observe: a.metrics.ObserveRequest,

		Auth:     a.Accounts,
		Accounts: a.Accounts,

		Plugins:   plugins,
		Installer: installer,
		Gateway:   gate,

		Market: a.Market,
		Media:  a.media,
	}
	a.Handler = api.Handler()
	return nil
}

// checkMasterKey refuses a master key that is not the one this database's secrets
// were sealed with: each of them would fail later, one at a time.
func (a *App) checkMasterKey(ctx context.Context, key *seal.Key) error {
	const name = "master_key_check"
	box := key.Box(name)
	stored, err := store.NewSettings(a.DB).Once(ctx, name, box.Seal([]byte(name), name))
	if err != nil {
		return err
	}
	if _, err := box.Open(stored, name); err != nil {
		return errors.New("this database belongs to another master key: set STOA_MASTER_KEY, or bring back the master.key file it was made with")
	}
	return nil
}

// ready returns nil while requests are welcome.
func (a *App) ready(ctx context.Context) error {
	if a.stopping.Load() {
		return errors.New("stopping")
	}
	return a.DB.Ping(ctx)
}

// StopAccepting makes /readyz answer 503, so that a load balancer sends no more
// requests. Those that come are still served.
func (a *App) StopAccepting() { a.stopping.Store(true) }

// OpsHandler serves metrics and profiles; see package ops.
func (a *App) OpsHandler() http.Handler { return a.metrics.Handler() }

// buildAccounts makes the accounts, their signing keys at first start, and the
// administrator of the configuration.
func (a *App) buildAccounts(ctx context.Context, cfg Config) error {
	services, err := token.NewService(cfg.ServiceIssuer, cfg.ServiceSecret, cfg.ServicePublicKey)
	if err != nil {
		return err
	}
	policy, err := account.ParsePolicy(cfg.PasswordPolicy)
	if err != nil {
		return err
	}
	cost := cfg.PasswordCost
	if cost == (password.Params{}) {
		cost = password.Default
	}
	db := store.NewAccount(a.DB)
	a.Accounts = &account.Service{
		Store:  db,
		Ring:   &account.Ring{Store: db, Box: cfg.MasterKey.Box(account.RingPurpose), Now: cfg.Now},
		Hasher: password.NewHasher(cost, password.Limits{}),
		Now:    cfg.Now, Policy: policy, Services: services,
	}
	if err := a.Accounts.Start(ctx); err != nil {
		return err
	}
	created, err := a.Accounts.EnsureAdmin(ctx, cfg.AdminEmail, cfg.AdminPassword)
	if created {
		cfg.Log.InfoContext(ctx, "administrator created", slog.String("email", cfg.AdminEmail))
	}
	return err
}

// buildMarket makes the market and the files it shows.
func (a *App) buildMarket(cfg Config) error {
	media, err := blob.Open(filepath.Join(cfg.DataDir, "media"))
	if err != nil {
		return err
	}
	a.media = media
	a.Market = &market.Service{
		Catalogue: store.NewCatalogue(a.DB), Sales: store.NewSales(a.DB), Media: media,
		Payments: payment.Test{}, Keys: market.NewKeys(cfg.MasterKey), Now: cfg.Now,
	}
	switch cfg.Payments {
	case "", "test":
	case "live":
		a.Market.Payments = payment.None{}
	default:
		return fmt.Errorf("payments: %q is neither test nor live", cfg.Payments)
	}
	return nil
}

// buildGateway makes the way to the plugins.
func (a *App) buildGateway(ctx context.Context, cfg Config, plugins *plugin.Service) (*gateway.Gateway, error) {
	platformID, err := store.NewSettings(a.DB).Once(ctx, "platform_id", uuid.NewString())
	if err != nil {
		return nil, err
	}
	a.external = external.New(external.Config{Log: cfg.Log, Allow: cfg.ExternalAllow})
	return &gateway.Gateway{
		Plugins: plugins, Secrets: plugins, Tokens: a.Accounts, Now: cfg.Now,
		Runtimes: map[plugin.RuntimeType]runtime.Runtime{plugin.External: a.external, plugin.Internal: a.node},
		Platform: gateway.Platform{
			ID: platformID, Version: cfg.Version,
			APIBaseURL: cmp.Or(cfg.PlatformAPIBaseURL, cfg.PublicURL),
			Locale:     cmp.Or(cfg.DefaultLocale, "en"),
		},
	}, nil
}

// Close stops everything the App started and closes the database. Requests must
// have ended before.
func (a *App) Close(ctx context.Context) error {
	if a.external != nil {
		a.external.Close()
	}
	err := errors.Join(a.node.Close(ctx), a.DB.Close())
	if a.media != nil {
		err = errors.Join(err, a.media.Close())
	}
	return err
}
