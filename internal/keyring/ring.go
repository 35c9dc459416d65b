package keyring

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"stoa/internal/seal"
)

// How fresh a Ring is. Another replica may rotate the keys: a new key is
// published long before it signs, so a minute is soon enough; one that is not
// known at all, as after two rotations at once, is looked for at once, but only a
// few times in a row and then every few seconds, because anybody can make up key
// ids.
const (
	ringFresh   = time.Minute
	ringBurst   = 5               // looks for unknown keys in a row
	ringUnknown = 5 * time.Second // until there is one look more
)

// ErrUnknown is returned for a key id that no key of the Ring has.
var ErrUnknown = errors.New("keyring: unknown key")

// Ring holds the keys of one purpose. They live in the database, sealed; a Ring
// keeps them in memory and looks again now and then. All fields are required. It
// is safe for concurrent use.
type Ring struct {
	Store   Store
	Purpose Purpose
	// Box seals the keys: seal.Key.Box(Purpose.Box()).
	Box *seal.Box
	Now func() time.Time

	mu     sync.Mutex
	loaded time.Time // when the database was last asked; zero for never
	keys   map[string]Key
	order  []string  // ids, oldest first
	signer string    // id of the current key
	full   time.Time // when all looks for unknown keys are there again; zero for now
}

// Init makes the first keys, one that signs and one that will after it, unless
// there are some, and loads them. Several replicas may call it at once: all end
// up with the same keys.
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
			return fmt.Errorf("signing key %s was sealed with another master key; start with the one this database was made with: %w", s.ID, err)
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
		return fmt.Errorf("signing keys: none is current")
	}
	r.keys, r.order, r.signer, r.loaded = keys, order, signer, now
	return nil
}

// reload loads again what is older than fresh. When the database does not
// answer, what is known goes on being used: the next request asks again.
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

// Signer returns the key that signs at present.
func (r *Ring) Signer(ctx context.Context) (Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.reload(ctx, ringFresh); err != nil {
		return Key{}, err
	}
	return r.keys[r.signer], nil
}

// mayLook reports whether the database may be asked for a key that is not known,
// and counts it. The caller holds the lock.
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

// Key returns the key with that id, or ErrUnknown when there is none. It
// looks into the database for one it does not know, five times in a row and then
// once every five seconds.
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
