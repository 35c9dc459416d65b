package delivery

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"stoa/internal/base/trace"
)

// worker serves one queue under a lease.
type worker struct {
	*Machine
	queue, lease string
	until        time.Time // the end of the lease, by the system's clock

	settled []Settled // not yet recorded
	oldest  time.Time // when the first of them was sent, by the system's clock
}

// serve sends the due deliveries of the queue until none is left, one fails, or ctx ends, and
// releases the queue.
func (w *worker) serve(ctx, sending context.Context) {
	// The database is written even when the program stops, so that what was sent is acknowledged.
	storing := context.WithoutCancel(ctx)
	failed, ok := false, true
	for ok && !failed && ctx.Err() == nil {
		due, err := w.Store.Next(ctx, w.Lane, w.queue, w.Now(), batch)
		if err != nil {
			w.warn(ctx, "deliveries cannot be read", err)
			break
		}
		if len(due) == 0 {
			break
		}
		failed, ok = w.sendAll(ctx, sending, due)
	}
	if !ok {
		return // the queue belongs to another worker
	}
	rest := w.Now()
	if failed {
		rest = rest.Add(restTime)
	}
	if err := w.Store.Release(storing, w.queue, w.lease, rest); err != nil {
		w.warn(ctx, "a queue of deliveries cannot be released; it waits until its lease ends", err)
	}
}

// sendAll sends deliveries one after another up to the first that fails. ok is false if the queue
// was lost meanwhile.
func (w *worker) sendAll(ctx, sending context.Context, due []Delivery) (failed, ok bool) {
	for _, d := range due {
		w.pace.wait(ctx)
		if ctx.Err() != nil || time.Until(w.until) < w.leaseMargin() && !w.flush(ctx) {
			break
		}
		s, sent := w.send(sending, d)
		if !sent { // the program stops
			break
		}
		if len(w.settled) == 0 {
			w.oldest = time.Now()
		}
		w.settled = append(w.settled, s)
		failed = s.State == Waiting
		if time.Since(w.oldest) >= ackEvery && !w.flush(ctx) {
			return failed, false
		}
		if failed {
			break
		}
	}
	return failed, w.flush(ctx)
}

// send makes an attempt. sent is false if it was canceled because the program stops.
func (w *worker) send(sending context.Context, d Delivery) (s Settled, sent bool) {
	ctx, cancel := context.WithTimeout(sending, w.sendLimit())
	defer cancel()
	at, started := w.Now(), time.Now()
	ctx, span := w.Tracer.Work(ctx, "deliver "+string(d.Kind), spanKind(d.Kind), d.Cause)
	defer span.End()
	r := w.Sender.Send(ctx, d)
	describe(span, d, r)
	if !r.OK() && sending.Err() != nil {
		return Settled{}, false
	}
	s = Settled{Delivery: d.settle(r, w.Now())}
	s.Attempt = Attempt{Number: s.Attempts, At: at, Duration: time.Since(started), Result: r}
	if r.Cancel {
		s.Attempt.Number = 0
	}
	return s, true
}

// spanKind is the kind of an attempt's span. A webhook is a request to another system. Hooks and
// events are taken from a queue; the gateway records their requests.
func spanKind(k Kind) trace.Kind {
	if k == Webhook {
		return trace.Client
	}
	return trace.Consumer
}

// describe adds the result of an attempt to its span. The name of a delivery is fixed by stoa or a
// type that a plugin publishes.
func describe(span trace.Span, d Delivery, r Result) {
	if !span.Recording() {
		return
	}
	span.Text("stoa.delivery.id", d.ID)
	span.Text("stoa.delivery.name", d.Name)
	span.Text("stoa.delivery.target", d.Target)
	span.Text("stoa.plugin.slug", d.Owner)
	span.Number("stoa.delivery.attempt", d.Attempts+1)
	if d.Kind == Webhook {
		span.Text("http.request.method", http.MethodPost)
	}
	switch {
	case r.Cancel:
		span.Text("stoa.outcome", string(Cancelled))
	case r.Status != 0:
		span.Number("http.response.status_code", r.Status)
	}
	switch {
	case r.OK(), r.Cancel:
	case r.Status != 0:
		span.Fail(strconv.Itoa(r.Status))
	default:
		span.Fail("no answer")
	}
}

// flush records what was sent and extends the lease. It returns false if the queue belongs to
// another worker, or may: then that one sends it again.
func (w *worker) flush(ctx context.Context) bool {
	now := time.Now()
	if now.After(w.until) {
		w.settled = nil
		return false
	}
	storing, cancel := context.WithDeadline(context.WithoutCancel(ctx), w.until)
	defer cancel()
	ok, err := w.Store.Settle(storing, w.queue, w.lease, w.settled, w.leaseTime())
	if err != nil {
		w.warn(ctx, "deliveries cannot be recorded; they are made again", err)
	}
	settled := w.settled
	w.settled = nil
	if err != nil || !ok {
		return false
	}
	w.until = now.Add(w.leaseTime())
	if len(settled) > 0 {
		w.Sender.Settled(storing, settled)
	}
	return true
}

func (w *worker) warn(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		w.Log.WarnContext(ctx, what, slog.String("queue", w.queue), slog.Any("err", err))
	}
}
