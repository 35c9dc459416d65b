package settings

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"stoa/internal/extension"
	"stoa/internal/run/sandbox"
)

// Serve holds the flags of stoa serve, in the order of its help.
type Serve struct {
	Storage
	Logging

	Addr    string
	OpsAddr string
	Observability
	Front string
	Demo  bool

	Name         string
	PublicURL    string
	AllowedHosts []string
	CORSOrigins  []string

	StopDelay   time.Duration
	StopTimeout time.Duration

	AdminEmail string
	Passwords
	Accounts
	Leaving
	PasskeyRPID    string `name:"passkey-rp-id"`
	PasskeyOrigins []string
	Mailing
	ServiceTokens

	RateLimits     string
	RedisURL       string
	TrustedProxies []netip.Prefix

	Checkout
	Licenses
	Limits
	Packages
	Trusted
	Market
	Backups
	AuditExport
	Plugins
}

// Passwords says which passwords are accepted: for every command that sets one.
type Passwords struct {
	PasswordPolicy    string
	BreachedPasswords string
}

// Check returns every fault that does not depend on the address that stoa listens on. Parser.Parse
// calls it.
func (s Serve) Check() error {
	_, _, publicURL := checkPublicURL(s.PublicURL)
	if s.PublicURL == "" {
		publicURL = nil
	}
	_, origins := s.Origins()
	_, keys := s.Keys()
	_, types := s.FileTypes()
	_, accounts := s.AccountRules()
	return errors.Join(publicURL, origins, checkToken(OpsToken), s.checkMail(), keys, s.BackupPlace.Check(), types,
		accounts)
}

// Origins returns the origins whose pages may call the API.
func (s Serve) Origins() ([]string, error) { return checkOrigins(s.CORSOrigins) }

// FileTypes returns the file types that packages may contain besides the usual ones.
func (p Packages) FileTypes() (extension.Types, error) {
	types, err := extension.ParseTypes(p.ArchiveTypes)
	if err != nil {
		return nil, fmt.Errorf("--archive-types: %w", err)
	}
	return types, nil
}

// Isolation returns the level of containment that internal plugins need to run.
func (s Serve) Isolation() sandbox.Level {
	switch {
	case s.PluginIsolation != "":
		return sandbox.Level(s.PluginIsolation)
	case s.Demo || runtime.GOOS != "linux":
		return sandbox.Basic
	}
	return sandbox.Full
}

func (s Serve) checkMail() error {
	if s.SMTPURL != "" && s.PublicURL == "" {
		return errors.New("--smtp-url needs --public-url: mails contain links to it")
	}
	return nil
}

// checkToken returns an error if a secret is set and shorter than its bounds allow.
func checkToken(s Setting) error {
	if n := len(s.Value()); n > 0 && int64(n) < s.Bounds.least {
		return fmt.Errorf("%s has %d characters, fewer than %d", s.Env, n, s.Bounds.least)
	}
	return nil
}
