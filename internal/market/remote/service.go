package remote

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/market/terms"
	"stoa/internal/trust/audit"
)

// Service knows the markets that an administrator trusts. All fields are required. It is safe for
// concurrent use.
type Service struct {
	Store   Store
	Fetcher *Fetcher
	// Local returns what the shop of this stoa is called, and its address.
	Local func(ctx context.Context) (name, address string)
	Log   *slog.Logger
	Now   func() time.Time
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// local returns the market of this stoa itself.
func (s *Service) local(ctx context.Context) Market {
	name, address := s.Local(ctx)
	return Market{ID: Self, Name: name, URL: address}
}

// List returns all markets: the local one, then the others, the oldest first.
func (s *Service) List(ctx context.Context) ([]Market, error) {
	list, err := s.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	return append([]Market{s.local(ctx)}, list...), nil
}

// Get returns a market that is not the local one. The error is ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Market, error) {
	if !ids.Plausible(id) {
		return Market{}, ErrNotFound
	}
	m, err := s.Store.Get(ctx, id)
	return m, errs.Missing(err, ErrNotFound)
}

// Add trusts the market at an address from now on, if fingerprint is that of its first root. The errors
// are VALIDATION_ERROR for an address that stoa must not reach, ErrUnreachable, ErrUntrusted for what is
// no market, ErrKnown, and ErrUnconfirmed with the fingerprint in details.
func (s *Service) Add(ctx context.Context, address, fingerprint string) (Market, error) {
	if err := Issues(address, fingerprint).Err(); err != nil {
		return Market{}, err
	}
	address, _ = parseAddress(address)
	m := Market{ID: ids.New(), URL: address, AddedAt: s.now(), Revision: 1}
	c := &client{fetcher: s.Fetcher, market: m, files: Files{}, now: m.AddedAt}
	if bad := c.verified(func() *fault { return c.first(ctx) }); bad != nil {
		return Market{}, bad.refusal()
	}
	m.Fingerprint = terms.Fingerprint(c.files[terms.Root])
	if known, err := s.Store.Known(ctx, m.Fingerprint); err != nil {
		return Market{}, err
	} else if known {
		return Market{}, ErrKnown
	}
	if fingerprint != m.Fingerprint {
		return Market{}, ErrUnconfirmed.With("rootFingerprint", m.Fingerprint)
	}
	c.market = m
	if bad := c.refresh(ctx); bad != nil {
		return Market{}, bad.refusal()
	}
	m = c.fits()
	err := s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.Create(ctx, m); err != nil {
			return err
		}
		if err := hold(ctx, tx, m.ID, nil, c.files); err != nil {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, s.now(), audit.MarketAdd, target(m),
			audit.Details{"url": m.URL, "name": m.Name, "rootFingerprint": m.Fingerprint}))
	})
	if errs.KindOf(err) == errs.Conflict {
		return Market{}, ErrKnown
	}
	return m, err
}

// first asks for the first root, which is trusted as soon as an administrator confirms its fingerprint.
func (c *client) first(ctx context.Context) *fault {
	got, bad := c.get(ctx, terms.Root, 1, "")
	if bad != nil {
		return bad
	}
	trusted, err := trustedmetadata.New(got.body)
	if err != nil || trusted.Root.Signed.Version != 1 {
		return unfitting(err, "what it serves is no first root of a market")
	}
	c.hold(terms.Root, got.body)
	return nil
}

// fits returns the market after a check in which all fitted.
func (c *client) fits() Market {
	m := c.market
	m.Failure, m.Distrust, m.Misfit = "", "", 0
	m.CheckedAt, m.SeenAt = c.now, later(c.now, m.SeenAt)
	if c.trusted != nil { // else nothing is new
		m.GoodUntil = c.goodUntil()
	}
	return m
}

func target(m Market) audit.Target { return audit.Target{Type: "market", ID: m.ID} }

// hold stores what of the files of a market is not as it was.
func hold(ctx context.Context, tx Store, id string, before, after Files) error {
	for name := range before {
		if after[name] == nil {
			if err := tx.PutFile(ctx, id, name, nil); err != nil {
				return err
			}
		}
	}
	for name, content := range after {
		if old, ok := before[name]; !ok || !bytes.Equal(old, content) {
			if err := tx.PutFile(ctx, id, name, content); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remove stops trusting a market. The errors are ErrNotFound, ErrSelf, and ErrInUse while something from it is
// installed.
func (s *Service) Remove(ctx context.Context, id string) error {
	if id == Self {
		return ErrSelf
	}
	if _, err := s.Get(ctx, id); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		m, err := tx.Get(ctx, id)
		if err != nil {
			return errs.Missing(err, ErrNotFound)
		}
		// After the market was locked: an install that is recorded meanwhile waits for it (extension.Origins).
		if used, err := tx.InUse(ctx, id); err != nil {
			return err
		} else if used {
			return ErrInUse
		}
		if err := tx.Delete(ctx, id); err != nil {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, s.now(), audit.MarketRemove, target(m),
			audit.Details{"url": m.URL, "name": m.Name, "rootFingerprint": m.Fingerprint}))
	})
}

// Check asks a market for all that is new and returns it as it is then, which may be unreachable or
// untrusted. The error is ErrNotFound.
func (s *Service) Check(ctx context.Context, id string) (Market, error) {
	if id == Self {
		return s.local(ctx), nil
	}
	m, err := s.Get(ctx, id)
	if err != nil {
		return Market{}, err
	}
	m, _, err = s.check(ctx, m, byAdministrator)
	return m, err
}

// LicenseKeys returns the keys with which a market signs leases of licenses: the JSON Web Key Set that it
// signed last. Once they are held, every check keeps them up to date, and no state of the market withholds
// them: whoever runs packages of a market that is away needs them. The errors are ErrNotFound and, while
// none are held, ErrUnreachable and ErrUntrusted.
func (s *Service) LicenseKeys(ctx context.Context, id string) ([]byte, error) {
	m, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if held, err := s.heldKeys(ctx, id); err != nil || held != nil {
		return held, err
	}
	m, c, err := s.check(ctx, m, checkReason{keys: true})
	if err != nil {
		return nil, err
	} else if c != nil {
		return c.files[terms.LicenseKeysFile], nil
	}
	if held, err := s.heldKeys(ctx, id); err != nil || held != nil { // another check found them
		return held, err
	}
	return nil, s.refusal(m)
}

// heldKeys returns the license keys that are held of a market; nil for none.
func (s *Service) heldKeys(ctx context.Context, id string) ([]byte, error) {
	files, err := s.Store.Files(ctx, id)
	return files[terms.LicenseKeysFile], err
}

// refusal returns why nothing of a market can be had, after a check that did not end well.
func (s *Service) refusal(m Market) error {
	state, why := m.At(s.now())
	if state == Stale || state == Untrusted {
		return ErrUntrusted.With("state", state).With("reason", why)
	}
	return ErrUnreachable.With("reason", cmp.Or(why, reasonChanging))
}

// Distrust records that a package was not what its market signed. The market stays untrusted until it
// signs another snapshot, or an administrator asks. The error is ErrNotFound.
func (s *Service) Distrust(ctx context.Context, id, reason string) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		m, err := tx.Get(ctx, id)
		if err != nil {
			return errs.Missing(err, ErrNotFound)
		}
		files, err := tx.Files(ctx, id)
		if err != nil {
			return err
		}
		m.Distrust, m.Misfit = reason, snapshotVersion(files)
		m.Revision++
		return tx.Update(ctx, m)
	})
}
