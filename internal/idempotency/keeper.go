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

	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/seal"
)

const (
	// Remember is how long a key stands for its request (CONTRACT 1). It counts
	// from the beginning of the attempt that gave the answer.
	Remember = 24 * time.Hour
	// Lease is how long an attempt that gives no sign of life keeps others away:
	// after a crash, the longest a retry has to wait.
	Lease = 10 * time.Second
	// renewEvery leaves room for two signs of life that come to nothing.
	renewEvery = 3 * time.Second
	// settleWithin is how long the outcome of an attempt may take to be stored.
	// The client may be gone by then.
	settleWithin = 5 * time.Second
)

// Keeper carries out operations under keys. Create it with NewKeeper. It is safe
// for concurrent use.
type Keeper struct {
	store  Store
	log    *slog.Logger
	now    func() time.Time
	hashes []byte    // keys what is hashed: callers' addresses, guessable keys and bodies
	box    *seal.Box // for answers, which hold license keys
}

// NewKeeper returns the Keeper of a database whose secrets are sealed with
// master.
func NewKeeper(st Store, master *seal.Key, now func() time.Time, log *slog.Logger) *Keeper {
	return &Keeper{store: st, log: log, now: now, hashes: master.Derive("idempotency.hash"), box: master.Box("idempotency.answer")}
}

// Request is a request with a key. A key belongs to an operation and a caller:
// the same characters from anybody else are another key.
type Request struct {
	Operation string
	Caller    string
	Key       string
	Content   [][]byte // what must be the same for the request to be the same
}

// Answer is what an operation answered.
type Answer struct {
	Status int                 `json:"status"`
	Header map[string][]string `json:"header,omitempty"`
	Body   []byte              `json:"body,omitempty"`

	// Replayed says that this is the answer of an earlier request.
	Replayed bool `json:"-"`
}

// Outcome is what an answer says about the operation.
type Outcome int

const (
	// Unknown says that it may have had an effect, or not. The next request with
	// the key attempts it again, with the same seed.
	Unknown Outcome = iota
	// Final says that this is the answer, for every request with the key.
	Final
	// Void says that it had no effect, and that another time the answer may be
	// another. The key is free again, for another request too.
	Void
)

// Do answers a request: with what run returns, or with what it returned when the
// same request was made before. run gets a context that has the Seed; the
// context ends when the client's does, or when another attempt took over because
// this one gave no sign of life.
//
// It returns ErrReused if the key stands for a request with other content, and
// ErrInProgress while another attempt is running. If run panics the operation
// counts as Unknown.
func (k *Keeper) Do(ctx context.Context, req Request, run func(context.Context) (Answer, Outcome)) (Answer, error) {
	now := k.now()
	c := Claim{
		ID:          k.hash("id", []byte(req.Operation), []byte(req.Caller), []byte(req.Key)),
		Fingerprint: k.hash("content", req.Content...),
		Seed:        cuid2.New(), Owner: cuid2.New(),
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

// attempt runs the operation while it holds the lease.
func (k *Keeper) attempt(ctx context.Context, id string, rec Record, run func(context.Context) (Answer, Outcome)) (answer Answer, err error) {
	working, end := context.WithCancelCause(context.WithValue(ctx, seedKey{}, rec.Seed))
	defer end(nil)
	letGo := k.hold(ctx, id, rec.Owner, end)
	outcome := Unknown
	defer func() { // also while a panic passes through
		k.settle(ctx, id, rec.Owner, answer, outcome)
		letGo() // only now: storing the outcome may take a while, too
	}()
	answer, outcome = run(working)
	if outcome == Unknown && errors.Is(context.Cause(working), errLost) {
		return Answer{}, ErrInProgress // by whoever took over
	}
	return answer, nil
}

// hold renews the lease until the function it returns is called. It ends the
// attempt when the lease is another's: this process was suspended for so long
// that it counted as dead.
func (k *Keeper) hold(ctx context.Context, id, owner string, end context.CancelCauseFunc) (letGo func()) {
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

// settle stores what came of an attempt. If that fails the lease just ends: then
// a retry attempts the operation again, and its seed leads it to what was made.
func (k *Keeper) settle(ctx context.Context, id, owner string, answer Answer, outcome Outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
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
		k.log.WarnContext(ctx, "the outcome of a request with an Idempotency-Key could not be stored: a retry is carried out again", slog.Any("err", err))
	}
}

// replay opens an answer that was kept.
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

// hash returns what stands for parts in the database. Parts are told apart by
// their lengths.
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

// Seed returns the seed of the operation that ctx belongs to: random, and the
// same in every attempt. It has the form of a CUID2. It is empty for a request
// without a key.
func Seed(ctx context.Context) string {
	seed, _ := ctx.Value(seedKey{}).(string)
	return seed
}
