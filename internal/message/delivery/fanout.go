package delivery

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/base/event"
)

const (
	fanOutAtOnce = 100 // events in one transaction
	// Retention is how long events and finished deliveries are kept.
	Retention = 30 * 24 * time.Hour

	sweepEvery  = time.Hour
	sweepAtOnce = 1000 // rows in one transaction
)

// Subscribers know who subscribes to events.
type Subscribers interface {
	// Subscribed returns the deliveries of events to their subscribers, in the order of the events.
	Subscribed(ctx context.Context, events []event.Event) ([]Delivery, error)
}

// FanOut creates the deliveries of events. Create it as a literal with all fields.
type FanOut struct {
	Store       Store
	Subscribers []Subscribers
	Wake        <-chan struct{} // receives a value when an event was published
	Log         *slog.Logger
	Now         func() time.Time
}

// Run works until ctx ends. Failures are logged and retried.
func (s *FanOut) Run(ctx context.Context) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for ctx.Err() == nil {
		n, err := s.Store.FanOut(ctx, fanOutAtOnce, func(events []event.Event) ([]Delivery, error) {
			return s.deliveries(ctx, events)
		})
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "deliveries of events cannot be created", slog.Any("err", err))
		}
		if err == nil && n == fanOutAtOnce {
			continue // there may be more
		}
		select {
		case <-s.Wake:
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (s *FanOut) deliveries(ctx context.Context, events []event.Event) ([]Delivery, error) {
	var all []Delivery
	for _, from := range s.Subscribers {
		list, err := from.Subscribed(ctx, events)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// KeepSwept deletes what is older than Retention, and abandons deliveries that have waited that
// long, now and every hour, until ctx ends. Otherwise the queue of a plugin that never answers
// would grow forever: it abandons one delivery in 18 hours.
func (s *FanOut) KeepSwept(ctx context.Context) {
	task := background.Task{Every: sweepEvery, Log: s.Log, Failed: "old deliveries cannot be deleted"}
	task.Run(ctx, func(ctx context.Context) error {
		now := s.Now()
		err := repeat(func() (int, error) { return s.Store.GiveUp(ctx, now.Add(-Retention), now, sweepAtOnce) })
		if err != nil {
			return err
		}
		return repeat(func() (int, error) { return s.Store.Sweep(ctx, now.Add(-Retention), sweepAtOnce) })
	})
}

// repeat calls sweep until it handles fewer than sweepAtOnce rows.
func repeat(sweep func() (int, error)) error {
	for {
		if n, err := sweep(); err != nil || n < sweepAtOnce {
			return err
		}
	}
}
