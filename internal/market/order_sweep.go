package market

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/market/payment"
)

// How often unfinished orders are looked for, and how long one may be pending
// without a payment page: a provider's pages are open for a day at most, so what
// a lost answer opened is closed by then.
const (
	sweepOrdersEvery = 10 * time.Minute
	pageLife         = 25 * time.Hour
)

// KeepSwept finishes orders that a crash or an outage left unfinished, now and
// from time to time until ctx ends: late payments are given back, and orders
// whose payment never began are cancelled. Several processes may do so at once.
func (s *Service) KeepSwept(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(sweepOrdersEvery)
	defer tick.Stop()
	for {
		if err := s.SweepOrders(ctx, log); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "unfinished orders could not be swept", slog.Any("err", err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// SweepOrders does once what KeepSwept does. One order that cannot be finished
// keeps none of the others.
func (s *Service) SweepOrders(ctx context.Context, log *slog.Logger) error {
	if s.Payments.Mode() != payment.Hosted {
		return nil
	}
	orders, err := s.Sales.UnfinishedOrders(ctx, s.Payments.Name(), s.Now().Add(-pageLife))
	if err != nil {
		return err
	}
	for _, o := range orders {
		var n Notice
		if o.refundDue() {
			err = s.giveBack(ctx, o, &n)
		} else {
			err, n.Done = s.giveUp(ctx, o.ID), "the order is cancelled: its payment never began"
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			log.WarnContext(ctx, "unfinished order", slog.String("order", o.ID), slog.Any("err", err))
		case n.Warning != "":
			log.ErrorContext(ctx, "unfinished order", slog.String("order", o.ID), slog.String("warning", n.Warning))
		default:
			log.InfoContext(ctx, "unfinished order", slog.String("order", o.ID), slog.String("done", n.Done))
		}
	}
	return nil
}
