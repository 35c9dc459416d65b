package rewrap

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/waittest"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// paused is a process that seals with the old key and does not follow the database.
type paused struct {
	*Member

	db        *database.DB
	old, next *seal.Key
	settled   chan struct{} // closed when what the process had in progress has been committed
}

func newPaused(t *testing.T, url string) paused {
	t.Helper()
	keys := make([]*seal.Key, 2)
	for i := range keys {
		var err error
		if keys[i], err = seal.ParseKey(seal.GenerateKey()); err != nil {
			t.Fatal(err)
		}
	}
	db := dbtest.Open(t, url)
	m := &Member{DB: db, Keys: seal.NewKeys(keys[0], keys[1]), Name: "paused", Log: slog.New(slog.DiscardHandler)}
	if err := m.Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	settled := make(chan struct{})
	m.pause = func(ctx context.Context, wait time.Duration) error {
		if wait < lateSettle {
			return sleep(ctx, wait)
		}
		select {
		case <-settled:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return paused{m, db, keys[0], keys[1], settled}
}

// forget makes the process count as gone, as after a minute.
func (p paused) forget(t *testing.T) {
	t.Helper()
	if _, err := p.db.Conn().Write.ExecContext(t.Context(), `UPDATE master_key_holders SET seen_at_ms = 0`); err != nil {
		t.Fatal(err)
	}
	p.reportedAt = p.reportedAt.Add(-2 * seenWithin)
}

// write has the process store a value.
func (p paused) write(t *testing.T, target string) {
	t.Helper()
	_, err := p.db.Conn().Write.ExecContext(t.Context(), `
		INSERT INTO webhooks (id, url, events_json, enabled, disabled_reason, current_sealed, previous_sealed,
			created_at_ms, updated_at_ms)
		VALUES ($1, 'https://example.com', '[]', TRUE, '', $2, '', 0, 0)`,
		target, p.Keys.Box("webhook.secret").Seal([]byte("secret"), target))
	if err != nil {
		t.Fatal(err)
	}
}

// opens reports whether a key opens a value.
func (p paused) opens(t *testing.T, key *seal.Key, target string) bool {
	t.Helper()
	var text string
	err := p.db.Conn().Read.QueryRowContext(t.Context(), `SELECT current_sealed FROM webhooks WHERE id = $1`, target).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = key.Box("webhook.secret").Open(text, target)
	return err == nil
}

func (p paused) rewrap(t *testing.T) {
	t.Helper()
	r := Rewrap{DB: p.db, Known: []*seal.Key{p.old, p.next}, Printf: t.Logf}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// passBy starts a rewrap that has passed the values of write.
func (p paused) passBy(t *testing.T) {
	t.Helper()
	if err := (Rewrap{DB: p.db}).begin(t.Context(), p.old, p.next); err != nil {
		t.Fatal(err)
	}
	passed := p.progress(t)
	passed.Table, passed.After, passed.Changed, passed.Total = "webhooks", "~", 7, 9
	if err := passed.put(t.Context(), p.db.Conn()); err != nil {
		t.Fatal(err)
	}
}

// progress returns the progress of the rewrap, and nothing if none is going on.
func (p paused) progress(t *testing.T) progress {
	t.Helper()
	now, err := readState(t.Context(), p.db.Conn())
	if err != nil {
		t.Fatal(err)
	}
	if now.rewrap == nil {
		return progress{}
	}
	return *now.rewrap
}

// resume lets the process follow the database again until the test ends.
func (p paused) resume(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() { p.Keep(ctx) })
	t.Cleanup(func() { stop(); following.Wait() })
}

// A process is paused for longer than a rewrap waits for it, and resumes after the rewrap has
// finished, or has passed the table. Until it notices, it writes values with the old key: one
// before, and one that is in progress when it notices. It seals them again, so that the old key can
// be deleted.
func TestAProcessThatMissedARewrapResealsItsValues(t *testing.T) {
	t.Parallel()

	for name, missed := range map[string]func(*testing.T, paused){
		"that has finished": func(t *testing.T, p paused) { t.Helper(); p.rewrap(t) },
		"that goes on":      func(t *testing.T, p paused) { t.Helper(); p.passBy(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dbtest.OnBoth(t, func(t *testing.T, url string) {
				p := newPaused(t, url)
				p.forget(t)
				missed(t, p)
				before := p.progress(t)
				p.write(t, "early")
				if !p.opens(t, p.old, "early") || p.opens(t, p.next, "early") {
					t.Fatal("the process does not seal with the old key, so this tests nothing")
				}
				under := seal.NewKeys(p.old) // sealed before the process noticed, committed after
				p.resume(t)
				waittest.True(t, "the value that was written first is sealed again", func() bool { return p.opens(t, p.next, "early") })
				late := p
				late.Member = &Member{Keys: under}
				late.write(t, "late")
				close(p.settled)
				waittest.True(t, "the value that was in progress is sealed again", func() bool { return p.opens(t, p.next, "late") })
				if after := p.progress(t); after != before {
					t.Errorf("the progress of the rewrap is %+v, and was %+v", after, before)
				}
			})
		})
	}
}

// The process ends before it can do so: the operator runs the command again with both keys.
func TestASecondRunOfARewrapResealsLateValues(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		p := newPaused(t, url)
		p.forget(t)
		p.rewrap(t)
		p.write(t, "late")
		p.rewrap(t)
		if !p.opens(t, p.next, "late") || p.opens(t, p.old, "late") {
			t.Error("the value is still sealed with the old key")
		}
	})
}

