package app

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"stoa/internal/data/blob/s3"
	"stoa/internal/keep/backup"
	"stoa/internal/operate/settings"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment/stripe"
	"stoa/internal/trust/audit/export"
)

// FromServe returns the configuration for stoa serve from its checked settings. The fields that depend
// on the data folder are not set: database, master key and storage (see Config.Open).
func FromServe(s settings.Serve, site settings.Site) (Config, error) {
	if _, err := s.AccountRules(); err != nil {
		return Config{}, err
	}
	cfg := Config{
		PublicURL: site.PublicURL, Payments: site.Payments,
		AllowedHosts: site.AllowedHosts, AnswerAtBoundAddress: site.AnswerAtBoundAddress,
		Name: strings.TrimSpace(s.Name), DefaultLocale: s.Locale,
		OpsToken:   settings.OpsToken.Value(),
		AdminEmail: s.AdminEmail, AdminPassword: settings.AdminPassword.Value(),
		AccountDeletionDays: s.AccountDeletionDays, RetainBilling: s.RetainBilling,
		SignIn: s.SignIn(), Demo: s.Demo, PasskeyID: s.PasskeyRPID, PasskeyOrigins: s.PasskeyOrigins,
		AccessLog: s.AccessLog, MetricsInstallations: s.MetricsInstallations, Telemetry: s.Telemetry == "otlp",
		SMTPURL: s.SMTPURL, SMTPPassword: settings.SMTPPassword.Value(), MailFrom: s.MailFrom,
		LogMail:       s.Demo || s.Mail == "log",
		ServiceIssuer: s.ServiceJWTIssuer, ServiceSecret: settings.ServiceSecret.Value(),
		ServicePublicKey: s.ServiceJWTPublicKey, ServiceAudience: s.ServiceJWTAudience,
		NoFront:    s.Front == "off",
		RateLimits: s.RateLimits == "on", RedisURL: s.RedisURL, TrustedProxies: s.TrustedProxies,
		Deliver: true, Upkeep: true, CheckFiles: true, KeepThemeApps: true, MakeCopies: true, PollMarkets: true,
		CheckLicenses: 5 * time.Second,
		Leases:        license.LeaseTerms{TTL: s.LeaseTTL, Grace: s.LeaseGrace}, RenewalLeeway: s.RenewalLeeway,
		DevInstances: s.DevInstances, LicenseChurn: s.LicenseChurn,
		Stripe: StripeConfig{
			SecretKey: settings.StripeKey.Value(), WebhookSecret: settings.StripeWebhookSecret.Value(),
			APIBase: s.StripeAPIBase, SuccessURL: s.PaymentSuccessURL, CancelURL: s.PaymentCancelURL,
			Tax: stripe.TaxBehavior(strings.TrimPrefix(s.StripeTax, "off")), Invoices: s.StripeInvoices == "on",
		},
		BodyMemory: s.BodyMemory << 20, BodyRate: s.BodyRate, MediaCache: s.MediaCache << 20,
		AddressConnections: s.AddressConnections, HealthInterval: s.HealthInterval,
		ExternalAllow: s.ExternalAllow, MarketAllow: s.MarketAllow, BuiltinDir: s.BuiltinDir,
		Market: s.Market.Market == "on", NodePath: s.Node, PluginIsolation: s.Isolation(),
		PluginErrors: s.PluginErrors == "shown" || s.Demo,
	}
	if s.OpsAddr != "off" {
		cfg.OpsAddr = s.OpsAddr
	}
	if s.Demo {
		cfg.ExternalAllow = append(cfg.ExternalAllow, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	var faults [5]error
	cfg.CORSOrigins, faults[0] = s.Origins()
	cfg.TrustedKeys, faults[1] = s.Keys()
	cfg.ArchiveTypes, faults[2] = s.FileTypes()
	cfg.Backup, faults[3] = backups(s.Backups)
	if s.AuditStream != "" {
		cfg.AuditStream, faults[4] = export.Open(s.AuditStream, settings.AuditStreamToken.Value())
	}
	return cfg, errors.Join(faults[:]...)
}

// backups returns the configuration of scheduled backups: empty without a place for them.
func backups(b settings.Backups) (BackupConfig, error) {
	lock, err := BackupLock(b.BackupLock)
	if err != nil || b.BackupDir == "" && b.BackupURL == "" {
		return BackupConfig{}, err
	}
	place, err := BackupPlace(b.BackupPlace)
	if err != nil {
		return BackupConfig{}, err
	}
	cfg := BackupConfig{
		Place: place, Every: b.BackupEvery, Keep: b.BackupKeep, VerifyEvery: b.BackupVerifyEvery,
		Key: backup.Key{Passphrase: lock.Passphrase}, Scratch: b.BackupScratch, Lock: lock,
	}
	if len(lock.Recipients) > 0 {
		cfg.VerifyEvery = 0 // the server cannot open them
	}
	return cfg, nil
}

// BackupLock returns who can open backups.
func BackupLock(l settings.BackupLock) (backup.Lock, error) {
	lock := backup.Lock{Recipients: l.BackupRecipients, Passphrase: settings.BackupPassphrase.Value()}
	return lock, lock.Check()
}

// BackupPlace returns the place for backups in a folder or in object storage, of which one is set.
func BackupPlace(p settings.BackupPlace) (backup.Place, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.BackupDir != "" {
		return backup.Folder(p.BackupDir), nil
	}
	bucket, err := s3.Open(p.BackupURL, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("--backup-url: %w", err)
	}
	return backup.Objects{Bucket: bucket}, nil
}
