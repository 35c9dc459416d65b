package delivery

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"stoa/internal/base/trace"
)

// Limits of the work.
const (
	// SendTimeout is how long a receiver may take (contract 6.2).
	SendTimeout = 10 * time.Second

	// batch is how many deliveries a worker reads at once, ackEvery how long a sent delivery may
	// wait to be acknowledged together with the next ones.
	batch    = 50
	ackEvery = 100 * time.Millisecond

	// poll is how often the database is asked for deliveries that other processes recorded. Those
	// of this process are announced.
	poll = 5 * time.Second
	// restTime is how long a queue waits after a failure, so that a receiver that hangs does not
	// keep a worker from other queues.
	restTime = time.Second

	// maxPerSecond is how many sends a Machine starts per second and processor, paceAhead how many
	// of them may start at once. Without a limit, the backlog of a plugin that comes back takes all
	// processors, and calls to plugins wait.
	maxPerSecond = 500
	paceAhead    = 32

	// graceTime is how long running sends may continue when the Machine stops.
	graceTime = 2 * time.Second
)

// Sender sends deliveries.
type Sender interface {
	// Send makes one attempt and returns its result. ctx ends after the SendLimit. d.Attempts
	// does not count this attempt yet.
	Send(ctx context.Context, d Delivery) Result

	// Settled receives the results of deliveries after they were recorded. It may be called again
	// for the same delivery, and is not called at all if the process dies.
	Settled(ctx context.Context, settled []Settled)
}

// Machine delivers from the queues of a lane. Create it as a literal; all fields but Tracer and
// SendLimit are required.
type Machine struct {
	Store   Claims
	Lane    Lane
	Sender  Sender
	Workers int             // queues that are served at the same time
	Wake    <-chan struct{} // receives a value when a delivery was recorded
	Log     *slog.Logger
	Now     func() time.Time
	Tracer  *trace.Tracer // records a span for each attempt; nil records none

	// SendLimit takes the place of SendTimeout; 0 means that.
	SendLimit time.Duration

	pace pace
}

// sendLimit is how long one attempt may take.
func (m *Machine) sendLimit() time.Duration { return cmp.Or(m.SendLimit, SendTimeout) }

// leaseTime is how long a lease lasts if its worker does not extend it. The database measures it; the worker
// counts by its own clock from before its request. So it does not matter how the clocks of processes are set.
func (m *Machine) leaseTime() time.Duration { return 3 * m.sendLimit() }

// leaseMargin is how much of its lease a worker leaves unused, for the last send that it starts.
func (m *Machine) leaseMargin() time.Duration { return 2 * m.sendLimit() }

// Run delivers until ctx ends, and returns when all sends have ended.
func (m *Machine) Run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	sending, stop := graceful(ctx)
	defer stop()
	slots := make(chan struct{}, m.Workers)
	freed := make(chan struct{}, 1)
	for ctx.Err() == nil {
		free := m.Workers - len(slots)
		queues, lease, until := m.claim(ctx, free)
		for _, queue := range queues {
			slots <- struct{}{}
			all.Go(func() {
				w := &worker{Machine: m, queue: queue, lease: lease, until: until}
				w.serve(ctx, sending)
				<-slots
				select {
				case freed <- struct{}{}:
				default:
				}
			})
		}
		switch {
		case free == 0 || len(queues) == free: // there may be more, for the next free worker
			m.wait(ctx, freed, nil, poll)
		default:
			m.wait(ctx, freed, m.Wake, m.untilDue(ctx))
		}
	}
}

// graceful returns a context that ends graceTime after ctx.
func graceful(ctx context.Context) (sending context.Context, stop func()) {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unregister := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(graceTime)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-sending.Done():
		}
	})
	return sending, func() {
		unregister()
		// Running sends end normally, or when graceTime is over.
		if ctx.Err() == nil {
			cancel()
		}
	}
}

func (m *Machine) claim(ctx context.Context, free int) (queues []string, lease string, until time.Time) {
	if free == 0 {
		return nil, "", time.Time{}
	}
	lease = rand.Text()
	until = time.Now().Add(m.leaseTime())
	queues, err := m.Store.Claim(ctx, m.Lane, lease, m.Now(), m.leaseTime(), free)
	if err != nil && ctx.Err() == nil {
		m.Log.WarnContext(ctx, "deliveries cannot be read", slog.String("lane", string(m.Lane)), slog.Any("err", err))
	}
	return queues, lease, until
}

// untilDue returns the time until the next delivery that this process knows of is due.
func (m *Machine) untilDue(ctx context.Context) time.Duration {
	due, err := m.Store.NextDue(ctx, m.Lane)
	if err != nil || due.IsZero() {
		return poll
	}
	return max(0, min(poll, due.Sub(m.Now())))
}

func (m *Machine) wait(ctx context.Context, freed, wake <-chan struct{}, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-freed:
	case <-wake:
	case <-timer.C:
	case <-ctx.Done():
	}
}
