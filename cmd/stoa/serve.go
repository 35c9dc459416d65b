package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"stoa/internal/app"
	"stoa/internal/app/demo"
	"stoa/internal/edge/front"
)

type serveCmd struct {
	storage
	logging

	Addr    string `help:"Address of the public API." default:"127.0.0.1:8080" env:"STOA_ADDR"`
	OpsAddr string `help:"Address of /metrics and /debug/pprof, or off. Keep it private. Beyond loopback names it answers only with STOA_OPS_TOKEN." default:"127.0.0.1:8081" env:"STOA_OPS_ADDR"`
	watching
	Demo bool `help:"Start with example products, plugins and an administrator, whose random password is printed once and kept in demo/admin-password in the data folder. Loopback addresses only." env:"STOA_DEMO"`

	Name         string   `help:"The shop's name on pages and in mails, at most 64 characters, while the shop's settings have none. Without both, mails name the host of --public-url." env:"STOA_NAME"`
	PublicURL    string   `help:"URL at which clients and plugins reach this server. Without it: http:// and the address in --addr." env:"STOA_PUBLIC_URL" name:"public-url" placeholder:"URL"`
	AllowedHosts []string `help:"Other host names and IP addresses under which clients reach this server, without ports. The host of --public-url and loopback names are always answered; without --public-url, so are the addresses listened on." env:"STOA_ALLOWED_HOSTS" placeholder:"HOST"`
	CORSOrigins  []string `help:"Origins whose pages may call the API of shops from a browser, such as https://www.example.com, or * for all (docs/browser-apps.md). Without it, only stoa's own pages may." env:"STOA_CORS_ORIGINS" name:"cors-origins" placeholder:"ORIGIN"`

	StopDelay   time.Duration `help:"How long to keep accepting requests after a stop signal, while /readyz answers 503. Set it to the time your load balancer needs to notice." default:"0s" env:"STOA_STOP_DELAY"`
	StopTimeout time.Duration `help:"How long running requests may take to finish after a stop signal." default:"20s" env:"STOA_STOP_TIMEOUT"`

	AdminEmail string `help:"Create this administrator if there is none, with the password in STOA_ADMIN_PASSWORD." env:"STOA_ADMIN_EMAIL" placeholder:"ADDRESS"`
	passwords

	SMTPURL  string `help:"Mail server: smtp://user@host:587 (STARTTLS) or smtps://user@host:465, with STOA_SMTP_PASSWORD. Without it, no mail is sent; see --mail." env:"STOA_SMTP_URL" name:"smtp-url" placeholder:"URL"`
	Mail     string `help:"Without --smtp-url: log writes mails to the log, with password reset links and license keys, for development. Otherwise no mail is sent. --demo implies log." enum:",log" default:"" env:"STOA_MAIL"`
	MailFrom string `help:"Sender of mails, such as no-reply@example.com or Shop <no-reply@example.com>." env:"STOA_MAIL_FROM" placeholder:"ADDRESS"`

	ServiceIssuer    string `help:"Accept service JWTs with this iss, with the role ADMIN. Requires SERVICE_JWT_SECRET or a public key." env:"SERVICE_JWT_ISSUER" name:"service-jwt-issuer" placeholder:"ISSUER"`
	ServicePublicKey string `help:"Public key that verifies service JWTs, in PEM." env:"SERVICE_JWT_PUBLIC_KEY" name:"service-jwt-public-key" placeholder:"PEM"`

	ServiceAudience string `help:"Accept only service JWTs whose aud contains this. Without it, aud is not looked at." env:"SERVICE_JWT_AUDIENCE" name:"service-jwt-audience" placeholder:"AUDIENCE"`

	RateLimits     string         `help:"Whether to enforce the API's rate limits: on, or off for load tests." enum:"on,off" default:"on" env:"STOA_RATE_LIMITS"`
	RedisURL       string         `help:"redis:// URL through which replicas share rate limits. Without it, each counts on its own. With a password, use the variable, or name a file with the URL in STOA_REDIS_URL_FILE." env:"STOA_REDIS_URL" name:"redis-url" placeholder:"URL"`
	TrustedProxies []netip.Prefix `help:"Networks of your own proxies. Their X-Forwarded-For is trusted for the client's address." env:"STOA_TRUSTED_PROXIES" placeholder:"CIDR"`

	Payments string `help:"How purchases are paid: test settles every purchase at once without money; live takes money for paid tiers with Stripe (STOA_STRIPE_SECRET_KEY, STOA_STRIPE_WEBHOOK_SECRET). Without these, live sells only free tiers. Required if the public URL is not a loopback address, or if stoa listens on all addresses without one; elsewhere, test is the default." enum:",test,live" default:"" env:"STOA_PAYMENTS"`

	PaymentSuccessURL string `help:"Page that buyers return to after paying. {ORDER_ID} in it becomes the order's id. Without it: stoa's own page." env:"STOA_PAYMENT_SUCCESS_URL" name:"payment-success-url" placeholder:"URL"`
	PaymentCancelURL  string `help:"Page that buyers return to without paying, like --payment-success-url." env:"STOA_PAYMENT_CANCEL_URL" name:"payment-cancel-url" placeholder:"URL"`
	StripeAPIBase     string `help:"Base URL of Stripe's API. Change it only for tests, for example with stripe-mock." default:"https://api.stripe.com" env:"STOA_STRIPE_API_BASE" name:"stripe-api-base" placeholder:"URL"`

	LeaseTTL   time.Duration `help:"How long a license lease is valid before the app must check again: 1m to 8760h. A revoked license or freed instance keeps working offline for as long." default:"168h" env:"STOA_LEASE_TTL" name:"lease-ttl"`
	LeaseGrace time.Duration `help:"How long after that the app may keep running while it warns its user: 0s to 720h." default:"72h" env:"STOA_LEASE_GRACE" name:"lease-grace"`

	RenewalLeeway time.Duration `help:"How long a license that a payment provider renews goes on after a paid period, unless the provider said that the renewal failed or that there is none: 0s to 720h. Applies to the periods paid from now on." default:"24h" env:"STOA_RENEWAL_LEEWAY" name:"renewal-leeway"`

	DevInstances []string `help:"Development instances, which take no seat of a license: host names, or patterns such as *.test for every name below test. The value none turns them off." default:"localhost,*.localhost,*.test" env:"STOA_DEV_INSTANCES" placeholder:"PATTERN"`
	LicenseChurn int      `help:"How many new instances a license may have per day beyond its number of seats. Prevents passing one seat around. 0 means no limit." default:"20" env:"STOA_LICENSE_CHURN"`

	limits

	ExternalAllow []netip.Prefix `help:"Private or loopback networks that external plugins may be in, such as 10.1.0.0/16,..." env:"STOA_EXTERNAL_ALLOW" placeholder:"CIDR"`
	ArchiveTypes  string         `help:"More file types that packages may contain, by kind: plugin=.md,LICENSE;theme-shop=.svg,.png. Executables are never allowed." env:"STOA_ARCHIVE_TYPES" placeholder:"KIND=TYPES"`
	BuiltinDir    string         `help:"Folder with archives of plugins that every start installs or upgrades, and that cannot be uninstalled." env:"STOA_BUILTIN_DIR" name:"builtin-dir" placeholder:"DIR" type:"existingdir"`
	trusted
	backups
	auditStream
	Node         string `help:"Node.js (20.19 or newer) that runs internal plugins." default:"node" env:"STOA_NODE"`
	Isolation    string `help:"How well the operating system must contain internal plugins: full or basic. They do not run where it is less. By default full on Linux, and basic elsewhere and with --demo." enum:",full,basic" default:"" env:"STOA_PLUGIN_ISOLATION" name:"plugin-isolation" placeholder:"LEVEL"`
	PluginErrors string `help:"Whether clients see the message of an internal plugin's error: hidden (a fixed text; the log has the error) or shown, for development. Shown with --demo." enum:"hidden,shown" default:"hidden" env:"STOA_PLUGIN_ERRORS"`
	Locale       string `help:"Locale sent to plugins if the client names none." default:"en" env:"STOA_LOCALE"`
}

