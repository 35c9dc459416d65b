package origin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/market/terms"
	"stoa/internal/trust/keyring"
)

const (
	// resignEvery is how old a timestamp gets.
	resignEvery = 10 * time.Minute
	// syncAttempts is how often Sync begins anew because keys were rotated meanwhile.
	syncAttempts = 5
)

// Sync signs whatever does not say what the shop offers now, was signed by another key than the current one, or has
// less than half of its life left, all in one transaction. It may be repeated at any time: without a difference nothing
// is signed.
//
// The error is ErrNone without a market, ErrKey if the root does not name the current key, and ErrFull if metadata
// would be too large; nothing is signed then.
func (s *Service) Sync(ctx context.Context) error {
	for range syncAttempts {
		done, err := s.sync(ctx)
		if done || err != nil {
			return err
		}
	}
	return errors.New("market: the keys change all the time; nothing was signed")
}

// inputs are what metadata follows from, apart from the releases.
type inputs struct {
	mark  Mark
	key   keyring.Key       // that signs
	files map[string][]byte // the targets that are no packages
}

// sync is an attempt of Sync. It is not done if keys were rotated meanwhile.
func (s *Service) sync(ctx context.Context) (done bool, err error) {
	in, err := s.read(ctx)
	if err != nil {
		return false, err
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		done = false
		now, err := tx.Mark(ctx)
		if err != nil || now.Keys != in.mark.Keys {
			return err
		}
		root, err := currentRoot(ctx, tx)
		if err != nil {
			return err
		}
		if err := names(root, in.key.Public()); err != nil {
			return err
		}
		r := round{in: in, tx: tx, now: s.Now()}
		if err := r.sign(ctx); err != nil {
			return err
		}
		st, err := tx.State(ctx)
		if err != nil {
			return err
		}
		done = true
		if was := st.Signed; was == in.mark.text() {
			return nil
		}
		st.Signed = in.mark.text()
		return tx.PutState(ctx, st)
	})
	return done, err
}

// text is another for another Mark.
func (m Mark) text() string { return fmt.Sprintf("%d %d %s", m.Changes, m.Root, m.Keys) }

// read returns what metadata follows from. The Mark is read first: what changes later is noticed.
func (s *Service) read(ctx context.Context) (in inputs, err error) {
	if in.mark, err = s.Store.Mark(ctx); err != nil {
		return in, err
	}
	if in.mark.Root == 0 {
		return in, ErrNone
	}
	if in.key, err = s.signer(ctx, in.mark.Signer); err != nil {
		return in, err
	}
	if err := s.LicenseKeys.Refresh(ctx); err != nil {
		return in, err
	}
	keys, err := s.LicenseKeys.JWKS(ctx)
	if err != nil {
		return in, err
	}
	name, err := s.Name(ctx)
	if err != nil {
		return in, err
	}
	market, err := json.Marshal(terms.Market{Name: name, URL: s.URL, PlatformID: s.PlatformID})
	if err != nil {
		return in, err
	}
	jwks, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		return in, err
	}
	in.files = map[string][]byte{
		terms.MarketFile: market, terms.LicenseKeysFile: jwks, terms.RecallsFile: terms.NoRecalls(),
	}
	return in, nil
}

// signer returns the key with the id of the current one in the database.
func (s *Service) signer(ctx context.Context, id string) (keyring.Key, error) {
	if id == "" {
		return keyring.Key{}, ErrNone
	}
	k, err := s.Ring.Key(ctx, id)
	if errors.Is(err, keyring.ErrUnknown) {
		if err = s.Ring.Refresh(ctx); err == nil {
			k, err = s.Ring.Key(ctx, id)
		}
	}
	return k, err
}

// round is one comparison of what is signed with what should be.
type round struct {
	in  inputs
	tx  Store
	now time.Time

	heads map[string]Head // by role
	fresh bool            // something was signed that the snapshot names
}

// sign signs what differs, from what is named to what names it.
func (r *round) sign(ctx context.Context) error {
	list, err := r.tx.Heads(ctx)
	if err != nil {
		return err
	}
	r.heads = make(map[string]Head, len(list))
	for _, h := range list {
		r.heads[h.Role] = h
	}
	slugs, err := r.products(ctx)
	if err != nil {
		return err
	}
	if err := r.targets(ctx, slugs); err != nil {
		return err
	}
	if err := r.snapshot(ctx); err != nil {
		return err
	}
	return r.timestamp(ctx)
}

// due reports whether a role has to be signed: it does not say this, another key signed it, or half of its life is
// over.
func (r *round) due(role, says string) bool {
	h, ok := r.heads[role]
	return !ok || h.Says != says || h.KeyID != r.in.key.ID || h.ExpiresAt.Sub(r.now) < terms.Life(role)/2
}