// A process that was away and knows only the old key would seal with it forever, so it must end.
// If it finds the new key where the rewrap put it, it continues.
func TestAProcessThatKnowsOnlyTheOldKeyIsLost(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		p := newPaused(t, url)
		p.Keys.Set(p.old)
		p.forget(t)
		lost := make(chan error, 2)
		p.Lost = func(err error) { lost <- err }
		p.rewrap(t)
		p.resume(t)
		if err := <-lost; !errors.Is(err, ErrOtherKey) {
			t.Errorf("Lost gets %v", err)
		}
	})
	t.Run("unless it finds the new one", func(t *testing.T) {
		t.Parallel()

		dir := t.TempDir()
		p := newPaused(t, dbtest.SQLite(t))
		if err := os.WriteFile(filepath.Join(dir, masterkey.File), []byte(p.old.Reveal()), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Keys.Set(p.old)
		p.forget(t)
		p.Next = func() (*seal.Key, error) { return masterkey.Successor("", "", dir) }
		p.Lost = func(err error) { t.Errorf("it is lost: %v", err) }
		p.write(t, "early")
		if err := os.WriteFile(filepath.Join(dir, masterkey.NextFile), []byte(p.next.Reveal()), 0o600); err != nil {
			t.Fatal(err)
		}
		p.rewrap(t)
		if err := masterkey.Promote(dir); err != nil {
			t.Fatal(err)
		}
		p.write(t, "late")
		p.resume(t)
		waittest.True(t, "what it wrote is sealed again", func() bool { return p.opens(t, p.next, "late") })
	})
	t.Run("unless a file cannot be read now", func(t *testing.T) {
		t.Parallel()

		p := newPaused(t, dbtest.SQLite(t))
		p.Keys.Set(p.old)
		p.Next = func() (*seal.Key, error) { return nil, os.ErrPermission }
		if err := (Rewrap{DB: p.db}).begin(t.Context(), p.old, p.next); err != nil {
			t.Fatal(err)
		}
		if err := p.follow(t.Context()); !errors.Is(err, errUnfinished) || p.lost {
			t.Errorf("follow = %v, lost: %t", err, p.lost)
		}
	})
}