// Run serves until ctx is done, then lets running requests finish, ends the
// plugins' processes and returns nil.
func (c serveCmd) Run(ctx context.Context, std streams) (err error) {
	tuneMemory()
	log := c.logger(std.err)
	redis.SetLogger(silent{}) // what matters of Redis is in our log, in its form
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("%w (choose another with --addr)", err)
	}
	defer ln.Close() // a no-op once served
	at, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	cfg, err := c.appConfig(log, at, ln.Addr())
	if err != nil {
		return err
	}
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

	if err := c.settings(cfg, a.PlatformID).write(c.Data); err != nil {
		return fmt.Errorf("keep the settings for other commands: %w", err)
	}

	group := &servers{
		log: log, delay: c.StopDelay, grace: c.StopTimeout, lost: a.Lost(),
		beforeStop: a.StopAccepting, drain: a.Drain, finish: a.FinishCalls,
	}
	group.start(ctx, a.Listen(ln), a.Handler)
	if c.OpsAddr != "off" {
		opsLn, err := new(net.ListenConfig).Listen(ctx, "tcp", c.OpsAddr)
		if err != nil {
			return errors.Join(fmt.Errorf("%w (choose another with --ops-addr, or off)", err), group.stop(ctx))
		}
		if cfg.OpsToken == "" {
			warnOfOpenOps(ctx, log, opsLn.Addr())
		}
		group.start(ctx, opsLn, a.OpsHandler())
	}
	if err := offerSetup(ctx, a, cfg.PublicURL, log, std); err != nil {
		return errors.Join(err, group.stop(ctx))
	}
	log.InfoContext(ctx, "listening", slog.String("url", "http://"+ln.Addr().String()), slog.String("ops", c.OpsAddr),
		slog.String("database", withoutPassword(cfg.DatabaseURL)),
		slog.String("storage", cmp.Or(cfg.StorageURL, onDisk)), slog.String("payments", cfg.Payments),
		slog.String("version", version()))
	notify(ctx, log, notifyReady)

	// In the background: it starts Node.js, and what is wrong is logged.
	var checking sync.WaitGroup
	checking.Go(func() { _ = a.CheckPlugins() }) //nolint:contextcheck // it limits itself to seconds
	defer checking.Wait()

	if c.Demo {
		d := &demo.Demo{
			URL: "http://" + ln.Addr().String(), Dir: c.Data, Node: c.Node, Admin: admin, Catalog: a.Catalog,
			Secrets: a.Plugins, Log: log, Client: demo.NewClient(),
		}
		stopDemo, err := d.Start(ctx)
		if err != nil {
			return errors.Join(fmt.Errorf("demo: %w", err), group.stop(ctx))
		}
		defer stopDemo()
		fmt.Fprint(std.out, d.Welcome())
	}
	return group.wait(ctx)
}

