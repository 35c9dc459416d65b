package remote_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit/tuftest"
	"stoa/internal/testkit/waittest"
)

// attack changes what a market serves, or the clock of the stoa that buys. before is what the market
// served two publications ago.
type attack struct {
	do     func(m *tuftest.Market, b buyer, before map[string][]byte)
	state  remote.State
	reason string
}

// rollbacks show a stoa what the market said before, or less than it says now.
func rollbacks(testing.TB) map[string]attack {
	return map[string]attack{
		"rollback of the timestamp": {func(m *tuftest.Market, _ buyer, before map[string][]byte) {
			m.Put(tuftest.TimestampPath, before[tuftest.TimestampPath])
		}, remote.Untrusted, "timestamp.json has another version"},
		"replayed timestamp": {func(m *tuftest.Market, _ buyer, before map[string][]byte) {
			m.Restore(before)
		}, remote.Untrusted, "timestamp.json has another version"},
		"rollback of the snapshot": {func(m *tuftest.Market, _ buyer, before map[string][]byte) {
			m.Timestamp.Signed.Meta["snapshot.json"].Version--
			m.SignTimestamp()
		}, remote.Untrusted, "timestamp.json has another version"},
		"rollback of a role": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Snapshot.Signed.Meta["p-mail-courier.json"].Version--
			m.SignSnapshot()
			m.SignTimestamp()
		}, remote.Untrusted, "snapshot.json has another version"},
		"rollback of the targets": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Snapshot.Signed.Meta["targets.json"].Version--
			m.SignSnapshot()
			m.SignTimestamp()
		}, remote.Untrusted, "snapshot.json has another version"},
		"freeze": {func(_ *tuftest.Market, b buyer, _ map[string][]byte) {
			b.clock.Advance(terms.TimestampLife + time.Second)
		}, remote.Stale, "has expired"},
		"mix and match": {func(m *tuftest.Market, _ buyer, before map[string][]byte) {
			m.Publish()
			old := m.Snapshot.Signed.Version - 2
			m.Put(metadataPath(terms.Snapshot, m.Snapshot.Signed.Version), before[metadataPath(terms.Snapshot, old)])
		}, remote.Untrusted, "snapshot.json has another version"},
		"mix and match of a role": {func(m *tuftest.Market, _ buyer, before map[string][]byte) {
			m.Publish()
			v := m.Roles["mail-courier"].Signed.Version
			m.Put(metadataPath("p-mail-courier", v), before[metadataPath("p-mail-courier", v-2)])
		}, remote.Untrusted, "p-mail-courier.json has another version"},
		"role that leaves the snapshot": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			delete(m.Snapshot.Signed.Meta, "p-mail-courier.json")
			m.SignSnapshot()
			m.SignTimestamp()
		}, remote.Untrusted, "snapshot.json cannot be read, or contradicts"},
		"withheld snapshot": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Publish()
			m.Put(metadataPath(terms.Snapshot, m.Snapshot.Signed.Version), nil)
		}, remote.Unreachable, "status 404"},
	}
}

// forgeries have not signed what the market would have.
func forgeries(tb testing.TB) map[string]attack {
	tb.Helper()
	thief := tuftest.NewKey(tb)
	return map[string]attack{
		"wrong root": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Keys[terms.Root] = []tuftest.Key{thief}
			m.NextRoot()
			m.Publish()
		}, remote.Untrusted, "2.root.json is not signed"},
		"root that does not chain": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Root.Signed.Version++
			m.NextRoot()
			m.Put(metadataPath(terms.Root, 2), m.File(metadataPath(terms.Root, 3)))
			m.Publish()
		}, remote.Untrusted, "2.root.json has another version"},
		"key that is not the market's": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Keys[terms.Timestamp] = []tuftest.Key{thief}
			m.Publish()
		}, remote.Untrusted, "timestamp.json is not signed"},
		"key of another slug": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Publish() // delegates to the key of products
			m.Keys[tuftest.Products] = []tuftest.Key{thief}
			m.SignRole("mail-courier")
			m.SignSnapshot()
			m.SignTimestamp()
		}, remote.Untrusted, "p-mail-courier.json is not signed"},
		"stripped delegation": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Targets.Signed.Delegations = nil
			m.SignTargets()
			m.SignSnapshot()
			m.SignTimestamp()
		}, remote.Untrusted, "do not delegate to p-mail-courier"},
		"delegation to paths of others": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Publish()
			m.Targets.Signed.Delegations.Roles[0].Paths = []string{"*/*"}
			m.SignTargets()
			m.SignSnapshot()
			m.SignTimestamp()
		}, remote.Untrusted, "what a product does not have"},
		"unsigned": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Keys[terms.Timestamp] = nil
			m.SignTimestamp()
		}, remote.Untrusted, "timestamp.json is not signed"},
	}
}

