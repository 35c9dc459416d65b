package app

import (
	"log/slog"
	"net/netip"
	"time"

	"stoa/internal/account/password"
	"stoa/internal/mail"
	"stoa/internal/market/license"
	"stoa/internal/market/payment"
	"stoa/internal/seal"
)

// Config is what an App needs to know. All fields are required unless they say
// otherwise.
type Config struct {
	Log *slog.Logger
	Now func() time.Time

	// Version is that of the program, as plugins and metrics are told.
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
	// ServiceAudience must be in the aud of service JWTs, if it is not empty.
	ServiceAudience string

	// RateLimits counts requests against the limits of the API. Off, nothing is
	// counted.
	RateLimits bool
	// RedisURL is where replicas share their limits. Empty: each counts for itself.
	RedisURL string
	// RedisTimeout is how long a request waits for Redis; 100 ms if zero.
	RedisTimeout time.Duration
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix

	// Payments is "test" (or empty), where every payment settles at once, or
	// "live", where paid tiers need a payment provider (CONTRACT 3).
	Payments string
	// Stripe takes live payments, if it is configured.
	Stripe StripeConfig
	// Provider takes payments in place of all that. Tests set it.
	Provider payment.Provider

	// Leases is how long license leases last; license.DefaultLeaseTerms if zero.
	Leases license.LeaseTerms

	// DevInstances are the names of development instances, which need no seat
	// (market.ParseDevInstances); market.DefaultDevInstances if nil.
	DevInstances []string

	// LicenseChurn is how many new instances a license may have in a day beyond its
	// number of seats. 0 is no limit.
	LicenseChurn int

	// PublicURL is where clients and plugins reach this server, without a slash at
	// the end.
	PublicURL string

	// Name is the shop's, on pages and in mails. Without one, mails name the host of
	// PublicURL.
	Name string

	// AllowedHosts are hosts that requests may be addressed to, beside that of
	// PublicURL and loopback names (hosts.New).
	AllowedHosts []string
	// AnswerAtBoundAddress answers requests that are addressed to the IP address at
	// which they arrive, too: for a stoa that was given no public URL.
	AnswerAtBoundAddress bool

	// OpsToken is the bearer token of metrics and profiles. Without it they are
	// served under loopback names only.
	OpsToken string

	// SMTPURL, with SMTPPassword and MailFrom, is the server that takes mail
	// (mail.NewSMTP). Without it, no mail is sent.
	SMTPURL, SMTPPassword, MailFrom string

	// LogMail writes mails to the log, with the secrets they hold, if there is no
	// server for them.
	LogMail bool

	// Mailer sends mail in place of all that. Tests set it.
	Mailer mail.Sender

	// DeliverReceipts mails the receipts that are due, as long as the App lives.
	// Only servers do: a command on the same database may know another mail server,
	// or none.
	DeliverReceipts bool

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
