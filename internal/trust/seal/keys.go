package seal

import "sync/atomic"

// Keys are the master keys that a process knows: the one that seals, and others that only
// open, while one replaces another. They are safe for concurrent use, also while they change.
type Keys struct {
	known atomic.Pointer[[]*Key] // the one that seals first; never changed in place
}

// NewKeys returns the Keys of a process. They are all different.
func NewKeys(sealing *Key, others ...*Key) *Keys {
	k := new(Keys)
	k.Set(sealing, others...)
	return k
}

// Set replaces the keys. Values that are sealed meanwhile are sealed with the old or the
// new sealing key.
func (k *Keys) Set(sealing *Key, others ...*Key) {
	known := append([]*Key{sealing}, others...)
	k.known.Store(&known)
}

// Known returns all keys, the one that seals first. The caller must not change the slice.
func (k *Keys) Known() []*Key { return *k.known.Load() }

// Box returns the Box of a purpose, such as "plugin.config".
func (k *Keys) Box(purpose string) *Box { return &Box{ciphers: Derive(k, purpose, newCipher)} }

// Derived is something made of the key that each master key gives for a purpose. It follows
// the Keys when they change. It is safe for concurrent use.
type Derived[T any] struct {
	keys    *Keys
	purpose string
	make    func(secret []byte) T
	last    atomic.Pointer[derivation[T]]
}

// derivation is what was made of a certain set of keys.
type derivation[T any] struct {
	of  *[]*Key
	all []T
}

// Derive returns what make returns for the key of 32 bytes that each of keys gives for a
// purpose (Key.Derive).
func Derive[T any](keys *Keys, purpose string, make func(secret []byte) T) *Derived[T] {
	return &Derived[T]{keys: keys, purpose: purpose, make: make}
}

// Sealing returns what was made of the key that seals.
func (d *Derived[T]) Sealing() T { return d.All()[0] }

// All returns what was made of each key, of the one that seals first.
func (d *Derived[T]) All() []T {
	now := d.keys.known.Load()
	if last := d.last.Load(); last != nil && last.of == now {
		return last.all
	}
	all := make([]T, len(*now))
	for i, key := range *now {
		all[i] = d.make(key.Derive(d.purpose))
	}
	d.last.Store(&derivation[T]{of: now, all: all})
	return all
}
