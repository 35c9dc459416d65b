package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/operate/system"
	"stoa/internal/shop/payment"
)

// system returns the service that shows administrators the state of this process.
func (a *App) system(cfg Config) *system.Service {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	payments := a.Orders.Payments
	facts := system.Facts{
		Version: cfg.Version, Commit: cfg.Commit, CommitDate: cfg.CommitDate,
		StartedAt: time.Now().UTC().Truncate(time.Millisecond), Host: host, PlatformID: a.PlatformID,
		PublicURL: cfg.PublicURL, OpsAddress: cfg.OpsAddr, MasterKey: cfg.MasterKeySource,
		DatabaseEngine: a.DB.Engine(), DataDir: cfg.DataDir, Storage: storageAddress(cfg), Redis: a.redis != nil,
		TestPayments: payments.Mode() == payment.Instant, MailVia: "smtp",
	}
	if payments.Mode() == payment.Hosted {
		facts.PaymentProvider = payments.Name()
	}
	switch {
	case a.noMail:
		facts.MailVia = "none"
	case cfg.Mailer == nil && cfg.SMTPURL == "":
		facts.MailVia = "log"
	default:
		facts.MailFrom = cfg.MailFrom
	}
	return &system.Service{
		Facts: facts, Monitor: &system.Monitor{Now: cfg.Now, Checks: a.checks(cfg)},
		DatabaseVersion: a.DB.Version, MailFailure: a.mailTrouble.failure, Node: a.aboutNode,
		Rings: a.rings(),
	}
}

// broken reports whether an instance is failing, as far as this process knows.
func (a *App) broken(installationID string) bool {
	if _, open := a.gateway.OpenSince(installationID); open {
		return true
	}
	state := a.node.RuntimeStatus(installationID).State
	return state == plugin.StateFailing || state == plugin.StateUnhealthy
}

// checks returns the health checks of this process and its dependencies.
func (a *App) checks(cfg Config) []system.Check {
	list := []system.Check{
		{Name: system.PartDatabase, Run: func(ctx context.Context) (string, error) { return "", a.DB.Ping(ctx) }},
		{Name: system.PartStorage, Run: func(ctx context.Context) (string, error) { return "", a.checkStorage(ctx, cfg) }},
		{Name: system.PartWriting, Run: func(context.Context) (string, error) { return "", a.writing(cfg) }},
		{Name: system.PartPayments, Run: a.checkPayments},
		{Name: system.PartMail, Run: func(ctx context.Context) (string, error) {
			if a.noMail {
				return "", errors.New("no SMTP server is configured (STOA_SMTP_URL): nobody gets mail")
			}
			return a.mailTrouble.check(ctx)
		}},
		{Name: system.PartPlugins, Run: a.checkNode},
	}
	if a.redis != nil {
		list = append(list, system.Check{Name: system.PartRedis, Run: func(ctx context.Context) (string, error) {
			if err := a.redis.Ping(ctx).Err(); err != nil {
				return "", fmt.Errorf("each replica counts rate limits on its own: %w", err)
			}
			return "", nil
		}})
	}
	return list
}

// reason returns the cause of an error about a file without the file's path.
func reason(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

func (a *App) checkPayments(context.Context) (string, error) {
	switch a.Orders.Payments.Mode() {
	case payment.Closed:
		return "", errors.New("STOA_PAYMENTS is live, but STOA_STRIPE_SECRET_KEY is not set: paid tiers cannot be bought")
	case payment.Instant:
		return "Test payments: purchases are settled without money.", nil
	case payment.Hosted:
	}
	return "", nil
}

// checkNode reports whether internal plugins can run. If none is installed, that is no failure.
func (a *App) checkNode(ctx context.Context) (string, error) {
	about, err := a.aboutNode() //nolint:contextcheck // cached for all callers
	if err == nil {
		return about.Missing, nil
	}
	_, internal, failed := a.Plugins.List(ctx, plugin.PackageQuery{Runtime: plugin.Internal, Limit: 1})
	if failed != nil {
		return "", failed
	}
	if internal > 0 {
		return "", err
	}
	return "Internal plugins cannot run, and none is installed: " + err.Error(), nil
}

// aboutNode describes the Node.js that runs internal plugins.
func (a *App) aboutNode() (system.Node, error) {
	version, level, missing, err := a.node.About()
	return system.Node{Version: version, Isolation: string(level), Missing: missing}, err
}
