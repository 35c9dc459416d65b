// Package storage keeps values for plugins under keys, apart for each installation
// (contract 7.3).
package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"
	"unicode/utf8"

	"stoa/internal/base/background"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// The limits of an installation's storage.
const (
	MaxKey   = 512       // bytes of a key
	MaxValue = 1 << 20   // bytes of a value
	Quota    = 100 << 20 // bytes of all values
	MaxKeys  = 100_000   // keep an installation from filling the database with empty values
	MaxTTL   = 10 * 365 * 24 * time.Hour
)

// Errors of Service.
var (
	ErrNoKey = errs.New(errs.NotFound, "NOT_FOUND", "There is nothing under this key.")
	ErrStale = errs.New(errs.Stale, "PRECONDITION_FAILED", "The value is not the one that the request is about.")
	ErrLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The value is larger than 1 MiB.")
	ErrQuota = errs.New(errs.TooLarge, "STORAGE_QUOTA_EXCEEDED", "The installation's storage is full.")
	errGone  = errs.New(errs.NotFound, "NOT_FOUND", "The installation does not exist anymore.")
)

// Entry is what is stored under a key. Size is that of Data, which lists leave out.
type Entry struct {
	Key         string
	ContentType string
	ETag        string // of this writing: the same bytes written again have another
	Size        int64
	ExpiresAt   time.Time // zero: never
	Data        []byte
	// By is who of the staff wrote it as which user; nobody where users did.
	By reqctx.Behalf
}

// Condition is what must hold for a change.
type Condition struct {
	// Match, unless nil, must be true for the ETag of what is stored.
	Match func(etag string) bool
	// Absent demands that nothing is stored.
	Absent bool
}

func (c Condition) holds(old Entry, exists bool) bool {
	return (c.Match == nil || exists && c.Match(old.ETag)) && (!c.Absent || !exists)
}

// Use is how much an installation stores.
type Use struct{ Keys, Bytes int64 }

// Store keeps entries. It returns expired ones like others.
type Store interface {
	// Get returns an entry, and Head one without its Data, or an errs.NotFound error.
	Get(ctx context.Context, installation, key string) (Entry, error)
	Head(ctx context.Context, installation, key string) (Entry, error)

	// List returns at most limit entries that have not expired by now, without their
	// Data: those with keys from first on, in the order of their bytes.
	List(ctx context.Context, installation, first string, now time.Time, limit int) ([]Entry, error)

	// ExpiredBy returns at most limit installations with entries that have expired.
	ExpiredBy(ctx context.Context, now time.Time, limit int) ([]string, error)

	// InTx runs fn on a Store whose changes are kept if fn returns nil and undone
	// otherwise. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error

	// Lock returns how much an installation stores, and makes other transactions that
	// ask for it wait. The error is an errs.NotFound for an unknown installation.
	Lock(ctx context.Context, installation string) (Use, error)
	SaveUse(ctx context.Context, installation string, use Use) error

	Put(ctx context.Context, installation string, e Entry) error
	Delete(ctx context.Context, installation, key string) error
	// DeleteExpired removes what has expired by now, and returns how much that was.
	DeleteExpired(ctx context.Context, installation string, now time.Time) (Use, error)
}

// Service holds the rules. Both fields are required.
type Service struct {
	Store Store
	Now   func() time.Time
}

// CheckKey adds what is wrong with a key to faults.
func CheckKey(key string, faults *errs.Issues) {
	switch {
	case len(key) == 0 || len(key) > MaxKey:
		faults.Add("key", errs.CodeOutOfRange, "key must have 1 to %d bytes.", MaxKey)
	case !utf8.ValidString(key):
		faults.Add("key", errs.CodeNotUnicode, "key must be UTF-8, percent-encoded.")
	}
}

func (s *Service) expired(e Entry) bool { return !e.ExpiresAt.IsZero() && !s.Now().Before(e.ExpiresAt) }

// Get returns what is stored under a key, or ErrNoKey.
func (s *Service) Get(ctx context.Context, installation, key string) (Entry, error) {
	e, err := s.Store.Get(ctx, installation, key)
	if errs.KindOf(err) == errs.NotFound || err == nil && s.expired(e) {
		return Entry{}, ErrNoKey
	}
	return e, err
}

