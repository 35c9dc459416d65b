package remote

import (
	"bytes"
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

// A check may take as long as checkAnswers answers may: it asks for a handful of files.
const checkAnswers = 3

// checkReason says why a market is checked.
type checkReason struct {
	asked    bool     // by an administrator: distrust of a package may end
	products []string // of which the packages are needed
	every    bool     // all versions of those, not only the highest
	keys     bool     // the market's license keys are needed
}

// polls reports whether nothing in particular is needed.
func (r checkReason) polls() bool { return !r.asked && !r.keys && len(r.products) == 0 }

var byAdministrator = checkReason{asked: true}

// maxChecks is how often a check is made that others overtake.
const maxChecks = 3

// errOvertaken means that another check of the same market ended first, and found something else.
var errOvertaken = errors.New("remote: another check ended first")

// check asks a market for what is new, and records what it found. c is the client, with all that fitted;
// nil if something did not. The error is ErrNotFound for a market that was removed meanwhile.
//
// If another check ends first and finds something else, this one is made again: that says nothing of the
// market. For a poll, the outcome of the other one is enough.
func (s *Service) check(ctx context.Context, m Market, why checkReason) (after Market, c *client, err error) {
	for range maxChecks {
		after, c, err = s.checkOnce(ctx, m, why)
		if !errors.Is(err, errOvertaken) {
			return after, c, err
		}
		if why.polls() {
			break
		}
		m = after
	}
	return after, nil, nil
}

// checkOnce is one attempt of check. With errOvertaken it returns the market as the other check left it.
func (s *Service) checkOnce(ctx context.Context, m Market, why checkReason) (after Market, c *client, err error) {
	c = &client{fetcher: s.Fetcher, market: m, now: s.now(), products: why.products, every: why.every, keys: why.keys}
	before, bad, err := s.ask(ctx, c, why)
	if err != nil {
		return m, nil, err
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		current, err := tx.Get(ctx, m.ID)
		if err != nil {
			return errs.Missing(err, ErrNotFound)
		}
		if current.Revision != m.Revision {
			after, err = c.join(ctx, tx, current, bad)
			return err
		}
		after = c.outcome(bad, why)
		if err := tx.Update(ctx, after); err != nil {
			return err
		}
		if err := hold(ctx, tx, m.ID, before, c.files); err != nil {
			return err
		}
		return s.recordRoot(ctx, tx, m, before, c)
	})
	if err != nil {
		return after, nil, err
	}
	s.logState(ctx, m, after, bad)
	if bad != nil {
		c = nil
	} else if n := c.crowdedOut(); n > 0 {
		s.Log.WarnContext(ctx, "there is no room for all that is needed of a market: of some products, no updates are listed",
			slog.String("market", m.ID), slog.Int("products", n))
	}
	return after, c, nil
}

// join adds what c found to what another check, which ended first, left of the same metadata. The error is
// errOvertaken if it was not the same, or if one of them did not fit.
func (c *client) join(ctx context.Context, tx Store, current Market, bad *fault) (Market, error) {
	if bad != nil || c.files == nil || current.Failure != "" || current.Distrust != "" {
		return current, errOvertaken
	}
	held, err := tx.Files(ctx, current.ID)
	if err != nil {
		return current, err
	}
	for _, role := range []string{terms.Root, terms.Snapshot} { // which name all that there is
		if !bytes.Equal(held[role], c.files[role]) {
			return current, errOvertaken
		}
	}
	both := maps.Clone(c.files)
	maps.Copy(both, held)
	if both.size() > terms.MaxHeld {
		return current, errOvertaken
	}
	current.Revision++
	if err := tx.Update(ctx, current); err != nil {
		return current, err
	}
	return current, hold(ctx, tx, current.ID, held, both)
}

// ask brings c up to date. before is what was held; it was not read if nothing is new.
func (s *Service) ask(ctx context.Context, c *client, why checkReason) (before Files, bad *fault, err error) {
	asking, cancel := context.WithTimeout(ctx, checkAnswers*s.Fetcher.within)
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
	if c.kept, err = s.Store.Needed(ctx, c.market.ID); err != nil {
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

// logState logs that the state of a market changed.
func (s *Service) logState(ctx context.Context, before, after Market, bad *fault) {
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
