package origin

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"stoa/internal/base/errs"
	"stoa/internal/market/terms"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/keyring"
)

// KeyPurpose is that of the keys that sign metadata. The root names the next key long before it signs, so it may sign
// at once; and clients ask for the root again, so that nothing needs a key that has stopped.
var KeyPurpose = keyring.Purpose{Name: "market"}

// Root is what is told of a root.
type Root struct {
	Version   int64
	ExpiresAt time.Time
	// Fingerprint is what the market is known by: that of its first root.
	Fingerprint string
	// Named are the ids of the online keys that the root names, oldest first.
	Named []string
}

// MaxRootKeys is the number of root keys that a market may have.
const MaxRootKeys = 16

// Init makes this stoa a market: its first root, which the root keys sign, of which threshold are needed for each later
// one. It makes the online keys, unless a market that was not completed left some. The error is ErrMarket if there is
// a market.
func (s *Service) Init(ctx context.Context, rootKeys []ed25519.PrivateKey, threshold int) (Root, error) {
	if len(rootKeys) == 0 || len(rootKeys) > MaxRootKeys || threshold < 1 || threshold > len(rootKeys) {
		return Root{}, errors.New("market: a root has 1 to 16 keys, and a threshold of no more")
	}
	if _, err := s.Store.Metadata(ctx, terms.Root, 0); err == nil {
		return Root{}, ErrMarket
	} else if errs.KindOf(err) != errs.NotFound {
		return Root{}, err
	}
	if err := s.Ring.Init(ctx); err != nil {
		return Root{}, err
	}
	var made Root
	err := s.Store.InTx(ctx, func(tx Store) error {
		if _, err := tx.Metadata(ctx, terms.Root, 0); err == nil {
			return ErrMarket
		} else if errs.KindOf(err) != errs.NotFound {
			return err
		}
		now := s.Now()
		m := metadata.Root(ends(terms.Root, now))
		own := m.Signed.Roles[terms.Root]
		own.Threshold = threshold
		for _, key := range rootKeys {
			public, id, err := keyOf(publicOf(key))
			if err != nil {
				return err
			}
			m.Signed.Keys[id] = public
			own.KeyIDs = append(own.KeyIDs, id)
		}
		var err error
		made, err = s.putRoot(ctx, tx, m, rootKeys, now, audit.MarketInit)
		return err
	})
	return made, err
}

// Renew signs the next root, which names the present online keys, the current and the next. The error is ErrNone
// without a market, and ErrRootKeys if the keys are too few of those that the root names.
func (s *Service) Renew(ctx context.Context, rootKeys []ed25519.PrivateKey) (Root, error) {
	if _, err := currentRoot(ctx, s.Store); err != nil { // without a market there are no keys either
		return Root{}, err
	}
	if err := s.Ring.Refresh(ctx); err != nil {
		return Root{}, err
	}
	var made Root
	err := s.Store.InTx(ctx, func(tx Store) error {
		m, err := currentRoot(ctx, tx)
		if err != nil {
			return err
		}
		own := m.Signed.Roles[terms.Root]
		signers := make(map[string]ed25519.PrivateKey)
		for _, key := range rootKeys {
			_, id, err := keyOf(publicOf(key))
			if err != nil {
				return err
			}
			if !slices.Contains(own.KeyIDs, id) {
				return ErrRootKeys
			}
			signers[id] = key
		}
		if len(signers) < own.Threshold {
			return ErrRootKeys
		}
		now := s.Now()
		for id := range m.Signed.Keys {
			if !slices.Contains(own.KeyIDs, id) {
				delete(m.Signed.Keys, id)
			}
		}
		m.Signed.Version++
		m.Signed.Expires = ends(terms.Root, now)
		list := make([]ed25519.PrivateKey, 0, len(signers))
		for _, id := range own.KeyIDs {
			if key, ok := signers[id]; ok {
				list = append(list, key)
			}
		}
		made, err = s.putRoot(ctx, tx, m, list, now, audit.MarketRenew)
		return err
	})
	return made, err
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	public, _ := key.Public().(ed25519.PublicKey) // always is one
	return public
}