// List returns the entries whose keys begin with prefix and follow after, in the order
// of their bytes, at most limit; and whether there are more.
func (s *Service) List(
	ctx context.Context, installation, prefix, after string, limit int,
) (found []Entry, more bool, err error) {
	first := max(prefix, after)
	if first == after && after != "" {
		first = after + "\x00" // the next key there can be
	}
	found, err = s.Store.List(ctx, installation, first, s.Now(), limit+1)
	if err != nil {
		return nil, false, err
	}
	for i, e := range found {
		if len(e.Key) < len(prefix) || e.Key[:len(prefix)] != prefix {
			return found[:i], false, nil // keys with a prefix follow one another
		}
	}
	if len(found) > limit {
		return found[:limit], true, nil
	}
	return found, false, nil
}

// Put stores e.Data under e.Key, for ttl unless that is zero, in place of what is there,
// and returns the entry with its ETag and whether it is new. It returns ErrStale if the
// condition does not hold and ErrQuota if the storage is full; then nothing changes.
func (s *Service) Put(
	ctx context.Context, installation string, e Entry, ttl time.Duration, c Condition,
) (stored Entry, created bool, err error) {
	e.By = reqctx.BehalfFrom(ctx)
	e.ETag, e.Size, e.ExpiresAt = rand.Text(), int64(len(e.Data)), time.Time{}
	if ttl > 0 {
		e.ExpiresAt = s.Now().Add(ttl)
	}
	err = s.change(ctx, installation, e.Key, c, func(tx Store, use Use, old Entry, exists bool) (Use, error) {
		created = !exists
		use.Bytes += e.Size - old.Size
		if !exists {
			use.Keys++
		}
		if use.Bytes > Quota || use.Keys > MaxKeys {
			return use, ErrQuota.With("bytes", Quota).With("keys", MaxKeys)
		}
		return use, tx.Put(ctx, installation, e)
	})
	return e, created, err
}

// Delete removes what is stored under a key, if anything is. It returns ErrStale if the
// condition does not hold.
func (s *Service) Delete(ctx context.Context, installation, key string, c Condition) error {
	return s.change(ctx, installation, key, c, func(tx Store, use Use, old Entry, exists bool) (Use, error) {
		if !exists {
			return use, nil
		}
		use.Keys, use.Bytes = use.Keys-1, use.Bytes-old.Size
		return use, tx.Delete(ctx, installation, key)
	})
}

// changeFunc changes what is stored under a key, of which old is stored if it exists,
// and returns how much the installation stores then.
type changeFunc func(tx Store, use Use, old Entry, exists bool) (Use, error)

// change runs do while nobody else changes the installation's storage, without what has
// expired of it, if c holds.
func (s *Service) change(ctx context.Context, installation, key string, c Condition, do changeFunc) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		before, err := tx.Lock(ctx, installation)
		if errs.KindOf(err) == errs.NotFound {
			return errGone
		} else if err != nil {
			return err
		}
		gone, err := tx.DeleteExpired(ctx, installation, s.Now())
		if err != nil {
			return err
		}
		use := Use{Keys: before.Keys - gone.Keys, Bytes: before.Bytes - gone.Bytes}
		old, err := tx.Head(ctx, installation, key)
		exists := err == nil
		if err != nil && errs.KindOf(err) != errs.NotFound {
			return err
		}
		if !c.holds(old, exists) {
			return ErrStale
		}
		if use, err = do(tx, use, old, exists); err != nil || use == before {
			return err
		}
		return tx.SaveUse(ctx, installation, use)
	})
}

const (
	sweepEvery = 10 * time.Minute
	sweepBatch = 100
)

// KeepSwept removes what has expired, from time to time until ctx ends: an installation
// that is not used anymore would keep it.
func (s *Service) KeepSwept(ctx context.Context, log *slog.Logger) {
	task := background.Task{
		Every: sweepEvery, Limit: sweepEvery, Log: log, Failed: "expired values of plugins could not be removed",
	}
	task.Run(ctx, s.Sweep)
}

// Sweep removes what has expired of every installation.
func (s *Service) Sweep(ctx context.Context) error {
	for {
		list, err := s.Store.ExpiredBy(ctx, s.Now(), sweepBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, id := range list {
			err := s.change(ctx, id, "", Condition{}, func(_ Store, use Use, _ Entry, _ bool) (Use, error) {
				return use, nil
			})
			if err != nil && !errors.Is(err, errGone) {
				return err
			}
		}
	}
}
