package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"stoa/internal/account"
	"stoa/internal/account/password"
	"stoa/internal/account/token"
	"stoa/internal/httpapi/limit"
	"stoa/internal/ratelimit"
	"stoa/internal/store"
)

// buildAccounts builds the account service. It creates the signing keys at the first
// start, and the administrator of the configuration if there is none.
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
		Ring:   a.ring(cfg, account.KeyPurpose),
		Hasher: password.NewHasher(cost, password.Limits{}),
		Now:    cfg.Now, Policy: policy, Services: services,
		Mailer: a.Mail, PublicURL: cfg.PublicURL,
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

// buildLimiter builds the rate limiter, or returns nil if rate limits are off.
func (a *App) buildLimiter(cfg Config) (*ratelimit.Limiter, error) {
	if !cfg.RateLimits {
		return nil, nil //nolint:nilnil // httpapi.Server has no limits then
	}
	opts := ratelimit.Options{Rules: limit.Rules(), Now: cfg.Now, Log: cfg.Log, RedisTimeout: cfg.RedisTimeout}
	if cfg.RedisURL != "" {
		parsed, err := redis.ParseURL(cfg.RedisURL)
		if err != nil { // which may quote the password
			return nil, errors.New("the Redis URL cannot be read; " +
				"it has the form redis://[user:password@]host:port/db")
		}
		a.redis = redis.NewClient(parsed)
		opts.Redis = a.redis
	}
	return ratelimit.New(opts)
}
