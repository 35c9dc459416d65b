package idempotency

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/trust/seal"
)

const (
	// Remember is how long a key remains bound to its request (contract 1.8), from the
	// start of the attempt that gave the answer.
	Remember = 24 * time.Hour
	// Lease is how long an attempt may go without a renewal before another one may take over. After
	// a crash, a retry waits no longer than that.
	Lease = 10 * time.Second
	// renewEvery allows for two failed renewals.
	renewEvery = 3 * time.Second
	// settleWithin is the usual Keeper.SettleWithin.
	settleWithin = 5 * time.Second
)

// Keeper runs operations under keys. NewKeeper makes one. It is safe for concurrent
// use.
type Keeper struct {
	// SettleWithin is the time limit for storing the outcome of an attempt, even if the client has left. NewKeeper sets
	// five seconds.
	SettleWithin time.Duration

	store  Store
	log    *slog.Logger
	now    func() time.Time
	hashes []byte    // key of the hashes, because keys, bodies and addresses can be guessed
	box    *seal.Box // for answers, which may contain license keys
}

// HashPurpose is the purpose of the secret of a Keeper (seal.Key.Derive).
const HashPurpose = "idempotency.hash"

// NewKeeper returns a Keeper. secret keys the hashes under which it finds its records, so it must
// not change while they exist. answers seals the stored answers.
func NewKeeper(st Store, secret []byte, answers *seal.Box, now func() time.Time, log *slog.Logger) *Keeper {
	return &Keeper{SettleWithin: settleWithin, store: st, log: log, now: now, hashes: secret, box: answers}
}

// Request is a request with a key. A key is bound to an operation and a caller: the same key from
// another caller is a different one.
type Request struct {
	Operation string
	Caller    string
	Key       string
	Content   [][]byte // identifies the request: a repetition must have the same
}

// Answer is the answer of an operation.
type Answer struct {
	Status int                 `json:"status"`
	Header map[string][]string `json:"header,omitempty"`
	Body   []byte              `json:"body,omitempty"`

	// Replayed says that this is the stored answer of an earlier request.
	Replayed bool `json:"-"`
}

// Outcome is the effect that an answer says its operation had.
type Outcome int

const (
	// Unknown means that the operation may have had an effect. The next request with
	// the key runs it again, with the same seed.
	Unknown Outcome = iota
	// Final means that every request with the key gets this answer.
	Final
	// Void means that the operation had no effect, and may be answered differently next time. The
	// key may be used again, also for another request.
	Void
)

// Do returns the answer to a request: what run returns, or what it returned for the
// same request earlier. The context of run carries the Seed. It ends with ctx, or when
// another attempt has taken over the lease.
//
// Do returns ErrReused if the key belongs to a request with other content, and
// ErrInProgress while another attempt is running. If run panics, the outcome is
// Unknown.
func (k *Keeper) Do(ctx context.Context, req Request, run func(context.Context) (Answer, Outcome)) (Answer, error) {
	now := k.now()
	c := Claim{
		ID:          k.hash("id", []byte(req.Operation), []byte(req.Caller), []byte(req.Key)),
		Fingerprint: k.hash("content", req.Content...),
		Seed:        ids.New(), Owner: ids.New(),
		Until: now.Add(Lease), Expires: now.Add(Remember),
	}
	rec, err := k.store.Claim(ctx, c, now)
	switch {
	case err != nil:
		return Answer{}, fmt.Errorf("idempotency: claim: %w", err)
	case rec.Owner == c.Owner:
		return k.attempt(ctx, c.ID, rec, run)
	case rec.Fingerprint != c.Fingerprint:
		return Answer{}, ErrReused
	case rec.Sealed == "":
		return Answer{}, ErrInProgress
	}
	return k.replay(c.ID, rec)
}

// attempt runs the operation under the lease.
func (k *Keeper) attempt(
	ctx context.Context, id string, rec Record, run func(context.Context) (Answer, Outcome),
) (answer Answer, err error) {
	working, end := context.WithCancelCause(context.WithValue(ctx, seedKey{}, rec.Seed))
	defer end(nil)
	release := k.keepLease(ctx, id, rec.Owner, end)
	outcome := Unknown
	defer func() { // runs even if run panics
		k.settle(ctx, id, rec.Owner, answer, outcome)
		release() // last, because storing the outcome takes time as well
	}()
	answer, outcome = run(working)
	if outcome == Unknown && errors.Is(context.Cause(working), errLost) {
		return Answer{}, ErrInProgress // in the attempt that has taken over
	}
	return answer, nil
}

// keepLease renews the lease until the returned function is called. It cancels the attempt if
// another one has taken over the lease, which happens when this process was suspended for longer
// than Lease.
func (k *Keeper) keepLease(ctx context.Context, id, owner string, end context.CancelCauseFunc) (release func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			err := k.store.Renew(ctx, id, owner, k.now().Add(Lease))
			switch {
			case errs.KindOf(err) == errs.NotFound:
				end(errLost)
				return
			case err != nil && ctx.Err() == nil:
				k.log.WarnContext(ctx, "a lease could not be renewed", slog.Any("err", err))
			}
		}
	}()
	return func() { cancel(); <-done }
}

// settle stores the outcome of an attempt. If that fails, the lease expires: a retry then runs the
// operation again, and finds by the seed what was created.
func (k *Keeper) settle(ctx context.Context, id, owner string, answer Answer, outcome Outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.SettleWithin)
	defer cancel()
	var err error
	switch outcome {
	case Final:
		var text []byte
		if text, err = json.Marshal(answer); err == nil {
			err = k.store.Keep(ctx, id, owner, k.box.Seal(text, id))
		}
	case Void:
		err = k.store.Forget(ctx, id, owner)
	case Unknown:
		err = k.store.Release(ctx, id, owner)
	}
	if err != nil && errs.KindOf(err) != errs.NotFound { // not found: another attempt took over
		k.log.WarnContext(ctx,
			"the outcome of a request with an Idempotency-Key could not be stored: a retry is carried out again",
			slog.Any("err", err))
	}
}

// replay returns a stored answer.
func (k *Keeper) replay(id string, rec Record) (Answer, error) {
	text, err := k.box.Open(rec.Sealed, id)
	if err != nil {
		return Answer{}, fmt.Errorf("idempotency: replay: %w", err)
	}
	a := Answer{Replayed: true}
	if err := json.Unmarshal(text, &a); err != nil {
		return Answer{}, fmt.Errorf("idempotency: replay: %w", err)
	}
	return a, nil
}

// hash returns a keyed hash of parts for the database. It covers their lengths, so that moving
// bytes from one part to the next changes the hash.
func (k *Keeper) hash(purpose string, parts ...[]byte) string {
	mac := hmac.New(sha256.New, k.hashes)
	var size [8]byte
	for _, part := range append([][]byte{[]byte(purpose)}, parts...) {
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		mac.Write(size[:])
		mac.Write(part)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

type seedKey struct{}

// Seed returns the seed of the operation that ctx belongs to: a random CUID2 that is
// the same in every attempt. It is empty for a request without a key.
func Seed(ctx context.Context) string {
	seed, _ := ctx.Value(seedKey{}).(string)
	return seed
}
