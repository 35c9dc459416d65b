package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"runtime"
	"runtime/debug"
	"time"

	"stoa/internal/base/errs"

	"golang.org/x/crypto/argon2"
)

// ErrBusy says that too many passwords are being hashed already (503 with
// Retry-After). Only a flood of requests gets this far.
var ErrBusy = errs.New(errs.Busy, "BUSY",
	"Too many people are signing in at this moment. Try again in a few seconds.").After(2 * time.Second)

// Limits bound the resources of a Hasher. The zero value of a field means its
// default.
type Limits struct {
	// Parallel is how many hashes run at a time, each with its MemoryKiB. The default
	// is one per processor: more would only take turns.
	Parallel int
	// Waiting is how many callers may wait for their turn, by default 1,000. Each
	// holds a few KiB.
	Waiting int
	// MaxWait is the longest wait, by default 10 s.
	MaxWait time.Duration
	// Aside computes the hashes. nil: this process does.
	Aside *Aside
}

// Hasher hashes and checks passwords. It is safe for concurrent use.
type Hasher struct {
	params  Params
	maxWait time.Duration
	running chan struct{} // one token for each hash that runs
	queued  chan struct{} // one token for each that runs or waits
	dummy   string
	aside   *Aside // may be nil

	idle *time.Timer // runs giveBack some time after the last hash; nil for small hashes
}

const (
	// idleAfter is how long after the last hash its memory goes back to the system.
	idleAfter = 5 * time.Second
	// minGiveBack is how much memory of a hash is worth a garbage collection, in KiB.
	minGiveBack = 1024
)

// NewHasher returns a Hasher whose new hashes have the given parameters.
func NewHasher(p Params, l Limits) *Hasher {
	if l.Parallel <= 0 {
		l.Parallel = runtime.GOMAXPROCS(0)
	}
	if l.Waiting <= 0 {
		l.Waiting = 1000
	}
	if l.MaxWait <= 0 {
		l.MaxWait = 10 * time.Second
	}
	h := &Hasher{
		params:  p,
		maxWait: l.MaxWait,
		aside:   l.Aside,
		running: make(chan struct{}, l.Parallel),
		queued:  make(chan struct{}, l.Parallel+l.Waiting),
		// Random bytes, not a real hash: no password hashes to them, and verifying
		// against them costs the same.
		dummy: phc{params: p, salt: random(p.SaltLen), key: random(p.KeyLen)}.String(),
	}
	if p.MemoryKiB >= minGiveBack {
		h.idle = time.AfterFunc(idleAfter, func() { h.giveBack(debug.FreeOSMemory) })
		h.idle.Stop() // until the first hash
	}
	return h
}

// giveBack calls free unless somebody hashes again. Hashing leaves 19 MiB behind each
// time, and a heap that grew to hundreds of MiB in a busy minute would stay so: the
// next collection comes when it has grown further.
func (h *Hasher) giveBack(free func()) {
	if len(h.queued) == 0 {
		free()
	}
}

// Dummy returns a hash that no password has. Verifying against it costs as much as
// against a real one.
func (h *Hasher) Dummy() string { return h.dummy }

// Hash returns the hash of a password, taken exactly as it is. It returns ErrBusy if
// its turn does not come in time.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	out := phc{params: h.params, salt: random(h.params.SaltLen)}
	if err := h.turn(ctx, func() { out.key = h.derive(password, out) }); err != nil {
		return "", err
	}
	return out.String(), nil
}

// Verify reports whether password has the given hash, and whether the hash is
// outdated because the parameters were raised since. It returns ErrBusy if its turn
// does not come in time, and ErrHash for a hash it cannot read.
func (h *Hasher) Verify(ctx context.Context, hash, password string) (match, outdated bool, err error) {
	want, err := parse(hash)
	if err != nil {
		return false, false, err
	}
	var got []byte
	if err := h.turn(ctx, func() { got = h.derive(password, want) }); err != nil {
		return false, false, err
	}
	return subtle.ConstantTimeCompare(got, want.key) == 1, want.params.below(h.params), nil
}

// below reports whether p is weaker than q in any respect.
func (p Params) below(q Params) bool {
	return p.MemoryKiB < q.MemoryKiB || p.Time < q.Time || p.Threads < q.Threads ||
		p.SaltLen < q.SaltLen || p.KeyLen < q.KeyLen
}

// turn runs fn when a slot is free. It returns ErrBusy if too many callers wait
// already, the wait is too long, or the caller's time is over, and the error of ctx if that was canceled.
func (h *Hasher) turn(ctx context.Context, fn func()) error {
	select {
	case h.queued <- struct{}{}:
		defer func() { <-h.queued }()
	default:
		return ErrBusy
	}
	patience := time.NewTimer(h.maxWait)
	defer patience.Stop()
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-patience.C:
		return ErrBusy
	case <-ctx.Done():
		return tooLate(ctx)
	}
	fn()
	return tooLate(ctx)
}

// tooLate returns nil while ctx goes on. A deadline that has passed is ErrBusy: on a machine that is full of other work a
// hash can take longer than its request may, and whoever comes again in a moment may have more luck.
func tooLate(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrBusy
	}
	return ctx.Err()
}

// derive returns the key of a password with the parameters and the salt of a hash.
func (h *Hasher) derive(password string, of phc) []byte {
	if h.aside != nil {
		if key := h.aside.derive(password, of); key != nil {
			return key
		}
	}
	if h.idle != nil {
		defer h.idle.Reset(idleAfter)
	}
	return derive(password, of)
}

func derive(password string, h phc) []byte {
	p := h.params
	return argon2.IDKey([]byte(password), h.salt, p.Time, p.MemoryKiB, p.Threads,
		uint32(p.KeyLen)) //nolint:gosec // at most maxLen
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return b
}
