package mail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Sender delivers messages.
type Sender interface {
	// Send delivers a message, or hands it to a server that took responsibility
	// for it. It gives up when ctx is done. An error that wraps ErrPermanent, or
	// is ErrMessage, will not go away when the same message is sent again.
	Send(ctx context.Context, m Message) error
}

// ErrPermanent is wrapped by errors of messages that are not worth another try:
// the server does not want them.
var ErrPermanent = errors.New("refused for good")

// Bounds of a Queue.
const (
	maxWaiting  = 1000 // messages, beyond those being sent
	workers     = 4    // messages sent at the same time
	sendTimeout = 10 * time.Second
)

// pauses are the waits before the second and the third try.
var pauses = [...]time.Duration{time.Second, 5 * time.Second}

// Compose makes a message in the background. It returns ok false when there is
// nothing to send. Its ctx ends with the Queue.
type Compose func(ctx context.Context) (m Message, ok bool, err error)

// Queue sends messages in the background. It is made by NewQueue, safe for
// concurrent use, and ended by Close.
type Queue struct {
	sender Sender
	log    *slog.Logger
	jobs   chan job
	cancel context.CancelFunc
	ctx    context.Context //nolint:containedctx // the life of the workers, which the queue owns

	done    sync.WaitGroup // the workers
	mu      sync.Mutex
	closed  bool
	pending Pending // messages posted and not yet sent or given up
}

type job struct {
	ctx     context.Context //nolint:containedctx // carries the request's id to the log, and no deadline
	compose Compose
}

// NewQueue returns a Queue that sends with sender. What goes wrong is logged,
// without the messages.
func NewQueue(sender Sender, log *slog.Logger) *Queue {
	q := &Queue{sender: sender, log: log, jobs: make(chan job, maxWaiting)}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	for range workers {
		q.done.Go(q.work)
	}
	return q
}

// Post has compose make a message, and sends it, both in the background. It
// returns at once. A message that finds a thousand others waiting is dropped,
// which the log says; so is one posted after Close.
func (q *Queue) Post(ctx context.Context, compose Compose) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.pending.Begin()
		select {
		case q.jobs <- job{context.WithoutCancel(ctx), compose}:
			return
		default:
			q.pending.End()
		}
	}
	q.log.WarnContext(ctx, "mail dropped: too many are waiting, or stoa is stopping")
}

func (q *Queue) work() {
	for j := range q.jobs {
		q.do(j)
		q.pending.End()
	}
}

// do carries out one job and logs its failure. A panic of compose is a bug of
// one message and must not end the process.
func (q *Queue) do(j job) {
	ctx, cancel := context.WithCancel(j.ctx)
	defer cancel()
	defer context.AfterFunc(q.ctx, cancel)()
	defer func() {
		if p := recover(); p != nil {
			q.log.ErrorContext(ctx, "mail panicked", slog.Any("panic", p))
		}
	}()
	if q.ctx.Err() != nil {
		return // closed before its turn
	}
	composing, done := context.WithTimeout(ctx, sendTimeout)
	m, ok, err := j.compose(composing)
	done()
	if err == nil && ok {
		err = q.send(ctx, m)
	}
	if err != nil && q.ctx.Err() == nil { // Close says how many are lost
		q.log.ErrorContext(ctx, "mail not sent", slog.Any("err", err))
	}
}

// send tries to send m three times.
func (q *Queue) send(ctx context.Context, m Message) error {
	for try := 0; ; try++ {
		limited, done := context.WithTimeout(ctx, sendTimeout)
		err := q.sender.Send(limited, m)
		done()
		if err == nil || errors.Is(err, ErrPermanent) || errors.Is(err, ErrMessage) || try == len(pauses) || q.ctx.Err() != nil {
			return err
		}
		q.log.WarnContext(ctx, "mail not sent, trying again", slog.Any("err", err))
		select {
		case <-time.After(pauses[try]):
		case <-ctx.Done():
			return err
		}
	}
}

// Idle returns nil when everything that was posted has been sent or given up,
// or the error of ctx.
func (q *Queue) Idle(ctx context.Context) error { return q.pending.Idle(ctx) }

// Close sends what is waiting, no longer than ctx allows, and ends the workers.
// The log says how many messages were lost. It may be called twice.
func (q *Queue) Close(ctx context.Context) {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.jobs)
	}
	q.mu.Unlock()
	if q.Idle(ctx) != nil {
		q.log.WarnContext(ctx, "stopped before all mails were sent: users waiting for one must request it again", slog.Int("lost", q.pending.Count()))
	}
	q.cancel() // what still runs ends now, and the rest fails fast
	q.done.Wait()
}
