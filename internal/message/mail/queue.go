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
	// Send delivers a message, or hands it to a server that takes responsibility for it. It gives
	// up when ctx ends. Sending the message again after an error that wraps ErrPermanent or is
	// ErrMessage is useless.
	Send(ctx context.Context, m Message) error
}

// ErrPermanent is wrapped by the error of a message that the server has rejected permanently.
var ErrPermanent = errors.New("refused for good")

// Limits of a Queue.
const (
	maxWaiting  = 1000 // messages, without those being sent
	workers     = 4    // messages sent at the same time
	sendTimeout = 10 * time.Second

	// headStart is how long a message is left alone at least: whoever asked for it has their answer then, whose time must
	// not tell whether there was anything to compose.
	headStart = 20 * time.Millisecond
)

// pauses are the pauses before the second and the third try.
var pauses = [...]time.Duration{time.Second, 5 * time.Second}

// Compose writes a message. It runs in the background, and returns false if there is
// nothing to send. Its ctx ends with the Queue.
type Compose func(ctx context.Context) (m Message, ok bool, err error)

// Queue sends messages in the background. NewQueue makes one, and Close ends it. It is
// safe for concurrent use.
type Queue struct {
	// Limit is how long composing a message may take, and each try to send it. NewQueue sets ten seconds. It must not
	// change after the first Post.
	Limit time.Duration

	sender Sender
	log    *slog.Logger
	jobs   chan job
	cancel context.CancelFunc
	ctx    context.Context //nolint:containedctx // the lifetime of the workers, which the queue owns

	done    sync.WaitGroup // the workers
	mu      sync.Mutex
	closed  bool
	pending Pending // messages that are neither sent nor abandoned
}

type job struct {
	ctx     context.Context //nolint:containedctx // carries the request's id to the log, but no deadline
	compose Compose
	since   time.Time
}

// NewQueue returns a Queue that sends with sender. It logs failures, but no messages.
func NewQueue(sender Sender, log *slog.Logger) *Queue {
	q := &Queue{Limit: sendTimeout, sender: sender, log: log, jobs: make(chan job, maxWaiting)}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	for range workers {
		q.done.Go(q.work)
	}
	return q
}

// Post composes and sends a message in the background, and returns at once. If too many
// messages are waiting, or after Close, it drops the message and logs that.
func (q *Queue) Post(ctx context.Context, compose Compose) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.pending.Start()
		select {
		case q.jobs <- job{context.WithoutCancel(ctx), compose, time.Now()}:
			return
		default:
			q.pending.End()
		}
	}
	q.log.WarnContext(ctx, "mail dropped: too many are waiting, or stoa is stopping")
}

func (q *Queue) work() {
	for j := range q.jobs {
		select {
		case <-time.After(headStart - time.Since(j.since)):
		case <-q.ctx.Done():
		}
		q.do(j)
		q.pending.End()
	}
}

// do runs one job and logs its failure. A panic in compose concerns one message and
// must not end the process.
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
		return // the queue was closed first
	}
	composing, done := context.WithTimeout(ctx, q.Limit)
	m, ok, err := j.compose(composing)
	done()
	if err == nil && ok {
		err = q.send(ctx, m)
	}
	if err != nil && q.ctx.Err() == nil { // otherwise Close logs the number of lost mails
		q.log.ErrorContext(ctx, "mail not sent", slog.Any("err", err))
	}
}

// send tries up to three times to send m.
func (q *Queue) send(ctx context.Context, m Message) error {
	for try := 0; ; try++ {
		limited, done := context.WithTimeout(ctx, q.Limit)
		err := q.sender.Send(limited, m)
		done()
		hopeless := errors.Is(err, ErrPermanent) || errors.Is(err, ErrMessage)
		if err == nil || hopeless || try == len(pauses) || q.ctx.Err() != nil {
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

// Idle waits until every posted message is sent or abandoned and returns nil, or returns the error
// of ctx.
func (q *Queue) Idle(ctx context.Context) error { return q.pending.Idle(ctx) }

// Close sends the waiting messages until ctx ends, and stops the workers. It logs how
// many messages are lost. It may be called twice.
func (q *Queue) Close(ctx context.Context) {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.jobs)
	}
	q.mu.Unlock()
	if q.Idle(ctx) != nil {
		q.log.WarnContext(ctx, "stopped before all mails were sent: users waiting for one must request it again",
			slog.Int("lost", q.pending.Count()))
	}
	q.cancel() // ends running jobs, and skips the waiting ones
	q.done.Wait()
}