// put signs the next version of a role.
func (r *round) put(ctx context.Context, role, says string, file func(version int64) ([]byte, error)) error {
	h := Head{
		Role: role, Version: terms.NextVersion(r.heads[role].Version, r.now), Says: says, KeyID: r.in.key.ID,
		SignedAt: r.now, ExpiresAt: ends(role, r.now),
	}
	content, err := file(h.Version)
	if err != nil {
		return err
	}
	if int64(len(content)) > terms.MaxSize(role) {
		return ErrFull.With("role", role)
	}
	r.heads[role] = h
	return r.tx.Put(ctx, Signed{h, content})
}

// products signs the roles of products, and returns the slugs of all. A role stays when its product has nothing to
// offer any more, or was deleted: a snapshot without it would look like one that hides it.
func (r *round) products(ctx context.Context) ([]string, error) {
	offers, err := r.tx.Offers(ctx)
	if err != nil {
		return nil, err
	}
	by := make(map[string][]Offer)
	for _, o := range offers {
		by[o.ProductSlug] = append(by[o.ProductSlug], o)
	}
	for role := range r.heads {
		if slug, ok := terms.ProductOf(role); ok && by[slug] == nil {
			by[slug] = []Offer{}
		}
	}
	slugs := slices.Sorted(maps.Keys(by))
	for _, slug := range slugs {
		ts, err := ofProduct(by[slug])
		if err != nil {
			return nil, err
		}
		role, says := terms.RoleOf(slug), ts.says(nil)
		if !r.due(role, says) {
			continue
		}
		r.fresh = true
		if err := r.put(ctx, role, says, func(version int64) ([]byte, error) {
			return targetsFile(role, ts, nil, version, r.now, r.in.key.Private)
		}); err != nil {
			return nil, err
		}
	}
	return slugs, nil
}

// targets signs the targets that are no packages, and the delegations.
func (r *round) targets(ctx context.Context, slugs []string) error {
	ts := make(targets, len(r.in.files))
	hashes := make(map[string]string, len(r.in.files))
	for name, content := range r.in.files {
		sum := sha256.Sum256(content)
		hashes[name] = hex.EncodeToString(sum[:])
		if err := ts.add(name, int64(len(content)), hashes[name], nil); err != nil {
			return err
		}
	}
	says := ts.says(slugs)
	if !r.due(terms.Targets, says) {
		return nil
	}
	r.fresh = true
	for name, content := range r.in.files {
		if err := r.tx.PutTarget(ctx, name, hashes[name], content, r.now); err != nil {
			return err
		}
	}
	to, err := delegations(r.in.key.Public(), slugs)
	if err != nil {
		return err
	}
	return r.put(ctx, terms.Targets, says, func(version int64) ([]byte, error) {
		return targetsFile(terms.Targets, ts, to, version, r.now, r.in.key.Private)
	})
}

// snapshot signs the versions, if one of them is new.
func (r *round) snapshot(ctx context.Context) error {
	if !r.fresh && !r.due(terms.Snapshot, "") {
		return nil
	}
	versions := make(map[string]int64, len(r.heads))
	for role, h := range r.heads {
		if _, ok := terms.ProductOf(role); ok || role == terms.Targets {
			versions[role] = h.Version
		}
	}
	r.fresh = true
	return r.put(ctx, terms.Snapshot, "", func(version int64) ([]byte, error) {
		return snapshotFile(versions, version, r.now, r.in.key.Private)
	})
}

// timestamp signs which snapshot is the latest, if that is another one, or because it is some minutes ago that it was.
func (r *round) timestamp(ctx context.Context) error {
	age := r.now.Sub(r.heads[terms.Timestamp].SignedAt)
	if !r.fresh && !r.due(terms.Timestamp, "") && age >= 0 && age < resignEvery {
		return nil
	}
	return r.put(ctx, terms.Timestamp, "", func(version int64) ([]byte, error) {
		return timestampFile(r.heads[terms.Snapshot].Version, version, r.now, r.in.key.Private)
	})
}

// Stale reports whether something may have changed since Sync last compared. It reads a few numbers.
func (s *Service) Stale(ctx context.Context) (bool, error) {
	mark, err := s.Store.Mark(ctx)
	if err != nil {
		return false, err
	}
	st, err := s.Store.State(ctx)
	return st.Signed != mark.text(), err
}

// Exists reports whether there is a market.
func (s *Service) Exists(ctx context.Context) (bool, error) {
	_, err := s.Store.Metadata(ctx, terms.Root, 0)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}
	return err == nil, err
}
