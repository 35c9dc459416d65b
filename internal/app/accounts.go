package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/breached"
	"stoa/internal/account/federated"
	"stoa/internal/account/impersonate"
	"stoa/internal/account/invite"
	"stoa/internal/account/leave"
	"stoa/internal/account/live"
	"stoa/internal/account/passkey"
	"stoa/internal/account/password"
	"stoa/internal/account/staff"
	"stoa/internal/account/token"
	"stoa/internal/api/limit"
	"stoa/internal/base/errs"
	"stoa/internal/edge/ratelimit"
	"stoa/internal/message/mail"
	"stoa/internal/operate/settings"
	"stoa/internal/operate/signin"
	"stoa/internal/store"
	"stoa/internal/trust/seal"
)

// buildAccounts builds the account service. It creates the signing keys at the first
// start, and the administrator of the configuration if there is none.
func (a *App) buildAccounts(ctx context.Context, cfg Config) error {
	services, err := token.NewService(cfg.ServiceIssuer, cfg.ServiceSecret, cfg.ServicePublicKey)
	if err == nil {
		err = services.RequireAudience(cfg.ServiceAudience)
	}
	if err != nil {
		return settings.Wrong(err)
	}
	party, err := buildPasskeys(ctx, cfg)
	if err != nil {
		return err
	}
	common, err := breached.Open(cfg.SignIn.BreachedPasswords)
	if err != nil {
		return settings.Wrong(fmt.Errorf("STOA_BREACHED_PASSWORDS: %w", err))
	}
	cost := cfg.PasswordCost
	if cost == (password.Params{}) {
		cost = password.Default
	}
	db := store.NewAccount(a.DB)
	revocations, err := store.NewLive(ctx, a.DB)
	if err != nil {
		return err
	}
	a.live = live.New[account.Alive](revocations, uuid.NewString(), live.Boottime)
	db.OnEnd(a.live.Settle)
	if err := a.buildSignIn(cfg, party != nil); err != nil {
		return err
	}
	a.Outbox = &mail.Outbox{
		Store: store.NewMails(a.DB), Box: cfg.MasterKey.Box(mail.OutboxBox), Mailer: a.mailer, Log: cfg.Log, Now: cfg.Now,
		Words: a.Templates.Fill, Limit: cfg.InnerLimit,
	}
	if !a.noMail {
		a.Orders.Outbox = a.Outbox
	}
	a.KeyUses = &apikey.Uses{Store: db.Keys(), Now: cfg.Now, Log: cfg.Log}
	a.Keys = &apikey.Keys{Store: db.Keys(), Now: cfg.Now}
	if a.Mail != nil && !a.noMail {
		a.Keys.Outbox = a.Outbox
	}
	if cfg.Hashes != nil {
		a.aside = password.NewAside(cfg.Hashes, cfg.Log)
	}
	a.Accounts = &account.Service{
		Store: db,
		Ring:  a.ring(cfg, account.KeyPurpose),

		PluginRing: a.ring(cfg, account.PluginKeyPurpose),
		TOTPBox:    cfg.MasterKey.Box(account.TOTPPurpose),
		CodeKeys:   seal.Derive(cfg.MasterKey, account.CodeKeysPurpose, slices.Clone[[]byte]),
		Passkeys:   party, Log: cfg.Log,
		Hasher:   password.NewHasher(cost, password.Limits{Aside: a.aside, MaxWait: cfg.InnerLimit}),
		Breached: common, Book: a.signIn.Book,
		Now: cfg.Now, Services: services,
		Live: a.live, KeyUses: a.KeyUses, Mailer: a.Mail, Outbox: a.Outbox, NoMail: a.noMail, PublicURL: cfg.PublicURL,
		SiteName: a.site.Called,
	}
	signInElsewhere(a.Accounts, cfg)
	a.buildStaff(cfg, db)
	if err := a.Accounts.Start(ctx); errors.Is(err, account.ErrSharedKey) {
		return settings.Wrong(err)
	} else if err != nil {
		return err
	}
	if err := errors.Join(warnOfPasskeys(ctx, cfg, a.Accounts), a.signIn.LogProblems(ctx, cfg.Log)); err != nil {
		return err
	}
	created, err := a.Accounts.EnsureAdmin(ctx, cfg.AdminEmail, cfg.AdminPassword)
	if kind := errs.KindOf(err); kind == errs.Invalid || kind == errs.Conflict || errors.Is(err, account.ErrHalfAdmin) {
		return settings.Wrong(err)
	}
	if created {
		cfg.Log.InfoContext(ctx, "administrator created", slog.String("email", cfg.AdminEmail))
	}
	return err
}

// buildStaff builds what helps with accounts beside them: roles, invitations, impersonation, and leaving.
func (a *App) buildStaff(cfg Config, db *store.Account) {
	a.Roles = &staff.Service{Store: store.NewStaff(db), Now: cfg.Now}
	a.buildStandIns(cfg, db)
	a.Leaving = &leave.Service{
		Store: store.Leave{Account: db}, Now: cfg.Now, PublicURL: cfg.PublicURL,
		Wait: time.Duration(cfg.AccountDeletionDays) * 24 * time.Hour, KeepBills: cfg.RetainBilling,
	}
	if !a.noMail {
		a.Leaving.Outbox = a.Outbox
	}
	a.Invitations = &invite.Service{
		Store: store.Invitations{Account: db}, Accounts: a.Accounts, Now: cfg.Now, Outbox: a.Leaving.Outbox,
		PublicURL: cfg.PublicURL,
	}
}

