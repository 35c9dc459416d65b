package order

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/shop/payment"
)

// sweepEvery is how often unfinished orders are looked for.
const sweepEvery = 10 * time.Minute

// pageLife is how old a pending order is when its provider is asked about it. A provider's pages are
// open for a day at most, and a webhook that has not arrived by then is lost.
const pageLife = 25 * time.Hour

// Waited is until when orders were created that are unfinished while they are pending. A change that has no payment
// page keeps its owner from any other one, and is asked about sooner.
type Waited struct {
	Any, Change time.Time
}

// fillBack is how long ago an order was paid, at most, whose payment is looked for: longer than replicas of two
// releases run beside each other.
const fillBack = 48 * time.Hour

// SweepTries is how often the sweep tries to finish an order. That takes about three and a half weeks,
// longer than any bank takes for a debit.
const SweepTries = 32

// sweepPause returns how long to wait after that many tries: ten minutes, then twice as long each time,
// at most a day.
func sweepPause(tries int) time.Duration {
	return min(sweepEvery<<min(tries-1, 8), 24*time.Hour)
}

// Unfinished is an order that a crash or an outage left unfinished.
type Unfinished struct {
	Order

	Tries int // how often the sweep failed to finish it
}

// KeepSwept finishes unfinished orders, now and every sweepEvery, until ctx ends: it refunds late
// payments and what is due, ends subscriptions, also those of deleted accounts, cancels orders whose payment never
// began, and asks the provider about orders whose webhook is missing. Several processes may do so at once.
func (s *Service) KeepSwept(ctx context.Context, log *slog.Logger) {
	sweep := background.Task{Every: sweepEvery, Log: log, Failed: "unfinished orders cannot be swept"}
	sweep.Run(ctx, func(ctx context.Context) error { return s.Sweep(ctx, log) })
}

// Sweep does once what KeepSwept does. An order that cannot be finished does not hold up the others: it
// is put off, and given up after SweepTries.
func (s *Service) Sweep(ctx context.Context, log *slog.Logger) error {
	now := s.Now()
	if err := s.Store.FillPayments(ctx, now.Add(-fillBack)); err != nil {
		return err
	}
	if s.Payments.Mode() != payment.Hosted {
		return nil
	}
	orders, err := s.Store.UnfinishedOrders(ctx, s.Payments.Name(), Waited{now.Add(-pageLife), now.Add(-sweepEvery)}, now)
	if err != nil {
		return err
	}
	for _, o := range orders {
		out, err := s.finish(ctx, o.Order)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		log := log.With(slog.String("order", o.ID))
		if err == nil && out.Done != "" {
			log.InfoContext(ctx, "unfinished order", slog.String("done", out.Done))
			if o.Tries > 0 { // what comes later is another matter
				if err := s.Store.PutOff(ctx, o.ID, o.Tries, 0, time.Time{}); err != nil {
					return err
				}
			}
			continue
		}
		o.Tries++
		if err := s.Store.PutOff(ctx, o.ID, o.Tries-1, o.Tries, now.Add(sweepPause(o.Tries))); err != nil {
			return err
		}
		report(ctx, log, o, out, err)
	}
	return nil
}

// report logs that an order could not be finished, as an error if that was the last try.
func report(ctx context.Context, log *slog.Logger, o Unfinished, out Outcome, err error) {
	why := out.Warning
	if err != nil {
		why = err.Error()
	}
	attrs := []any{slog.String("why", why), slog.Int("tries", o.Tries)}
	switch {
	case o.Tries >= SweepTries:
		log.ErrorContext(ctx, "unfinished order given up: look at its payment at the provider, "+
			"then refund or cancel the order; if its subscription continues, end it there", attrs...)
	case why == "":
		log.DebugContext(ctx, "unfinished order: not paid yet", attrs...)
	default:
		log.WarnContext(ctx, "unfinished order", attrs...)
	}
}

// finish tries to finish an order. The outcome says what was done, if anything.
func (s *Service) finish(ctx context.Context, o Order) (Outcome, error) {
	out := Outcome{OrderID: o.ID}
	if due, err := s.goOnWithRefund(ctx, o.ID); due || err != nil {
		out.Done = "what is to be refunded is refunded"
		if errors.Is(err, ErrRefundRefused) {
			out.Done, err = "what was to be refunded is refused by the provider, and stays paid: "+err.Error(), nil
		}
		return out, err
	}
	if o.Kind == Change && o.Status() == Pending && o.Payment.Session == "" {
		return s.goOnWithPlan(ctx, o)
	}
	switch {
	case o.refundDue(), o.endDue(), o.Kind == Change && o.Status() != Pending:
		err := s.followUp(ctx, &o, &out)
		return out, err
	case o.abandoned():
		out.Done = "the subscription of a deleted account ends with the period that is paid"
		err := s.endLater(ctx, &o)
		if errors.Is(err, ErrEndRefused) {
			out = Outcome{
				OrderID: o.ID,
				Warning: "the account is deleted, but its subscription cannot be ended: end it at the provider. " + err.Error(),
			}
			err = nil
		}
		return out, err
	case o.Payment.Session == "":
		out.Done = "the order is cancelled: its payment never began"
		return out, s.giveUp(ctx, o)
	}
	return s.lookUp(ctx, o)
}
