package app

import (
	"log/slog"
	"net/netip"
	"time"

	"stoa/internal/account/password"
	"stoa/internal/data/blob"
	"stoa/internal/extension"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/sign"
	"stoa/internal/message/mail"
	"stoa/internal/run/sandbox"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/trust/audit/export"
	"stoa/internal/trust/seal"
)

// Config is the configuration of an App. Fields are required unless they say otherwise.
type Config struct {
	Log *slog.Logger
	Now func() time.Time

	// Version is the program's version, for plugins and metrics.
	Version string

	// Commit and CommitDate say what the program was built from, for /livez. Both may
	// be empty.
	Commit, CommitDate string

	// DatabaseURL is a postgres:// URL or the path of a SQLite file.
	DatabaseURL string

	// KeepSchema leaves the database's schema as it is: New fails if it is not up to
	// date. Commands beside a running server set it.
	KeepSchema bool

	// DataDir is the folder for package files, media and the like. It exists.
	DataDir string
	// Storage keeps package files and media, and DataDir is a cache of it. nil: they are in
	// DataDir only.
	Storage blob.Store
	// MediaCache is about how many bytes of media DataDir keeps with a Storage; 0: all that were
	// asked for.
	MediaCache int64
	// StorageURL is the URL that Storage was opened with.
	StorageURL string

	// MasterKey encrypts the secrets in the database. While the master key is replaced, it has
	// both keys. No other App may use it.
	MasterKey *seal.Keys
	// NextMasterKey returns a key that replaces MasterKey or has replaced it, and became known
	// since the start, or nil. It is called every second, and may be nil.
	NextMasterKey func() (*seal.Key, error)

	// MasterKeySource is where MasterKey comes from, for administrators: "environment" or
	// "file".
	MasterKeySource string

	// AdminEmail and AdminPassword are those of an administrator to create if there is
	// none. Both may be empty.
	AdminEmail, AdminPassword string

	// PasswordPolicy is "standard" (or empty) or "asvs" (account.Policy).
	PasswordPolicy string

	// PasswordCost is the cost of hashing a password; password.Default if zero. Tests
	// lower it.
	PasswordCost password.Params

	// ServiceIssuer, together with ServiceSecret (the HMAC key) or ServicePublicKey
	// (PEM), enables service JWTs of that issuer (contract 2.9). They are
	// disabled if all three are empty.
	ServiceIssuer, ServiceSecret, ServicePublicKey string
	// ServiceAudience must be in the aud of service JWTs, if it is not empty.
	ServiceAudience string

	// NoFront leaves plain calls to plugins to net/http's server (package front).
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
	// Stripe takes live payments, if it is configured.
	Stripe StripeConfig
	// Provider takes payments instead of Payments and Stripe. Tests set it.
	Provider payment.Provider

	// Leases is how long license leases last; license.DefaultLeaseTerms if zero.
	Leases license.LeaseTerms
	// RenewalLeeway is how long licenses that a payment provider renews go on after a paid period.
	RenewalLeeway time.Duration

	// DevInstances are the patterns of development instances, which need no seat
	// (license.ParseDevInstances); license.DefaultDevInstances if nil.
	DevInstances []string

	// LicenseChurn is how many new instances a license may get in a day, beyond its
	// number of seats. 0 means no limit.
	LicenseChurn int

	// PublicURL is the address at which clients and plugins reach this server, without
	// a slash at the end.
	PublicURL string

	// Name is the shop's, on pages and in mails, while its settings have none. Without one,
	// mails name the host of PublicURL.
	Name string

	// AllowedHosts are hosts that requests may be addressed to, beside that of
	// PublicURL and loopback names (hosts.New).
	AllowedHosts []string
	// AnswerAtBoundAddress answers requests that are addressed to the IP address at
	// which they arrive, too: for a stoa that was given no public URL.
	AnswerAtBoundAddress bool

	// CORSOrigins are the origins whose pages may call the API of shops, spelled as
	// browsers do, or "*" alone for all. Without any, only stoa's own pages may.
	CORSOrigins []string

	// OpsAddr is where metrics and profiles are served, for administrators. Empty: nowhere.
	OpsAddr string

	// OpsToken is the bearer token of metrics and profiles. Without it they are
	// served under loopback names only.
	OpsToken string

	// Telemetry sends traces and metrics over OTLP, as OpenTelemetry's variables in the
	// environment say (package telemetry). Servers may.
	Telemetry bool

	// AccessLog says which calls to plugins are logged: "all" (or empty), "failures" or
	// "off".
	AccessLog string

	// MetricsInstallations is how many installations have metrics of their own.
	MetricsInstallations int

	// SMTPURL, with SMTPPassword and MailFrom, is the server that takes mail
	// (mail.NewSMTP). Without it, no mail is sent.
	SMTPURL, SMTPPassword, MailFrom string

	// LogMail writes mails to the log, with the secrets they hold, if there is no
	// server for them.
	LogMail bool

	// Mailer sends mail in place of all that. Tests set it.
	Mailer mail.Sender

	// Deliver makes the App mail the receipts that are due, call lifecycle hooks and send
	// events. Only servers do: a command on the same database may be configured with another
	// mail server, or none, and what it records is delivered by a server.
	Deliver bool

	// BuiltinDir is a folder of plugins that are installed as built-in ones. It may be
	// empty.
	BuiltinDir string

	// KeepThemeApps makes the App keep the active theme apps running, and end those that
	// are not needed any more. Servers do.
	KeepThemeApps bool

	// CheckFiles makes the App compare, in the background, the files of installed packages
	// with their archives, and warn in the log of those that were changed. Servers do.
	CheckFiles bool

	// PlatformAPIBaseURL is the address at which plugins call the platform; PublicURL
	// if empty.
	PlatformAPIBaseURL string

	// DefaultLocale is the BCP 47 tag that plugins get if a client states none; en if
	// empty.
	DefaultLocale string

	// ArchiveTypes are file types that packages may have besides the allowed ones (contract 4.2).
	ArchiveTypes extension.Types

	// TrustedKeys are the publishers whose signed packages are accepted. Packages without
	// a signature are accepted in any case, except from the market.
	TrustedKeys sign.Keys

	// ExternalAllow are private or loopback networks in which external plugins may be
	// nevertheless (contract 5.13).
	ExternalAllow []netip.Prefix

	// BodyMemory bounds the memory of the bodies of all requests together, in bytes; 0: no
	// bound.
	BodyMemory int64
	// BodyRate is how fast the body of a call to a plugin must arrive, in bytes per second;
	// 0: at any rate.
	BodyRate int64
	// AddressConnections is how many connections one client address may hold; 0: any number.
	AddressConnections int

	// HealthInterval is how often external plugins are asked for their health; 0: never.
	HealthInterval time.Duration

	// PluginIsolation is the level of containment below which internal plugins do not
	// run; any if empty.
	PluginIsolation sandbox.Level

	// StartLimit bounds how long a plugin or theme app takes to start, and how long calls
	// wait for that; 0: the defaults of packages node and themeapp. Tests set it.
	StartLimit time.Duration

	// PluginErrors shows clients what errors of internal plugins say: for
	// development.
	PluginErrors bool

	// Finder wraps the look-up of instances that are called; nil leaves it as it is.
	Finder func(plugin.Finder) plugin.Finder

	// AuditStream takes the audit log, entry by entry; nil: it is not sent anywhere.
	AuditStream export.Destination

	// Backup says which backups the App makes. Servers make some.
	Backup BackupConfig

	// NodePath is the Node.js that runs internal plugins; "node" in PATH if empty.
	NodePath string
}
