package license

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"hash"
	"sync"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/shop/product"
	"stoa/internal/trust/seal"
)

// Vault issues license keys and protects them in the database, which holds only a keyed hash and an
// encrypted copy of each. It is safe for concurrent use.
type Vault struct {
	lookup *seal.Derived[*keyHasher]
	box    *seal.Box
}

// SealedFor is the purpose for which keys are sealed (seal.Key.Box).
const SealedFor = "market.license.key"

// NewVault returns the Vault of the master keys.
func NewVault(master *seal.Keys) *Vault {
	// The labels are part of every stored key: never change them.
	return &Vault{
		lookup: seal.Derive(master, "market.license.lookup", newKeyHasher),
		box:    master.Box(SealedFor),
	}
}

// Issue returns a new license of a tier for a user, and its key. It stores nothing.
func (v *Vault) Issue(productID string, t product.Tier, userID string, now time.Time) (License, Key) {
	key := NewKey()
	l := License{
		ID: ids.New(), ProductID: productID, TierID: t.ID, UserID: userID, KeyHash: v.Hash(key),
		KeyTail: key.Tail(), Features: t.Features, MaxInstances: t.MaxInstances, CreatedAt: now,
	}
	l.KeySealed = v.Seal(key, l.ID)
	l.Begin(t.Period.Months(), now)
	return l, key
}

// Hash returns the License.KeyHash of a key of a new license.
func (v *Vault) Hash(key Key) string { return v.lookup.Sealing().hash(key) }

// Hashes returns the License.KeyHash values to look for, in this order, until a license is found: there
// are several while another master key replaces the present one. The first one is also the last then:
// the hash of a license may change between two look-ups, but only once.
func (v *Vault) Hashes(key Key) []string {
	all := v.lookup.All()
	if len(all) == 1 {
		return []string{all[0].hash(key)}
	}
	list := make([]string, 0, len(all)+1)
	for _, hasher := range all {
		list = append(list, hasher.hash(key))
	}
	return append(list, list[0])
}

// IsKeyOf reports whether key is the key of l.
func (v *Vault) IsKeyOf(key Key, l License) bool {
	for _, hash := range v.Hashes(key) {
		if subtle.ConstantTimeCompare([]byte(hash), []byte(l.KeyHash)) == 1 {
			return true
		}
	}
	return false
}

// FindByHash calls find with the Hashes of a key until it returns something other than an
// errs.NotFound error, and returns that.
func FindByHash[T any](v *Vault, key Key, find func(hash string) (T, error)) (found T, err error) {
	for _, hash := range v.Hashes(key) {
		if found, err = find(hash); errs.KindOf(err) != errs.NotFound {
			break
		}
	}
	return found, err
}

// Seal returns the License.KeySealed of a key.
func (v *Vault) Seal(key Key, licenseID string) string {
	return v.box.Seal([]byte(key.Reveal()), licenseID)
}

// Open returns the key of a license. It returns seal.ErrOpen for a key that was sealed with another
// master key or for another license.
func (v *Vault) Open(l License) (Key, error) {
	text, err := v.box.Open(l.KeySealed, l.ID)
	if err != nil {
		return Key{}, fmt.Errorf("license %s: open its key: %w", l.ID, err)
	}
	return ParseKey(string(text))
}

// keyHasher hashes keys for look-ups. The secret keeps someone with a copy of the database from
// searching it for a known key. MACs are reused: setting one up costs as much as computing it, and
// every verification needs one.
type keyHasher struct{ idle sync.Pool }

func newKeyHasher(secret []byte) *keyHasher {
	return &keyHasher{idle: sync.Pool{New: func() any { return &keyMAC{mac: hmac.New(sha256.New, secret)} }}}
}

// keyMAC is an HMAC with buffers for its input and output.
type keyMAC struct {
	mac  hash.Hash
	text [keyText]byte
	sum  [sha256.Size]byte
}

func (h *keyHasher) hash(k Key) string {
	m := h.idle.Get().(*keyMAC) //nolint:forcetypeassert // the pool holds nothing else
	defer h.idle.Put(m)
	m.mac.Reset()
	m.mac.Write(k.appendText(m.text[:0]))
	return hex.EncodeToString(m.mac.Sum(m.sum[:0]))
}
