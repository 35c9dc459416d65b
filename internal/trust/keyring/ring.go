package keyring

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"stoa/internal/trust/seal"
)

// When a Ring reads the keys again, because another replica may have rotated them. Once a minute is
// enough, because a key is published long before it signs. An unknown key, as after two rotations
// in a row, is looked up at once, but only a few times and then every few seconds, because clients
// can forge key ids.
const (
	ringFresh   = time.Minute
	ringBurst   = 5               // look-ups of unknown keys in a row
	ringUnknown = 5 * time.Second // until one more look-up is allowed
)

// ErrUnknown is returned for a key id that no key of the Ring has.
var ErrUnknown = errors.New("keyring: unknown key")

// Ring holds the keys of one purpose. They are stored sealed in the database; a Ring
// keeps them in memory and reads them again from time to time. All fields but MaySign are required.
// It is safe for concurrent use.
type Ring struct {
	Store   Store
	Purpose Purpose
	// Box seals the keys: seal.Key.Box(Purpose.Box()).
	Box *seal.Box
	Now func() time.Time

	// MaySign, unless it is nil, returns an error while the key with that id may not become the current one.
	// Rotate asks it.
	MaySign func(ctx context.Context, id string) error

	mu     sync.Mutex
	loaded time.Time // when the keys were last read; zero for never
	keys   map[string]Key
	order  []string  // ids, oldest first
	signer string    // id of the current key
	full   time.Time // when ringBurst look-ups of unknown keys are allowed again
}

// Init loads the keys. If there are none, it first creates a current and a next one.
// Several replicas may call it at the same time; all get the same keys.
func (r *Ring) Init(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	for _, stage := range []Stage{StageCurrent, StageNext} {
		if err := r.Store.AddKeyOnce(ctx, r.newKey(stage, now)); err != nil {
			return fmt.Errorf("signing keys: %w", err)
		}
	}
	return r.load(ctx, now)
}

// load reads the keys. The caller holds the lock.
func (r *Ring) load(ctx context.Context, now time.Time) error {
	stored, err := r.Store.ListKeys(ctx, r.Purpose.Name)
	if err != nil {
		return fmt.Errorf("signing keys: %w", err)
	}
	keys, order, signer := make(map[string]Key, len(stored)), make([]string, 0, len(stored)), ""
	for _, s := range stored {
		seed, err := r.Box.Open(s.Sealed, s.ID)
		if err != nil {
			return fmt.Errorf("signing key %s was sealed with another master key; "+
				"start stoa with the master key of this database: %w", s.ID, err)
		}
		k, err := KeyFromSeed(seed)
		if err != nil || k.ID != s.ID {
			return fmt.Errorf("signing key %s is damaged", s.ID)
		}
		keys[s.ID], order = k, append(order, s.ID)
		if s.Stage == StageCurrent {
			signer = s.ID
		}
	}
	if signer == "" {
		return errors.New("signing keys: there is no current key")
	}
	r.keys, r.order, r.signer, r.loaded = keys, order, signer, now
	return nil
}

// reload reads the keys again if they are older than fresh. If the database does not
// answer, the known keys stay in use and the next call tries again.
func (r *Ring) reload(ctx context.Context, fresh time.Duration) error {
	now := r.Now()
	if !r.loaded.IsZero() && now.Sub(r.loaded) < fresh {
		return nil
	}
	if err := r.load(ctx, now); err != nil && r.loaded.IsZero() {
		return err
	}
	return nil
}

// Refresh reads the keys again, however fresh they are.
func (r *Ring) Refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.load(ctx, r.Now())
}

// Signer returns the current key.
func (r *Ring) Signer(ctx context.Context) (Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.reload(ctx, ringFresh); err != nil {
		return Key{}, err
	}
	return r.keys[r.signer], nil
}

// mayLook reports whether an unknown key may be looked up in the database, and counts
// the look-up. The caller holds the lock.
func (r *Ring) mayLook() bool {
	now := r.Now()
	if r.full.Before(now) {
		r.full = now
	}
	if r.full.Sub(now) > (ringBurst-1)*ringUnknown {
		return false
	}
	r.full = r.full.Add(ringUnknown)
	return true
}

// Key returns the key with that id, or ErrUnknown. It looks up an unknown key in the
// database, at most five times in a row and then once every five seconds.
func (r *Ring) Key(ctx context.Context, id string) (Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := ringFresh
	if _, known := r.keys[id]; !known && r.mayLook() {
		fresh = 0
	}
	if err := r.reload(ctx, fresh); err != nil {
		return Key{}, err
	}
	k, known := r.keys[id]
	if !known {
		return Key{}, ErrUnknown
	}
	return k, nil
}

// PublicKeys returns the public keys of all stages, oldest first.
func (r *Ring) PublicKeys(ctx context.Context) ([]ed25519.PublicKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.reload(ctx, ringFresh); err != nil {
		return nil, err
	}
	keys := make([]ed25519.PublicKey, len(r.order))
	for i, id := range r.order {
		keys[i] = r.keys[id].Public()
	}
	return keys, nil
}

// JWKS returns the public keys of all stages, oldest first.
func (r *Ring) JWKS(ctx context.Context) ([]JWK, error) {
	keys, err := r.PublicKeys(ctx)
	if err != nil {
		return nil, err
	}
	set := make([]JWK, len(keys))
	for i, k := range keys {
		set[i] = PublicJWK(k)
	}
	return set, nil
}
