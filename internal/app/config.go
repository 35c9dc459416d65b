package app

import (
	"log/slog"
	"net/http"
	"net/netip"
	"os/exec"
	"time"

	"stoa/internal/account/password"
	"stoa/internal/base/logline"
	"stoa/internal/data/blob"
	"stoa/internal/extension"
	"stoa/internal/extension/sign"
	"stoa/internal/message/mail"
	"stoa/internal/operate/settings"
	"stoa/internal/run/child"
	"stoa/internal/run/sandbox"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/trust/audit/export"
	"stoa/internal/trust/seal"
)

// Config is the configuration of an App. Fields are required unless their comment says otherwise.
type Config struct {
	Log *slog.Logger
	Now func() time.Time

	// Version is the program's version, for plugins and metrics.
	Version string

	// Commit and CommitDate identify the build, for /livez. Both may be empty.
	Commit, CommitDate string

	// DatabaseURL is a postgres:// URL or the path of a SQLite file.
	DatabaseURL string
	// DatabaseConns is how many connections it gets at most (database.OpenWith); may be 0.
	DatabaseConns int

	// KeepSchema keeps the App from migrating the database: New fails if the schema is not up
	// to date. Commands that run beside a server set it.
	KeepSchema bool

	// DataDir is the folder for package files, media and the like. It exists.
	DataDir string
	// CacheDir is the folder for what can be made again; default cache in DataDir.
	CacheDir string
	// Storage holds package files and media; DataDir is then a cache of it. nil: they are in
	// DataDir only.
	Storage blob.Store
	// MediaCache is about how many bytes of media DataDir caches of a Storage; 0: all media ever
	// requested.
	MediaCache int64
	// StorageURL is the URL that Storage was opened with.
	StorageURL string

	// MasterKey encrypts the secrets in the database. While the master key is being replaced, it
	// holds both keys. No other App may use it.
	MasterKey *seal.Keys
	// NextMasterKey returns the successor of MasterKey if it was configured since the start, or
	// nil. It is called every second, and may be nil.
	NextMasterKey func() (*seal.Key, error)

	// MasterKeySource is where MasterKey comes from, for administrators: "environment" or
	// "file".
	MasterKeySource string

	// AdminEmail and AdminPassword are the credentials of the administrator to create if there
	// is none. Both may be empty.
	AdminEmail, AdminPassword string

	// SignIn are the settings about sign-in that administrators cannot change, because the operator set them.
	SignIn settings.SignIn
	// Demo says that the administrator has a password alone, and that it is right.
	Demo bool
	// PasskeyID is the host name for which browsers make passkeys, and PasskeyOrigins are origins whose pages may ask
	// for them besides PublicURL (passkey.NewParty). Empty: the host of PublicURL.
	PasskeyID      string
	PasskeyOrigins []string

	// AccountDeletionDays is for how many days the deletion of an account can be called off, and RetainBilling how
	// long after an order the bill of a deleted account is kept.
	AccountDeletionDays int
	RetainBilling       time.Duration

	// PasswordCost is the cost of hashing a password; password.Default if zero. Tests lower it.
	PasswordCost password.Params

	// ServiceIssuer, together with ServiceSecret (the HMAC key) or ServicePublicKey
	// (PEM), enables service JWTs of that issuer (contract 2.9). They are
	// disabled if all three are empty.
	ServiceIssuer, ServiceSecret, ServicePublicKey string
	// ServiceAudience, unless empty, must be in the aud of service JWTs.
	ServiceAudience string

	// Witness gets the value of which each JSON answer was made. Tests set it.
	Witness func(r *http.Request, status int, v any)
	// NoFront leaves plain requests to net/http's server (package front).
	NoFront bool

	// RateLimits enables the rate limits of the API.
	RateLimits bool
	// RedisURL is the Redis in which replicas share their rate limits. If it is empty,
	// each replica counts its own requests.
	RedisURL string
	// RedisTimeout is how long a request waits for Redis; 100 ms if zero.
	RedisTimeout time.Duration
	// TrustedProxies are the networks of the proxies whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix

	// Payments is "test" (or empty), where every payment succeeds at once, or "live",
	// where paid tiers need a payment provider (contract 3.4).
	Payments string
	// Stripe configures live payments.
	Stripe StripeConfig
	// Provider replaces Payments and Stripe. Tests set it.
	Provider payment.Provider

	// Leases is how long license leases last; license.DefaultLeaseTerms if zero.
	Leases license.LeaseTerms
	// RenewalLeeway is how long a license that a payment provider renews stays valid after a paid
	// period.
	RenewalLeeway time.Duration

	// DevInstances are the patterns of development instances, which need no seat
	// (license.ParseDevInstances); license.DefaultDevInstances if nil.
	DevInstances []string

	// LicenseChurn is how many new instances a license may get in a day, in addition to its
	// number of seats. 0 means no limit.
	LicenseChurn int

	// PublicURL is the address at which clients and plugins reach this server, without a
	// trailing slash.
	PublicURL string

	// Name is the shop's name on pages and in mails, unless its settings have one. If both are
	// empty, mails name the host of PublicURL.
	Name string

	// AllowedHosts are hosts that requests may be addressed to, besides that of PublicURL and
	// loopback names (hosts.New).
	AllowedHosts []string
	// AnswerAtBoundAddress also allows requests addressed to the IP address at which they
	// arrive: for a stoa without a configured public URL.
	AnswerAtBoundAddress bool

	// CORSOrigins are the origins whose pages may call the API of shops, spelled as browsers
	// spell them, or only "*" for all. If empty, only stoa's own pages may.
	CORSOrigins []string

	// OpsAddr is the address that serves metrics and profiles, as shown to administrators. Empty: none.
	OpsAddr string

	// OpsToken is the bearer token for metrics and profiles. Without it they are served under
	// loopback names only.
	OpsToken string

	// Telemetry sends traces and metrics over OTLP, as configured by OpenTelemetry's environment
	// variables (package telemetry). Servers may set it.
	Telemetry bool

	// AccessLog selects the calls to plugins that are logged: "all" (or empty), "failures" or
	// "off".
	AccessLog string
	// AccessRecords is where they go: nil means to Log.
	AccessRecords *logline.Records

	// MetricsInstallations is how many installations get separate metrics.
	MetricsInstallations int

	// SMTPURL, with SMTPPassword and MailFrom, is the mail server (mail.NewSMTP). Without it, no
	// mail is sent.
	SMTPURL, SMTPPassword, MailFrom string

	// LogMail writes mails to the log, including the secrets in them, if there is no mail server.
	LogMail bool

	// Mailer replaces SMTPURL and LogMail. Tests set it.
	Mailer mail.Sender

	// Deliver makes the App mail due receipts, call lifecycle hooks and send events. Only servers
	// set it: a command on the same database may have another mail server, or none, so a server
	// delivers what the command records.
	Deliver bool

	// Upkeep makes the App do, at its start and regularly, what is due: finish orders, announce the ends
	// of trials and, with Deliver, of licenses, carry out planned changes of accounts, and remove sessions,
	// keys of idempotent requests, operations and files of plugins that have ended. Only servers set it.
	Upkeep bool

	// Hashes returns what computes hashes of passwords in a process of its own (password.ServeAside). nil:
	// the App computes them itself. Servers set it.
	Hashes func() *exec.Cmd

	// BuiltinDir is a folder of plugins to install as built-in ones. It may be empty.
	BuiltinDir string

	// KeepThemeApps makes the App keep the active theme apps running, and end those that are no
	// longer needed. Servers set it.
	KeepThemeApps bool
	// MakeCopies makes copies of accounts that were asked for. Tests make them when they want to.
	MakeCopies bool

	// CheckFiles makes the App compare, in the background, the files of installed packages with
	// their archives, and log a warning if they differ. Servers set it.
	CheckFiles bool

	// PlatformAPIBaseURL is the address at which plugins call the platform; PublicURL
	// if empty.
	PlatformAPIBaseURL string

	// DefaultLocale is the BCP 47 tag that plugins get if a client sends none; en if empty.
	DefaultLocale string

	// ArchiveTypes are further file types that packages may contain (contract 4.2).
	ArchiveTypes extension.Types

	// TrustedKeys are the keys of publishers whose signed packages are accepted. Unsigned packages
	// are always accepted, except from the market.
	TrustedKeys sign.Keys

	// ExternalAllow are private or loopback networks in which external plugins may run
	// (contract 5.13).
	ExternalAllow []netip.Prefix

	// Market lets other stoas install from this one. Only servers set it.
	Market bool

	// MarketAllow are private or loopback networks in which markets may be (contract 9.4).
	MarketAllow []netip.Prefix
	// PollMarkets asks the markets for what is new, about every minute. Tests ask when they want to.
	PollMarkets bool
	// CheckLicenses is how often stoa looks which licenses of packages from markets are due, and checks those;
	// 0: never, for tests that check when they want to.
	CheckLicenses time.Duration

	// BodyMemory limits the memory of all request bodies together, in bytes; 0: no limit.
	BodyMemory int64
	// BodyRate is how fast the body of a call to a plugin must arrive, in bytes per second; 0: no
	// minimum.
	BodyRate int64
	// AddressConnections is how many connections one client address may hold; 0: no limit.
	AddressConnections int

	// HealthInterval is the time between health checks of external plugins; 0: no checks.
	HealthInterval time.Duration

	// PluginIsolation is the least level of containment with which internal plugins run; any if
	// empty.
	PluginIsolation sandbox.Level

	// StartLimit is how long a plugin or theme app may take to start, and how long calls wait for
	// that; 0: the defaults of packages node and themeapp. Tests set it.
	StartLimit time.Duration
	// AnswerLimit is how long a plugin or a webhook may take to answer a hook, an event or the question for
	// what it knows of an account; 0: the defaults of packages delivery and hook. Tests set it.
	AnswerLimit time.Duration
	// ProviderTimeout is how long one request to an identity provider may take; 0: 5 s. Tests set it.
	ProviderTimeout time.Duration
	// MarketTimeout is how long one answer of a market may take; 0: 10 s. Tests set it.
	MarketTimeout time.Duration
	// InnerLimit is how long a metric's read of the database may take (0: two seconds), storing the outcome of a request
	// with an Idempotency-Key (five), sending the last telemetry (five), waiting for the end of a process that broke its
	// connection (one), composing a mail and sending it (ten each; 20 for one that waits in the
	// database), and waiting for the turn to hash a password (ten). Tests set it.
	InnerLimit time.Duration
	// StallLimit is how long a plugin or theme app may block its event loop; 0: the defaults, too. Tests set it.
	StallLimit time.Duration

	// Children starts plugins and theme apps in place of a launcher of the App's own, and is not closed with
	// it: NodePath and PluginIsolation are the launcher's then, and those here must be empty. Tests set it:
	// looking at Node.js takes several starts of it.
	Children *child.Launcher

	// HealthLimit is how long a plugin or theme app that has started may take to get healthy, and an external plugin
	// to say that it is; 0: ten and five seconds. Tests set it.
	HealthLimit time.Duration
	// WriteEvery is how often this process writes something of its own, and how long after a failure that tells that a
	// database can be written again; 0: ten seconds. Tests set it.
	WriteEvery time.Duration

	// PluginErrors shows the error messages of internal plugins to clients: for development.
	PluginErrors bool

	// Development, unless nil, is told what plugins are told, and says where their files are.
	Development *Development

	// AuditStream receives the audit log, entry by entry; nil: none.
	AuditStream export.Destination

	// Backup configures scheduled backups. Servers set it.
	Backup BackupConfig

	// NodePath is the Node.js that runs internal plugins; "node" in PATH if empty.
	NodePath string
}