// putRoot has a root name the online keys, signs it and makes it the current one.
func (s *Service) putRoot(
	ctx context.Context, tx Store, m *metadata.Metadata[metadata.RootType], keys []ed25519.PrivateKey, now time.Time,
	action audit.Action,
) (Root, error) {
	online, err := s.online(ctx)
	if err != nil {
		return Root{}, err
	}
	ids := make([]string, len(online))
	for i, k := range online {
		public, id, err := keyOf(k)
		if err != nil {
			return Root{}, err
		}
		m.Signed.Keys[id], ids[i] = public, id
	}
	for _, role := range []string{terms.Timestamp, terms.Snapshot, terms.Targets} {
		m.Signed.Roles[role] = &metadata.Role{KeyIDs: ids, Threshold: 1}
	}
	content, err := signed(m, keys...)
	if err != nil {
		return Root{}, err
	}
	if int64(len(content)) > terms.MaxMetadata {
		return Root{}, ErrFull.With("role", terms.Root)
	}
	head := Head{Role: terms.Root, Version: m.Signed.Version, SignedAt: now, ExpiresAt: m.Signed.Expires}
	if err := tx.Put(ctx, Signed{head, content}); err != nil {
		return Root{}, err
	}
	if err := tx.Record(ctx, audit.New(ctx, now, action, audit.Target{Type: "market", ID: "self"},
		audit.Details{"root": m.Signed.Version, "keys": ids})); err != nil {
		return Root{}, err
	}
	return s.rootOf(ctx, tx, m)
}

// online returns the public keys that a new root names: the current and the next.
func (s *Service) online(ctx context.Context) ([]ed25519.PublicKey, error) {
	list, err := s.Ring.List(ctx)
	if err != nil {
		return nil, err
	}
	var public []ed25519.PublicKey
	for _, info := range list {
		if info.Stage == keyring.StagePrevious {
			continue
		}
		k, err := s.Ring.Key(ctx, info.ID)
		if err != nil {
			return nil, fmt.Errorf("market: key %s: %w", info.ID, err)
		}
		public = append(public, k.Public())
	}
	return public, nil
}

// currentRoot returns the current root, or ErrNone.
func currentRoot(ctx context.Context, st Store) (*metadata.Metadata[metadata.RootType], error) {
	kept, err := st.Metadata(ctx, terms.Root, 0)
	if err != nil {
		return nil, errs.Missing(err, ErrNone)
	}
	m, err := new(metadata.Metadata[metadata.RootType]).FromBytes(kept.Content)
	if err != nil {
		return nil, fmt.Errorf("market: the root in the database: %w", err)
	}
	return m, nil
}

// Root returns the current root, or ErrNone.
func (s *Service) Root(ctx context.Context) (Root, error) {
	m, err := currentRoot(ctx, s.Store)
	if err != nil {
		return Root{}, err
	}
	return s.rootOf(ctx, s.Store, m)
}

func (s *Service) rootOf(ctx context.Context, st Store, m *metadata.Metadata[metadata.RootType]) (Root, error) {
	first, err := st.Metadata(ctx, terms.Root, 1)
	if err != nil {
		return Root{}, err
	}
	return Root{
		Version: m.Signed.Version, ExpiresAt: m.Signed.Expires, Fingerprint: terms.Fingerprint(first.Content),
		Named: m.Signed.Roles[terms.Timestamp].KeyIDs,
	}, nil
}

// names returns ErrKey unless a root names a key for what is signed online.
func names(m *metadata.Metadata[metadata.RootType], public ed25519.PublicKey) error {
	_, id, err := keyOf(public)
	if err != nil {
		return err
	}
	if !slices.Contains(m.Signed.Roles[terms.Timestamp].KeyIDs, id) {
		return ErrKey
	}
	return nil
}

// MaySign returns ErrKey for a key of KeyPurpose that the current root does not name, and ErrNone without a market. It
// is for keyring.Ring.MaySign: only what clients know by then may become the current key.
func (s *Service) MaySign(ctx context.Context, id string) error {
	m, err := currentRoot(ctx, s.Store)
	if err != nil {
		return err
	}
	k, err := s.Ring.Key(ctx, id)
	if err != nil {
		return fmt.Errorf("market: key %s: %w", id, err)
	}
	return names(m, k.Public())
}
