package remote

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"stoa/internal/base/errs"
	"stoa/internal/market/terms"
	"stoa/internal/trust/audit"
)

// checkWithin is how long a check may take: a handful of files, each of which has its own limit.
const checkWithin = 30 * time.Second

// checkReason says why a market is checked.
type checkReason struct {
	asked    bool     // by an administrator: distrust of a package may end
	products []string // of which the packages are needed
	keys     bool     // the market's license keys are needed
}

// polls reports whether nothing in particular is needed.
func (r checkReason) polls() bool { return !r.asked && !r.keys && len(r.products) == 0 }

var byAdministrator = checkReason{asked: true}

// errOvertaken means that another check of the same market ended first.
var errOvertaken = errors.New("remote: another check ended first")

// check asks a market for what is new, and records what it found. c is the client, with all that fitted;
// nil if something did not, or if another check ended first, whose outcome is returned then. The error is
// ErrNotFound for a market that was removed meanwhile.
func (s *Service) check(ctx context.Context, m Market, why checkReason) (after Market, c *client, err error) {
	c = &client{fetcher: s.Fetcher, market: m, now: s.now(), products: why.products, keys: why.keys}
	before, bad, err := s.ask(ctx, c, why)
	if err != nil {
		return m, nil, err
	}
	after = c.outcome(bad, why)
	err = s.Store.InTx(ctx, func(tx Store) error {
		current, err := tx.Get(ctx, m.ID)
		if err != nil {
			return errs.Missing(err, ErrNotFound)
		}
		if current.Revision != m.Revision {
			after = current
			return errOvertaken
		}
		if err := tx.Update(ctx, after); err != nil {
			return err
		}
		if err := hold(ctx, tx, m.ID, before, c.files); err != nil {
			return err
		}
		return s.recordRoot(ctx, tx, m, before, c)
	})
	if errors.Is(err, errOvertaken) {
		return after, nil, nil
	} else if err != nil {
		return m, nil, err
	}
	s.tell(ctx, m, after, bad)
	if bad != nil {
		c = nil
	}
	return after, c, nil
}

// ask brings c up to date. before is what was held; it was not read if nothing is new.
func (s *Service) ask(ctx context.Context, c *client, why checkReason) (before Files, bad *fault, err error) {
	asking, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	if why.polls() && c.market.settled(c.now) {
		served, bad := c.get(asking, terms.Timestamp, 0, c.market.ETag)
		if bad != nil || served.body == nil {
			return nil, bad, ctx.Err()
		}
		c.served = &served
	}
	if before, err = s.Store.Files(ctx, c.market.ID); err != nil {
		return nil, nil, err
	}
	c.files = maps.Clone(before)
	bad = c.refresh(asking)
	return before, bad, ctx.Err() // whoever asked may be gone, which says nothing of the market
}

// settled reports whether all that is held of m is good, so that it is enough to ask whether the
// timestamp is the same.
func (m Market) settled(now time.Time) bool {
	return m.ETag != "" && m.Failure == "" && m.Distrust == "" && !expired(m.GoodUntil, later(now, m.SeenAt))
}

// outcome returns the market after a check.
func (c *client) outcome(bad *fault, why checkReason) Market {
	m := c.market
	switch {
	case bad == nil:
		m = c.fits()
		if was := c.market; was.Misfit != 0 && !why.asked && was.Misfit == snapshotVersion(c.files) {
			m.Distrust, m.Misfit = was.Distrust, was.Misfit
		}
	case bad.kind == unfit:
		m.Distrust, m.Failure = bad.says, ""
	default: // what was untrusted stays so until a check fits
		m.Failure = bad.says
	}
	m.SeenAt = later(c.now, m.SeenAt)
	m.Revision++
	return m
}

// snapshotVersion returns the version of the snapshot held, or 0.
func snapshotVersion(files Files) int64 {
	m, err := metadata.Snapshot().FromBytes(files[terms.Snapshot])
	if err != nil {
		return 0
	}
	return m.Signed.Version
}

// recordRoot writes to the audit log that another root is trusted.
func (s *Service) recordRoot(ctx context.Context, tx Store, m Market, before Files, c *client) error {
	if !c.renewed {
		return nil
	}
	return tx.Record(ctx, audit.New(ctx, s.now(), audit.MarketRoot, target(m), audit.Details{
		"url": m.URL, "name": m.Name, "from": rootVersion(before), "to": rootVersion(c.files),
	}))
}

func rootVersion(files Files) int64 {
	m, err := metadata.Root().FromBytes(files[terms.Root])
	if err != nil {
		return 0
	}
	return m.Signed.Version
}

// tell logs that the state of a market changed.
func (s *Service) tell(ctx context.Context, before, after Market, bad *fault) {
	was, _ := before.At(s.now())
	is, reason := after.At(s.now())
	if was == is {
		return
	}
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("market", after.ID), slog.String("url", after.URL), slog.String("state", string(is)),
	}
	if is != OK {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("reason", reason))
	}
	if bad != nil {
		attrs = append(attrs, slog.Any("err", bad.cause))
	}
	s.Log.LogAttrs(ctx, level, "the state of a market changed", attrs...)
}