// Running the command again with the keys exchanged would restore the old key, which may have
// leaked.
func TestAReplacedKeyIsReusedOnlyOnRequest(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		p := newPaused(t, url)
		run := func(reuse bool, from, to *seal.Key) error {
			if err := p.Leave(t.Context()); err != nil { // it follows afterwards
				t.Fatal(err)
			}
			_, err := Rewrap{DB: p.db, Known: []*seal.Key{from, to}, Reuse: reuse, Printf: t.Logf}.Run(t.Context())
			if followed := p.follow(t.Context()); followed != nil {
				t.Fatal(followed)
			}
			return err
		}
		for _, step := range []struct {
			what     string
			reuse    bool
			from, to *seal.Key
			want     error
			seals    *seal.Key
		}{
			{"exchanged before the first", false, p.next, p.old, ErrExchanged, p.old},
			{"a rewrap", false, p.old, p.next, nil, p.next},
			{"the same again", false, p.old, p.next, nil, p.next},
			{"exchanged", false, p.next, p.old, ErrRetired, p.next},
			{"exchanged on request", true, p.next, p.old, nil, p.old},
			{"the same again", false, p.next, p.old, nil, p.old},
			{"and exchanged again", false, p.old, p.next, ErrRetired, p.old},
		} {
			if err := run(step.reuse, step.from, step.to); !errors.Is(err, step.want) {
				t.Errorf("%s: Run = %v, want %v", step.what, err, step.want)
			}
			if now := p.Keys.Known()[0]; now != step.seals {
				t.Errorf("%s: %s seals", step.what, now)
			}
		}
		// As after a rewrap by a release that did not record names of keys.
		if err := store.NewSettings(p.db).Delete(t.Context(), store.SettingRetiredKeys); err != nil {
			t.Fatal(err)
		}
		if err := run(false, p.next, p.old); err != nil {
			t.Errorf("the same again, after an earlier release: Run = %v", err)
		}
	})
}

// The command runs twice at the same time. The slower run must not make a rewrap seem to be going
// on after the other has finished: processes with only the new key would not start. Nor may it
// replace a key that came after its own.
func TestASlowerRunOfARewrapLeavesNoTrace(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		p := newPaused(t, url)
		p.write(t, "one")
		if err := (Rewrap{DB: p.db}).begin(t.Context(), p.old, p.next); err != nil {
			t.Fatal(err)
		}
		slow := &pass{
			rewrap: Rewrap{DB: p.db}, old: p.old, next: p.next,
			boxes: make(map[string][2]*seal.Box), hashes: make(map[string]func([]byte) (string, error)),
		}
		at := p.progress(t)
		if err := p.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.rewrap(t)
		tables := Tables()
		webhooks := tables[slices.IndexFunc(tables, func(t Table) bool { return t.Name == "webhooks" })]
		if _, err := slow.batch(t.Context(), webhooks, &at); err != nil {
			t.Fatal(err)
		}
		if now := p.progress(t); now != (progress{}) {
			t.Errorf("a rewrap seems to go on: %+v", now)
		}

		third, err := seal.ParseKey(seal.GenerateKey())
		if err != nil {
			t.Fatal(err)
		}
		begin := func(from, to *seal.Key) error { return Rewrap{DB: p.db}.begin(t.Context(), from, to) }
		if err := begin(p.old, third); !errors.Is(err, errOvertaken) {
			t.Errorf("from a key that was replaced, begin = %v", err)
		}
		if err := begin(p.next, third); err != nil {
			t.Fatal(err)
		}
		before := p.progress(t)
		if err := at.keep(t.Context(), p.db.Conn()); err != nil || p.progress(t) != before {
			t.Errorf("the progress of the next rewrap is %+v, and was %+v: %v", p.progress(t), before, err)
		}
		if err := begin(p.next, p.old); !errors.Is(err, errOvertaken) {
			t.Errorf("to another key than the rewrap that goes on, begin = %v", err)
		}
	})
}

// A process that a rewrap waits for reseals nothing itself.
func TestAProcessThatFollowsARewrapResealsNothing(t *testing.T) {
	t.Parallel()

	p := newPaused(t, dbtest.SQLite(t))
	if err := (Rewrap{DB: p.db}).begin(t.Context(), p.old, p.next); err != nil {
		t.Fatal(err)
	}
	if err := p.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.Keys.Known()[0] != p.next || p.stale != nil {
		t.Errorf("it seals with %s, and reseals values of %v", p.Keys.Known()[0], p.stale)
	}
	// Nor does one that starts when the rewrap has finished.
	if err := store.NewSettings(p.db).Delete(t.Context(), store.SettingRewrap); err != nil {
		t.Fatal(err)
	}
	second := &Member{DB: p.db, Keys: seal.NewKeys(p.old, p.next), Log: p.Log}
	if err := second.Join(t.Context()); err != nil || second.stale != nil || second.Keys.Known()[0] != p.next {
		t.Errorf("Join = %v; it reseals values of %v", err, second.stale)
	}
	check, _, err := store.NewSettings(p.db).Find(t.Context(), store.SettingMasterKeyCheck)
	if err != nil || !masterkey.Proves(p.next, check) {
		t.Errorf("the database's key is another one: %v", err)
	}
}
