// Package duty gives work that must not be done twice to one process at a time, of all
// processes over one database. What the work is belongs to the caller.
//
// The process on duty holds a lease, measured by the clock of the database, and renews it.
// It stops working well before the lease ends by its own clock, so that the work of two
// processes never overlaps, however their clocks differ and whatever becomes of the
// connection to the database.
package duty

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"
)

// Store keeps the leases.
type Store interface {
	// Hold gives a duty to a holder from now for a time. It reports false, and changes
	// nothing, while the lease of another holder runs.
	Hold(ctx context.Context, name, holder string, hold time.Duration) (bool, error)
	// Release ends the lease of a holder. It does nothing if the duty is another's.
	Release(ctx context.Context, name, holder string) error
}

// Duty is work that one process at a time does. All fields are required.
type Duty struct {
	Name  string
	Store Store
	Log   *slog.Logger

	// Hold is how long a lease runs after its last renewal: after a process was killed, another
	// takes over within Hold and Every.
	Hold time.Duration
	// Stop is how long before the end of the lease the work is told to end: longer than
	// it takes to do so.
	Stop time.Duration
	// Every is the time between two renewals, and between two tries to get the duty.
	Every time.Duration
}

// Keep calls work each time this process has got the duty, until ctx ends. The context of
// work ends with ctx, or when the duty is lost or cannot be renewed in time; work must
// then return within d.Stop. Keep releases the duty after work has returned.
func (d *Duty) Keep(ctx context.Context, work func(ctx context.Context)) {
	holder := rand.Text()
	tick := time.NewTicker(d.Every)
	defer tick.Stop()
	failing := false
	for ctx.Err() == nil {
		asked := time.Now()
		ours, err := d.ask(ctx, holder, d.Every)
		if err != nil && !failing && ctx.Err() == nil {
			d.Log.WarnContext(ctx, "cannot ask whose duty it is", slog.String("duty", d.Name), slog.Any("err", err))
		}
		failing = err != nil
		if ours {
			d.serve(ctx, holder, asked, work)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// ask gets or renews the lease.
func (d *Duty) ask(ctx context.Context, holder string, limit time.Duration) (bool, error) {
	asking, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return d.Store.Hold(asking, d.Name, holder, d.Hold)
}

// serve does the work under a lease that was asked for at a time.
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

// renew renews the lease until ctx ends, the work is done, or the duty may be lost: then it
// returns the last error of a renewal, or nil if another process has the duty.
func (d *Duty) renew(ctx context.Context, holder string, asked time.Time, done <-chan struct{}) (err error) {
	tick := time.NewTicker(d.Every)
	defer tick.Stop()
	sure := asked.Add(d.Hold - d.Stop)
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
			ours, err = d.ask(ctx, holder, max(time.Until(sure), 0))
			if err == nil && !ours {
				return nil
			}
			if err == nil {
				sure = asked.Add(d.Hold - d.Stop)
			}
			continue
		}
		end.Stop()
		return err
	}
}
