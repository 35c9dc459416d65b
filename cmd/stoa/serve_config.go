package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/app"
	"stoa/internal/extension"
	"stoa/internal/operate/ops"
	"stoa/internal/run/sandbox"
	"stoa/internal/shop/license"
)

// appConfig turns flags and environment into what the App needs.
func (c serveCmd) appConfig(log *slog.Logger, database string, addr net.Addr) (cfg app.Config, err error) {
	cfg = c.config(log, database)
	cfg.Leases = license.LeaseTerms{TTL: c.LeaseTTL, Grace: c.LeaseGrace}
	cfg.RenewalLeeway = c.RenewalLeeway
	if err := c.applyPublicURL(&cfg, addr); err != nil {
		return cfg, err
	}
	c.applyHosts(&cfg)
	if cfg.CORSOrigins, err = checkOrigins(c.CORSOrigins); err != nil {
		return cfg, err
	}
	if cfg.OpsToken = os.Getenv(envOpsToken); c.OpsAddr != "off" {
		cfg.OpsAddr = c.OpsAddr
	}
	if n := len(cfg.OpsToken); n > 0 && n < ops.MinToken {
		return cfg, fmt.Errorf("%s has %d characters, fewer than %d", envOpsToken, n, ops.MinToken)
	}
	cfg.AdminEmail, cfg.AdminPassword = c.AdminEmail, os.Getenv(envAdminPassword)
	c.passwords.apply(&cfg)
	c.watching.apply(&cfg)
	if err := c.backups.apply(&cfg); err != nil {
		return cfg, err
	}
	if err := c.auditStream.apply(&cfg); err != nil {
		return cfg, err
	}
	if cfg.SMTPURL, cfg.SMTPPassword, cfg.MailFrom = c.SMTPURL, os.Getenv(envSMTPPassword), c.MailFrom; c.SMTPURL != "" &&
		c.PublicURL == "" {
		return cfg, errors.New("--smtp-url needs --public-url: mails contain links to it")
	}
	cfg.LogMail = c.Demo || c.Mail == "log"
	cfg.ServiceIssuer, cfg.ServiceSecret, cfg.ServicePublicKey = c.ServiceIssuer, os.Getenv(envServiceSecret),
		c.ServicePublicKey
	cfg.ServiceAudience = c.ServiceAudience
	cfg.RateLimits, cfg.RedisURL, cfg.TrustedProxies = c.RateLimits == "on", c.RedisURL, c.TrustedProxies
	cfg.Deliver, cfg.CheckFiles, cfg.KeepThemeApps = true, true, true
	cfg.DevInstances, cfg.LicenseChurn = c.DevInstances, c.LicenseChurn
	cfg.Stripe = app.StripeConfig{
		SecretKey: os.Getenv(envStripeKey), WebhookSecret: os.Getenv(envStripeWebhookSecret), APIBase: c.StripeAPIBase,
		SuccessURL: c.PaymentSuccessURL, CancelURL: c.PaymentCancelURL,
	}
	if cfg.TrustedKeys, err = c.keys(); err != nil {
		return cfg, err
	}
	if err := c.bound(&cfg); err != nil {
		return cfg, err
	}
	cfg.ExternalAllow = c.ExternalAllow
	if cfg.ArchiveTypes, err = extension.ParseTypes(c.ArchiveTypes); err != nil {
		return cfg, fmt.Errorf("--archive-types: %w", err)
	}
	cfg.BuiltinDir = c.BuiltinDir
	cfg.NodePath, cfg.PluginIsolation = c.Node, c.isolation()
	cfg.PluginErrors = c.PluginErrors == "shown" || c.Demo
	cfg.DefaultLocale = c.Locale
	if c.Demo {
		tcp, ok := addr.(*net.TCPAddr)
		if !ok || !tcp.IP.IsLoopback() {
			return cfg, errors.New("--demo is for trying stoa on one machine, so it listens on loopback addresses only")
		}
		cfg.ExternalAllow = append(cfg.ExternalAllow, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	if err := c.open(&cfg); err != nil {
		return cfg, err
	}
	return cfg, nil
}

// isolation returns the level that plugins need to run.
func (c serveCmd) isolation() sandbox.Level {
	switch {
	case c.Isolation != "":
		return sandbox.Level(c.Isolation)
	case c.Demo || runtime.GOOS != "linux":
		return sandbox.Basic
	}
	return sandbox.Full
}

// applyPublicURL sets where clients reach this server, and how it is paid there: a
// shop that others reach must not sell for free by default.
func (c serveCmd) applyPublicURL(cfg *app.Config, addr net.Addr) error {
	cfg.PublicURL, cfg.Payments = localURL(addr), c.Payments
	if c.PublicURL != "" {
		clean, warning, err := checkPublicURL(c.PublicURL)
		if err != nil {
			return err
		}
		if warning != "" {
			cfg.Log.Warn(warning, slog.String("publicUrl", clean))
		}
		cfg.PublicURL = clean
	}
	_, host, _ := strings.Cut(cfg.PublicURL, "://")
	at := cfg.PublicURL
	tcp, ok := addr.(*net.TCPAddr)
	everywhere := c.PublicURL == "" && ok && tcp.IP.IsUnspecified() && !c.Demo // localURL names loopback then
	if everywhere {
		at = addr.String()
	}
	if cfg.Payments == "" && (everywhere || !isLoopback(hostOf(host))) {
		return fmt.Errorf("choose how purchases at %s are paid: --payments live takes money with Stripe, --payments test "+
			"sells without money", at)
	}
	cfg.Payments = cmp.Or(cfg.Payments, "test")
	if cfg.Payments == "test" {
		cfg.Log.Warn("test payments: every purchase is settled at once, without money",
			slog.String("setting", "STOA_PAYMENTS"))
	}
	return nil
}

// applyHosts sets the shop's name and the hosts under which clients reach it.
func (c serveCmd) applyHosts(cfg *app.Config) {
	cfg.Name, cfg.AllowedHosts = strings.TrimSpace(c.Name), c.AllowedHosts
	if c.PublicURL != "" {
		return
	}
	cfg.AnswerAtBoundAddress = true
	if host, _, err := net.SplitHostPort(c.Addr); err == nil && isName(host) {
		cfg.AllowedHosts = append(slices.Clone(c.AllowedHosts), host)
	}
}

// isName reports whether the host of an address to listen on is a name.
func isName(host string) bool {
	_, err := netip.ParseAddr(host)
	return host != "" && err != nil
}

// localURL returns a URL of addr that works on this machine: where everything is
// listened on, nothing but a name can be linked to.
func localURL(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return "http://localhost:" + strconv.Itoa(tcp.Port)
	}
	return "http://" + addr.String()
}

// warnOfOpenOps warns if others than this machine may reach metrics and profiles, which
// nothing but a Host header of their choice protects.
func warnOfOpenOps(ctx context.Context, log *slog.Logger, addr net.Addr) {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		log.WarnContext(ctx, "metrics and profiles have no token: whoever reaches this address and calls it localhost "+
			"reads them; set STOA_OPS_TOKEN, or listen on a loopback address", slog.String("ops", tcp.String()))
	}
}