// settings returns what other commands on this data folder need to know.
func (c serveCmd) settings(cfg app.Config, databaseID string) served {
	return served{
		Database: recorded(cfg.DatabaseURL, c.Data), DatabaseID: databaseID, Storage: cfg.StorageURL,
		PasswordPolicy: c.PasswordPolicy, Payments: cfg.Payments, PublicURL: cfg.PublicURL, Version: version(),
	}
}

// silent drops what the Redis library would write to standard error.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// servers are the HTTP servers of one process, started and stopped together.
type servers struct {
	log        *slog.Logger
	delay      time.Duration // from beforeStop until no more connections are accepted
	grace      time.Duration // for running requests
	beforeStop func()
	drain      func()                      // when no more connections are accepted
	lost       <-chan error                // gives an error when the process can serve no longer
	finish     func(context.Context) error // returns when all calls have ended, or cuts them off

	running []*http.Server
	failed  chan error
}

// lastAnswers is for how long at least requests are served after beforeStop: connections that are
// in use end with an answer then, and only those that nobody has used for so long are closed.
const lastAnswers = 500 * time.Millisecond

// start serves h on ln until stop.
func (s *servers) start(ctx context.Context, ln net.Listener, h http.Handler) {
	if s.failed == nil {
		s.failed = make(chan error, 2)
	}
	srv := &http.Server{ //nolint:gosec // front.Setup sets the limits
		Handler: h,
		// OPTIONS * is answered like any other address that does not exist.
		DisableGeneralOptionsHandler: true,
		// Running requests outlive the signal that asks the server to stop.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	front.Setup(srv)
	srv.RegisterOnShutdown(s.drain)
	s.running = append(s.running, srv)
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
}

// wait returns when ctx is done and every running request has ended, or when a
// server fails or the process is lost.
func (s *servers) wait(ctx context.Context) error {
	select {
	case err := <-s.failed:
		return errors.Join(err, s.stop(ctx))
	case err := <-s.lost:
		return errors.Join(err, s.stop(ctx))
	case <-ctx.Done():
		s.log.InfoContext(ctx, "stopping; press again to stop at once")
		notify(ctx, s.log, notifyStopping)
		s.beforeStop()
		time.Sleep(max(s.delay, lastAnswers))
		return s.stop(ctx)
	}
}

// stop ends the servers. Requests that outlast the grace are cut off.
func (s *servers) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
	defer cancel()
	var all error
	for _, srv := range s.running {
		if err := srv.Shutdown(ctx); err != nil {
			s.log.WarnContext(ctx, "requests cut off: they did not end in time", slog.Any("err", err))
			all = errors.Join(all, srv.Close())
		}
	}
	if err := s.finish(ctx); err != nil {
		s.log.WarnContext(ctx, "calls to plugins cut off: they did not end in time", slog.Any("err", err))
	}
	return all
}