// badAnswers are none that a client could read.
func badAnswers(testing.TB) map[string]attack {
	return map[string]attack{
		"unreadable JSON": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Put(tuftest.TimestampPath, []byte(`{"signed":{`))
		}, remote.Untrusted, "cannot be read"},
		"JSON with holes": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Timestamp.Signed.Meta["snapshot.json"] = nil
			m.SignTimestamp()
		}, remote.Untrusted, "cannot be read"},
		"endless data": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Serve(tuftest.TimestampPath, endless)
		}, remote.Untrusted, "more than 1024 bytes"},
		"oversize": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Publish()
			m.Put(metadataPath(terms.Targets, m.Targets.Signed.Version), make([]byte, terms.MaxTargets+1))
		}, remote.Untrusted, "targets.json has more than 4194304 bytes"},
		"redirect": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, m.URL+tuftest.TimestampPath+"?", http.StatusFound)
			})
		}, remote.Unreachable, "it redirects"},
		"broken off": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) {
			m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000")
				_, _ = w.Write([]byte("{"))
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
		}, remote.Unreachable, "broke off"},
		"no answer":   {func(m *tuftest.Market, _ buyer, _ map[string][]byte) { m.Stop() }, remote.Unreachable, "does not answer"},
		"busy market": {func(m *tuftest.Market, _ buyer, _ map[string][]byte) { m.Serve(tuftest.TimestampPath, answers(503)) }, remote.Unreachable, "status 503"},
		"market off":  {func(m *tuftest.Market, _ buyer, _ map[string][]byte) { m.Serve(tuftest.TimestampPath, answers(404)) }, remote.Unreachable, "status 404"},
	}
}

// Each attack on what a market serves ends in the state of the contract's table, blocks installing where
// it says so, and ends with the next check that fits.
func TestAttackOnMetadata(t *testing.T) {
	t.Parallel()

	all := make(map[string]attack)
	for _, some := range []func(testing.TB) map[string]attack{rollbacks, forgeries, badAnswers} {
		maps.Copy(all, some(t))
	}
	for name, tt := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, b, known := added(t)
			before := m.Files()
			m.Offer("mail-courier", "1.1.0")
			m.Publish()
			b.poll(t)
			b.is(t, "before", remote.OK, "")
			honest, keys := m.Files(), copyOf(m.Keys)
			tt.do(m, b, before)
			b.poll(t)
			b.is(t, "attacked", tt.state, tt.reason)
			want := "MARKET_UNTRUSTED"
			if tt.state == remote.Unreachable {
				want = "MARKET_UNREACHABLE"
			}
			if got := b.versions(t, known.ID); got != want {
				t.Errorf("installs: %s, want %s", got, want)
			}
			m.Start()
			m.Serve(tuftest.TimestampPath, nil)
			m.Keys = keys
			m.Restore(honest)
			mend(m)
			b.poll(t)
			b.is(t, "mended", remote.OK, "")
			if got := b.versions(t, known.ID); got != "1.1.0 1.0.0" {
				t.Errorf("offers %s", got)
			}
		})
	}
}

