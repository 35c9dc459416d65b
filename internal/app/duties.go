package app

import (
	"context"
	"sync"
	"time"

	"stoa/internal/data/duty"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

// If the process that runs the kept plugins is killed, another one takes over within half a
// minute. Processes of plugins take up to ten seconds to end.
const (
	keptLease = 24 * time.Second
	keptGrace = 12 * time.Second
	keptEvery = 4 * time.Second
)

// keepPluginsRunning runs the plugins that must run even without calls, in one of the stoa
// processes on the database.
func (a *App) keepPluginsRunning(ctx context.Context, cfg Config) {
	d := &duty.Duty{
		Name: "kept plugins", Store: store.NewDuties(a.DB), Log: cfg.Log, Lease: keptLease, Grace: keptGrace,
		Every: keptEvery,
	}
	d.Keep(ctx, func(ctx context.Context) {
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		a.node.KeepRunning(ctx, func(ctx context.Context) ([]plugin.Installed, error) {
			list, err := a.Plugins.KeptRunning(ctx)
			if err != nil || len(list) == 0 {
				return nil, err
			}
			if files := cfg.files(); files != nil {
				for i := range list {
					list[i] = files(list[i])
				}
			}
			if err := a.node.Check(); err != nil { //nolint:contextcheck // looks for Node.js with a limit of its own
				leave() // another process may have Node.js
				return nil, err
			}
			return list, nil
		})
	})
}

// What is tended can wait: its lease is asked for rarely.
const (
	tendLease = 3 * time.Minute
	tendEvery = time.Minute
)

// tendAccounts deletes what nobody used of accounts, and those that their users leave, and mails customers about their
// trials, in one of the stoa processes on the database.
func (a *App) tendAccounts(ctx context.Context, cfg Config) {
	d := &duty.Duty{
		Name: "accounts", Store: store.NewDuties(a.DB), Log: cfg.Log, Lease: tendLease, Grace: keptGrace, Every: tendEvery,
	}
	d.Keep(ctx, func(ctx context.Context) {
		var both sync.WaitGroup
		both.Go(func() { a.Leaving.Tend(ctx, cfg.Log) })
		both.Go(func() { a.StandIns.Tend(ctx, cfg.Log) })
		both.Go(func() { a.Orders.TendTrials(ctx, cfg.Log) })
		a.Accounts.Tend(ctx, cfg.Log)
		both.Wait()
	})
}

// pollMarkets asks the markets of other stoas for what is new, in one of the stoa processes on the database.
func (a *App) pollMarkets(ctx context.Context, cfg Config) {
	d := &duty.Duty{
		Name: "markets", Store: store.NewDuties(a.DB), Log: cfg.Log, Lease: tendLease, Grace: keptGrace, Every: tendEvery,
	}
	d.Keep(ctx, a.Markets.KeepPolling)
}
