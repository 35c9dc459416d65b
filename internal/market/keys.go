package market

import (
	"time"

	"stoa/internal/cuid2"
	"stoa/internal/seal"
)

// Keys hides licence keys in the database.
type Keys struct {
	lookup *keyHasher
	box    *seal.Box
}

// NewKeys returns the Keys of a master key.
func NewKeys(master *seal.Key) *Keys {
	return &Keys{lookup: newKeyHasher(master.Derive("market.license.lookup")), box: master.Box("market.license.key")}
}

// Hash returns what a key is looked up by.
func (k *Keys) Hash(key LicenseKey) string { return k.lookup.hash(key) }

// Seal encrypts a key for the row of its licence.
func (k *Keys) Seal(key LicenseKey, licenseID string) string {
	return k.box.Seal([]byte(key.Reveal()), licenseID)
}

// Open reverses Seal. It returns seal.ErrOpen for what was sealed with another
// master key or for another licence.
func (k *Keys) Open(sealed, licenseID string) (LicenseKey, error) {
	text, err := k.box.Open(sealed, licenseID)
	if err != nil {
		return LicenseKey{}, err
	}
	return ParseLicenseKey(string(text))
}

// Issue returns a new license of a tier for a user, and its key. Nothing is stored.
func (k *Keys) Issue(productID string, t Tier, userID string, now time.Time) (License, LicenseKey) {
	key := NewLicenseKey()
	l := License{
		ID: cuid2.New(), ProductID: productID, TierID: t.ID, UserID: userID, KeyHash: k.Hash(key),
		Features: t.Features, MaxInstances: t.MaxInstances, CreatedAt: now,
	}
	l.KeySealed = k.Seal(key, l.ID)
	l.Begin(t.Period.Months(), now)
	return l, key
}