// mend publishes what the operator of a market publishes after an attack: higher versions of all.
func mend(m *tuftest.Market) {
	m.Timestamp.Signed.Version += 10
	m.Snapshot.Signed.Version += 10
	m.Targets.Signed.Version += 10
	m.Roles["mail-courier"].Signed.Version += 10
	m.Publish()
}

func copyOf(keys map[string][]tuftest.Key) map[string][]tuftest.Key {
	all := make(map[string][]tuftest.Key, len(keys))
	for role, list := range keys {
		all[role] = list
	}
	return all
}

func answers(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// endless answers until the client leaves.
func endless(w http.ResponseWriter, _ *http.Request) {
	for {
		if _, err := w.Write([]byte(strings.Repeat(" ", 1<<10))); err != nil {
			return
		}
	}
}

// A body that comes byte by byte ends with the time for an answer.
func TestAttackWithASlowBody(t *testing.T) {
	t.Parallel()

	b := newBuyer(t, remote.FetcherConfig{})
	patient, impatient := b.Fetcher, remote.NewFetcher(remote.FetcherConfig{Allow: loopback(), Within: 2 * time.Second})
	m := tuftest.New(t, "Acme", b.clock.Now)
	if _, err := b.Add(t.Context(), m.URL, m.Fingerprint()); err != nil {
		t.Fatal(err)
	}
	m.Serve(tuftest.TimestampPath, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte(" "))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	b.Fetcher = impatient
	waittest.Until(t, "a verdict on the body", func() error { // a busy machine may take two seconds to its first byte
		b.poll(t)
		list, err := b.Store.List(t.Context())
		if err != nil || len(list) != 1 {
			return fmt.Errorf("%d markets, %v", len(list), err) //nolint:errorlint // err may be nil
		}
		if state, why := list[0].At(b.clock.Now()); state == remote.Unreachable {
			return errors.New(why)
		}
		return nil
	})
	b.is(t, "slow", remote.Untrusted, "timestamp.json does not end")

	m.Serve(tuftest.TimestampPath, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	m.Serve(metadataPath(terms.Root, 2), nil)
	b.poll(t)
	b.is(t, "an attack is not forgotten while nothing fits", remote.Untrusted, "does not end")
	m.Serve(tuftest.TimestampPath, nil)
	b.Fetcher = patient
	b.poll(t)
	b.is(t, "mended", remote.OK, "")
	m.Serve(tuftest.TimestampPath, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	b.Fetcher = impatient
	b.poll(t)
	b.is(t, "silent", remote.Unreachable, "takes too long")
}

// A clock that is set back makes no timestamp good again, and one that was ahead once is forgiven with
// the next timestamp.
func TestAttackWithTheClockSetBack(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	b.clock.Advance(terms.TimestampLife + time.Second)
	b.poll(t)
	b.is(t, "frozen", remote.Stale, "has expired")
	b.clock.Advance(-terms.TimestampLife)
	b.is(t, "set back", remote.Stale, "has expired")
	b.poll(t)
	b.is(t, "set back and polled", remote.Stale, "has expired")
	if list, err := b.Store.List(t.Context()); err != nil || !list[0].CheckedAt.Equal(t0) {
		t.Errorf("the check counts as one that fitted: %+v, %v", list, err)
	}
	if got := b.versions(t, known.ID); got != "MARKET_UNTRUSTED" {
		t.Errorf("set back: %s", got)
	}
	m.Publish()
	b.poll(t)
	b.is(t, "a new timestamp", remote.OK, "")

	b.clock.Advance(365 * 24 * time.Hour)
	b.poll(t)
	b.is(t, "a year ahead", remote.Stale, "has expired")
	b.clock.Advance(-365 * 24 * time.Hour)
	b.poll(t)
	b.is(t, "back from a year ahead", remote.Stale, "has expired")
	m.SignTimestamp()
	b.poll(t)
	b.is(t, "healed", remote.OK, "")
}
