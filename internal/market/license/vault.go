package license

import (
	"time"

	"stoa/internal/cuid2"
	"stoa/internal/market/product"
	"stoa/internal/seal"
)

// Vault hides licence keys in the database.
type Vault struct {
	lookup *keyHasher
	box    *seal.Box
}

// NewVault returns the Vault of a master key.
func NewVault(master *seal.Key) *Vault {
	return &Vault{lookup: newKeyHasher(master.Derive("market.license.lookup")), box: master.Box("market.license.key")}
}

// Hash returns what a key is looked up by.
func (k *Vault) Hash(key Key) string { return k.lookup.hash(key) }

// Seal encrypts a key for the row of its licence.
func (k *Vault) Seal(key Key, licenseID string) string {
	return k.box.Seal([]byte(key.Reveal()), licenseID)
}

// Open reverses Seal. It returns seal.ErrOpen for what was sealed with another
// master key or for another licence.
func (k *Vault) Open(sealed, licenseID string) (Key, error) {
	text, err := k.box.Open(sealed, licenseID)
	if err != nil {
		return Key{}, err
	}
	return ParseKey(string(text))
}

// Issue returns a new license of a tier for a user, and its key. Nothing is stored.
func (k *Vault) Issue(productID string, t product.Tier, userID string, now time.Time) (License, Key) {
	key := NewKey()
	l := License{
		ID: cuid2.New(), ProductID: productID, TierID: t.ID, UserID: userID, KeyHash: k.Hash(key), KeyTail: key.Tail(),
		Features: t.Features, MaxInstances: t.MaxInstances, CreatedAt: now,
	}
	l.KeySealed = k.Seal(key, l.ID)
	l.Begin(t.Period.Months(), now)
	return l, key
}
