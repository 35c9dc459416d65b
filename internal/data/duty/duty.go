// Package duty runs work on one process at a time, of all processes over one database. The
// work itself belongs to the caller.
//
// The process on duty holds a lease, which it renews; the clock of the database decides when
// it ends. The process stops working well before that by its own clock, so that the work of
// two processes never overlaps, even if their clocks differ or the connection to the database
// is lost.
package duty

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"stoa/internal/base/background"
)

// Store keeps the leases.
type Store interface {
	// Acquire gives or renews a holder's lease of a duty, for a time from now. It returns
	// false, and changes nothing, while another holder's lease is valid.
	Acquire(ctx context.Context, name, holder string, lease time.Duration) (bool, error)
	// Release ends the lease of a holder. It does nothing if another holder has the duty.
	Release(ctx context.Context, name, holder string) error
}

// Duty is work that one process at a time does. All fields are required.
type Duty struct {
	Name  string
	Store Store
	Log   *slog.Logger

	// Lease is how long a lease lasts after its last renewal: if a process is killed, another
	// takes over within Lease and Every.
	Lease time.Duration
	// Grace is how long before the end of the lease the work is stopped. It must be longer
	// than the work takes to return.
	Grace time.Duration
	// Every is the time between two renewals, and between two attempts to get the duty.
	Every time.Duration
}

// Keep calls work each time this process has acquired the duty, until ctx ends. The context
// of work ends with ctx, or when the duty is lost or cannot be renewed in time; work must
// then return within d.Grace. Keep releases the duty after work has returned.
func (d *Duty) Keep(ctx context.Context, work func(ctx context.Context)) {
	holder := rand.Text()
	failing := false
	task := background.Task{
		Every: d.Every, Log: d.Log.With(slog.String("duty", d.Name)), Failed: "a duty cannot be acquired",
	}
	task.Run(ctx, func(ctx context.Context) error {
		asked := time.Now()
		ours, err := d.acquire(ctx, holder, d.Every)
		repeated := failing && err != nil
		failing = err != nil
		if ours {
			d.serve(ctx, holder, asked, work)
		}
		if repeated { // an outage is logged once
			return nil
		}
		return err
	})
}

// acquire gets or renews the lease.
func (d *Duty) acquire(ctx context.Context, holder string, limit time.Duration) (bool, error) {
	asking, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return d.Store.Acquire(asking, d.Name, holder, d.Lease)
}

// serve does the work under a lease that was requested at the time asked.
func (d *Duty) serve(ctx context.Context, holder string, asked time.Time, work func(ctx context.Context)) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(working)
	}()
	d.Log.InfoContext(ctx, "on duty", slog.String("duty", d.Name))
	err := d.renew(ctx, holder, asked, done)
	stop()
	<-done
	if ctx.Err() == nil {
		d.Log.WarnContext(ctx, "off duty", slog.String("duty", d.Name), slog.Any("err", err))
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.Every) // also when stoa stops
	defer cancel()
	if err := d.Store.Release(releasing, d.Name, holder); err != nil {
		d.Log.WarnContext(ctx, "a duty was not released; another process takes it when the lease ends",
			slog.String("duty", d.Name), slog.Any("err", err))
	}
}

// renew renews the lease until ctx ends, the work is done, or the lease may be lost: then it
// returns the last error of a renewal, or nil if another process has the duty.
func (d *Duty) renew(ctx context.Context, holder string, asked time.Time, done <-chan struct{}) (err error) {
	tick := time.NewTicker(d.Every)
	defer tick.Stop()
	sure := asked.Add(d.Lease - d.Grace)
	for {
		end := time.NewTimer(time.Until(sure))
		select {
		case <-ctx.Done():
		case <-done:
		case <-end.C:
		case <-tick.C:
			end.Stop()
			asked := time.Now()
			var ours bool
			ours, err = d.acquire(ctx, holder, max(time.Until(sure), 0))
			if err == nil && !ours {
				return nil
			}
			if err == nil {
				sure = asked.Add(d.Lease - d.Grace)
			}
			continue
		}
		end.Stop()
		return err
	}
}
