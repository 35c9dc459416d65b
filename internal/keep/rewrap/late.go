package rewrap

import (
	"context"
	"log/slog"
	"time"

	"stoa/internal/trust/seal"
)

const (
	// lateSettle is how long after a process began to seal with the new key something may be
	// committed that it had sealed with the old one: longer than any transaction takes.
	lateSettle = 30 * time.Second
	// mendAgain is the time from a failed try to seal again to the next.
	mendAgain = 10 * time.Second
)

// missed reports whether a rewrap may have ended its work without this process, which sealed
// with the old key until now: the rewrap has finished, or the process did not tell of itself
// for so long that it may have counted as gone. A process that was paused (SIGSTOP, a machine
// that was suspended) or cut off from the database is in this position.
func (m *Member) missed(s state) bool {
	// Both clocks: one stands still while a machine is suspended, the other may be set back.
	away := max(time.Since(m.toldAt), time.Now().Round(0).Sub(m.toldAt.Round(0)))
	return s.rewrap == nil || away > seenWithin/2
}

// mend seals again what this process sealed with an old key after nobody looked for that any
// more. It does so twice: the second time, everything that was under way at the first has been
// committed.
func (m *Member) mend(ctx context.Context, old *seal.Key) {
	m.Log.WarnContext(ctx, "this process was away while the master key was replaced: what it sealed with the old one "+
		"meanwhile is sealed again", slog.String("old", old.ID()))
	p := &pass{rewrap: Rewrap{DB: m.DB}, old: old, alone: true}
	for _, wait := range []time.Duration{0, m.settle} {
		for {
			if sleep(ctx, wait) != nil {
				return
			}
			p.next = m.Keys.Known()[0] // another one, if there was a further rewrap
			_, err := p.run(ctx)
			if err == nil {
				break
			}
			m.Log.WarnContext(ctx, "values that are sealed with the old master key could not be sealed again",
				slog.Any("err", err))
			wait = mendAgain
		}
	}
	m.Log.InfoContext(ctx, "everything is sealed with the new master key", slog.Int("sealed", p.changed))
}
