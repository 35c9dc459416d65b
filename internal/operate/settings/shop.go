package settings

import (
	"time"

	"stoa/internal/shop/license"
)

// Mailing says which server takes mail, and who sends it.
type Mailing struct {
	SMTPURL  string `name:"smtp-url"`
	Mail     string
	MailFrom string
}

// ServiceTokens says which JWTs of other services are accepted.
type ServiceTokens struct {
	ServiceJWTIssuer    string
	ServiceJWTPublicKey string
	ServiceJWTAudience  string
}

// Checkout says how purchases are paid.
type Checkout struct {
	Payments          string
	PaymentSuccessURL string
	PaymentCancelURL  string
	StripeAPIBase     string
	StripeTax         string
	StripeInvoices    string
}

// Licenses says how long licenses work without asking stoa, and what takes a seat.
type Licenses struct {
	LeaseTTL      time.Duration
	LeaseGrace    time.Duration
	RenewalLeeway time.Duration
	DevInstances  []string
	LicenseChurn  int
}

var shopRows = []Setting{
	{
		Flag: "smtp-url", Env: "STOA_SMTP_URL", Placeholder: "URL",
		Help: "Mail server: smtp://user@host:587 (STARTTLS) or smtps://user@host:465, with STOA_SMTP_PASSWORD. Without " +
			"it, no mail is sent; see --mail.",
	},
	{
		Flag: "mail", Env: "STOA_MAIL", Values: "log",
		Help: "Without --smtp-url: log writes mails to the log, with password reset links and license keys, for " +
			"development. Otherwise no mail is sent. --demo implies log.",
	},
	{
		Flag: "mail-from", Env: "STOA_MAIL_FROM", Placeholder: "ADDRESS",
		Help: "Sender of mails, such as no-reply@example.com or Shop <no-reply@example.com>.",
	},
	{
		Flag: "service-jwt-issuer", Env: "SERVICE_JWT_ISSUER", Placeholder: "ISSUER",
		Help: "Accept service JWTs with this iss, with the role ADMIN. Requires SERVICE_JWT_SECRET or a public key.",
	},
	{
		Flag: "service-jwt-public-key", Env: "SERVICE_JWT_PUBLIC_KEY", Placeholder: "PEM",
		Help: "Public key that verifies service JWTs, in PEM.",
	},
	{
		Flag: "service-jwt-audience", Env: "SERVICE_JWT_AUDIENCE", Placeholder: "AUDIENCE",
		Help: "Accept only service JWTs whose aud contains this. Without it, aud is not looked at.",
	},
	{
		Flag: "payments", Env: "STOA_PAYMENTS", Values: "test,live",
		Help: "How purchases are paid: test settles every purchase at once without money; live takes money for paid " +
			"tiers with Stripe (STOA_STRIPE_SECRET_KEY, STOA_STRIPE_WEBHOOK_SECRET). Without these, live sells only " +
			"free tiers. Required if the public URL is not a loopback address, or if stoa listens on all addresses " +
			"without one; elsewhere, test is the default.",
	},
	{
		Flag: "payment-success-url", Env: "STOA_PAYMENT_SUCCESS_URL", Placeholder: "URL",
		Help: "Page that buyers return to after paying. {ORDER_ID} in it becomes the order's id. Without it: stoa's own " +
			"page.",
	},
	{
		Flag: "payment-cancel-url", Env: "STOA_PAYMENT_CANCEL_URL", Placeholder: "URL",
		Help: "Page that buyers return to without paying, like --payment-success-url.",
	},
	{
		Flag: "stripe-api-base", Env: "STOA_STRIPE_API_BASE", Default: "https://api.stripe.com", Placeholder: "URL",
		Help: "Base URL of Stripe's API. Change it only for tests, for example with stripe-mock.",
	},
	{
		Flag: "stripe-tax", Env: "STOA_STRIPE_TAX", Default: "off", Values: "off,inclusive,exclusive",
		Help: "Lets Stripe compute tax (Stripe Tax) and collect the buyer's address and tax id: from prices that include " +
			"it (inclusive), or on top of them (exclusive). Does nothing without Stripe.",
	},
	{
		Flag: "stripe-invoices", Env: "STOA_STRIPE_INVOICES", Default: "off", Values: "off,on",
		Help: "With on, Stripe makes an invoice of every payment, which the order shows, and a credit note of every " +
			"refund. Does nothing without Stripe.",
	},
	{
		Flag: "lease-ttl", Env: "STOA_LEASE_TTL", Default: "168h",
		Bounds: durations(license.MinLeaseTTL, license.MaxLeaseTTL),
		Help: "How long a license lease is valid before the app must check again: {bounds}. A revoked license or " +
			"freed instance keeps working offline for as long.",
	},
	{
		Flag: "lease-grace", Env: "STOA_LEASE_GRACE", Default: "72h", Bounds: durations(0, license.MaxLeaseGrace),
		Help: "How long after that the app may keep running while it warns its user: {bounds}.",
	},
	{
		Flag: "renewal-leeway", Env: "STOA_RENEWAL_LEEWAY", Default: "24h", Bounds: durations(0, license.MaxLeeway),
		Help: "How long a license that a payment provider renews goes on after a paid period, unless the provider said " +
			"that the renewal failed or that there is none: {bounds}. Applies to the periods paid from now on.",
	},
	{
		Flag: "dev-instances", Env: "STOA_DEV_INSTANCES", Default: "localhost,*.localhost,*.test", Placeholder: "PATTERN",
		Help: "Development instances, which take no seat of a license: host names, or patterns such as *.test for every " +
			"name below test. The value none turns them off.",
	},
	{
		Flag: "license-churn", Env: "STOA_LICENSE_CHURN", Default: "20", Bounds: numbers(0, license.MaxChurn),
		Help: "How many new instances a license may have per day beyond its number of seats. Prevents passing one seat " +
			"around. 0 means no limit.",
	},
}