// buildSignIn builds the settings about sign-in.
func (a *App) buildSignIn(cfg Config, passkeys bool) error {
	db := store.NewSignIn(a.DB)
	book, err := signin.NewBook(db, cfg.SignIn, cfg.Demo, live.Beside[account.Rules](a.live, signin.RowName))
	if err != nil {
		return settings.Wrong(err)
	}
	a.signIn = &signin.Service{
		Store: db, Book: book, Now: cfg.Now, Settle: a.live.Settle, Mail: !a.noMail, Passkeys: passkeys,
	}
	return nil
}

// buildStandIns builds impersonation.
func (a *App) buildStandIns(cfg Config, db *store.Account) {
	a.StandIns = &impersonate.Service{
		Store: store.NewImpersonations(db), Accounts: a.Accounts, Now: cfg.Now, Log: cfg.Log,
	}
	if !a.noMail {
		a.StandIns.Outbox = a.Outbox
	}
	a.Accounts.StandInEnded = a.StandIns.RecordEnd
}

// signInElsewhere has identity providers sign people in.
func signInElsewhere(s *account.Service, cfg Config) {
	within := cmp.Or(cfg.ProviderTimeout, outsideTimeout)
	out := outside(cfg, within)
	out.ResponseHeaderTimeout = within
	out.MaxIdleConns, out.MaxIdleConnsPerHost, out.IdleConnTimeout = 16, 2, time.Minute
	s.Federated = federated.New(out, within, cfg.Now)
	s.ProviderBox = cfg.MasterKey.Box(account.ProviderPurpose)
	s.VerifierBox = cfg.MasterKey.Box(account.FlowVerifierPurpose)
	s.ResultBox = cfg.MasterKey.Box(account.FlowResultPurpose)
}

// outsideTimeout is how long one request to an identity provider may take.
const outsideTimeout = 5 * time.Second

// buildPasskeys returns for whom browsers make passkeys; nil if they make none at the public URL.
func buildPasskeys(ctx context.Context, cfg Config) (*passkey.Party, error) {
	party, err := passkey.NewParty(cfg.PasskeyID, cfg.PasskeyOrigins, cfg.PublicURL)
	if errors.Is(err, passkey.ErrUnavailable) {
		cfg.Log.InfoContext(ctx, "passkeys are off", slog.Any("reason", err))
		return nil, nil //nolint:nilnil // account.Service has no passkeys then
	} else if err != nil {
		return nil, settings.Wrong(err)
	}
	return party, nil
}

// warnOfPasskeys logs how many passkeys were made for another host name: browsers do not prove them here.
func warnOfPasskeys(ctx context.Context, cfg Config, accounts *account.Service) error {
	party := ""
	if accounts.HasPasskeys() {
		party = accounts.Passkeys.ID
	}
	n, err := accounts.Store.ForeignPasskeys(ctx, party)
	if n > 0 {
		cfg.Log.WarnContext(ctx, "there are passkeys for another host name, which do not work here: "+
			"their users sign in with recovery codes, or once the former name is back (STOA_PASSKEY_RP_ID)",
			slog.Int("passkeys", n), slog.String("name", party))
	}
	return err
}

// buildLimiter builds the rate limiter; nil without rate limits.
func (a *App) buildLimiter(ctx context.Context, cfg Config) (*ratelimit.Limiter, error) {
	if !cfg.RateLimits {
		return nil, nil //nolint:nilnil // httpapi.Server has no limits then
	}
	opts := ratelimit.Options{Rules: limit.Rules(), Now: cfg.Now, Log: cfg.Log, RedisTimeout: cfg.RedisTimeout}
	if cfg.RedisURL != "" {
		parsed, err := redis.ParseURL(cfg.RedisURL)
		if err != nil { // err may quote the password
			return nil, settings.Wrong(errors.New("the Redis URL cannot be read; " +
				"it has the form redis://[user:password@]host:port/db"))
		}
		a.redis = redis.NewClient(parsed)
		if tracer := a.telemetry.Tracer(); tracer != nil {
			a.redis.AddHook(tracedRedis{tracer})
		}
		opts.Redis = a.redis
		a.checkRedis(ctx, cfg)
	}
	return ratelimit.New(opts)
}

// redisCheck is how long the start waits for Redis.
const redisCheck = 2 * time.Second

// checkRedis logs at the start if Redis does not answer. The rate limiter would notice only at
// the first requests.
func (a *App) checkRedis(ctx context.Context, cfg Config) {
	ctx, cancel := context.WithTimeout(ctx, redisCheck)
	defer cancel()
	if err := a.redis.Ping(ctx).Err(); err != nil {
		cfg.Log.WarnContext(ctx, "Redis does not answer: until it does, each replica counts rate limits on its own",
			slog.Any("err", err))
	}
}
