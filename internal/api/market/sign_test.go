package market_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/market/origin"
	"stoa/internal/market/terms"
	"stoa/internal/shop/release"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/waittest"
)

// Two replicas publish at once: whatever is answered is signed, and each file is one version.
func TestParallelPublicationsAreAllSigned(t *testing.T) {
	t.Parallel()

	for name, url := range map[string]func(testing.TB) string{"SQLite": dbtest.SQLite, "PostgreSQL": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			at, dir := url(t), t.TempDir()
			shared := func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL, cfg.DataDir = at, dir }
			a := newMarket(t, shared)
			b := market{testkit.New(t, shared, acme.Trusted, func(_ testing.TB, cfg *app.Config) {
				cfg.Market, cfg.PublicURL = true, a.URL
			}), a.admin}
			const each = 5
			var wg sync.WaitGroup
			for i := range each {
				for n, m := range []market{a, b} {
					pkg := plugin(t, []string{"courier", "mailer"}[n], fmt.Sprintf("1.%d.0", i))
					wg.Go(func() {
						if res := m.publish(t, []string{"bare", "mail-pack"}[n], pkg); res.Status != http.StatusCreated {
							t.Errorf("publish = %d %s", res.Status, res.Body)
						}
					})
				}
			}
			wg.Wait()
			for _, m := range []market{a, b} {
				if r := m.read(t); len(r.custom) != 2*each {
					t.Errorf("signed: %s", r.packages())
				}
			}
		})
	}
}

// What a process that was killed has changed and not signed is noticed, and signed.
func TestAChangeThatWasNotSignedIsNoticed(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0"))
		m.Releases.Market = release.Market{} // as if it were killed after the commit
		m.mustPublish(t, "bare", plugin(t, "courier", "1.1.0"))
		m.withdraw(t, "bare", "1.0.0")
		waittest.Until(t, "the change is signed", func() error {
			if got := m.read(t).packages(); got != "bare/1.1.0.zip" {
				return errors.New(got)
			}
			return nil
		})
	})
}

// A shop whose versions were published before it became a market has what their archives say.
func TestOldReleasesAreDescribedFromTheirArchives(t *testing.T) {
	t.Parallel()

	at := dbtest.SQLite(t)
	m := newMarket(t, func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = at })
	m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0", "orders:read"))
	want := m.read(t).custom["bare/1.0.0.zip"]
	db, err := sql.Open("sqlite", "file:"+at+"?_pragma=busy_timeout(300000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE product_packages SET signer_key = '', permissions = '[]'`); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the release is described", func() error {
		if err := m.Market.Catchup(t.Context()); err != nil {
			return err
		}
		if got := m.read(t).custom["bare/1.0.0.zip"]; fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%+v", got)
		}
		return nil
	})
}

func (m market) sync(tb testing.TB) {
	tb.Helper()
	if err := m.Market.Sync(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

func TestVersionsRiseWhateverTheClockSays(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0"))
	versions := func() [4]int64 {
		r := m.read(t)
		return [4]int64{
			r.Timestamp.Signed.Version, r.Snapshot.Signed.Version, r.Targets[terms.Targets].Signed.Version,
			r.Targets["p-bare"].Signed.Version,
		}
	}
	first := versions()
	for _, v := range first {
		if v < testkit.T0.Unix() {
			t.Errorf("version %d is before the time, %d", v, testkit.T0.Unix())
		}
	}
	m.Clock.Advance(-48 * time.Hour) // the timestamp is of the future now, and is signed anew all the same
	m.sync(t)
	if r := m.read(t); r.Timestamp.Signed.Version <= first[0] || r.Timestamp.Signed.Expires.After(m.Clock.Now().Add(24*time.Hour)) {
		t.Errorf("timestamp %d, good until %s", r.Timestamp.Signed.Version, r.Timestamp.Signed.Expires)
	}
	m.admin = m.Login(t, "root").Access
	m.mustPublish(t, "bare", plugin(t, "courier", "1.1.0"))
	second := versions()
	for i, what := range []string{"timestamp", "snapshot", "targets", "p-bare"} {
		if what == "targets" {
			continue // nothing in it changed
		}
		if second[i] <= first[i] {
			t.Errorf("%s %d after %d", what, second[i], first[i])
		}
	}
	if end := m.read(t).Timestamp.Signed.Expires; end.After(m.Clock.Now().Add(24 * time.Hour)) {
		t.Errorf("the timestamp is good until %s", end)
	}
	m.Clock.Advance(96 * time.Hour)
	m.sync(t)
	if third := versions(); third[0] != m.Clock.Now().Unix() {
		t.Errorf("timestamp %d, want the time, %d", third[0], m.Clock.Now().Unix())
	}
}

// Whatever has half of its life behind it is signed anew; the rest stays.
func TestMetadataIsSignedAnewInTime(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0"))
	m.sync(t)
	day := 24 * time.Hour
	was := m.read(t)
	for _, step := range []struct {
		wait                         time.Duration
		timestamp, snapshot, targets bool
	}{
		{10*time.Minute - time.Second, false, false, false},
		{time.Second, true, false, false},
		{3 * day, true, false, false},
		{day / 2, true, true, false},
		{42 * day, true, true, true}, // 45 days and a half after they were signed
	} {
		m.Clock.Advance(step.wait)
		m.sync(t)
		r := m.read(t)
		for what, v := range map[string][2]bool{
			"timestamp": {r.Timestamp.Signed.Version > was.Timestamp.Signed.Version, step.timestamp},
			"snapshot":  {r.Snapshot.Signed.Version > was.Snapshot.Signed.Version, step.snapshot},
			"targets":   {r.Targets["targets"].Signed.Version > was.Targets["targets"].Signed.Version, step.targets},
			"p-bare":    {r.Targets["p-bare"].Signed.Version > was.Targets["p-bare"].Signed.Version, step.targets},
		} {
			if v[0] != v[1] {
				t.Errorf("after %s more, %s was signed anew: %t, want %t", step.wait, what, v[0], v[1])
			}
		}
		was = r
	}
}

func TestTheRootNamesTheNextKeyOnce(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		m.mustPublish(t, "bare", plugin(t, "courier", "1.0.0"))
		signer := func() string { return m.read(t).Timestamp.Signatures[0].KeyID }
		first := signer()
		ctx := t.Context()
		if r, err := m.Market.Ring.Rotate(ctx, false); err != nil || !r.Rotated {
			t.Fatalf("Rotate = %+v, %v", r, err)
		}
		m.sync(t)
		r := m.read(t) // by the same root
		second := signer()
		if second == first || r.Root.Signed.Version != 1 || r.Targets["p-bare"].Signatures[0].KeyID != second ||
			r.Targets["targets"].Signatures[0].KeyID != second || r.Snapshot.Signatures[0].KeyID != second {
			t.Errorf("after the rotation: root %d, signed by %s after %s", r.Root.Signed.Version, second, first)
		}
		for _, atOnce := range []bool{false, true} {
			if _, err := m.Market.Ring.Rotate(ctx, atOnce); !errors.Is(err, origin.ErrKey) {
				t.Errorf("a second rotation (at once: %t) = %v, want ErrKey", atOnce, err)
			}
		}
		if _, err := m.Market.Renew(ctx, nil); !errors.Is(err, origin.ErrRootKeys) {
			t.Errorf("a renewal without keys = %v", err)
		}
		if _, err := m.Market.Renew(ctx, keys(1)); !errors.Is(err, origin.ErrRootKeys) {
			t.Errorf("a renewal with a stranger's key = %v", err)
		}
		renewed, err := m.Market.Renew(ctx, keys(0))
		if err != nil || renewed.Version != 2 {
			t.Fatalf("Renew = %+v, %v", renewed, err)
		}
		m.sync(t)
		if r := m.read(t); r.Root.Signed.Version != 2 || r.Timestamp.Signatures[0].KeyID != second {
			t.Errorf("root %d, signed by %s", r.Root.Signed.Version, r.Timestamp.Signatures[0].KeyID)
		}
		if named := r.Root.Signed.Roles["timestamp"].KeyIDs; len(named) != 2 {
			t.Errorf("the root names %v", named)
		}
		if r, err := m.Market.Ring.Rotate(ctx, false); err != nil || !r.Rotated {
			t.Errorf("Rotate after the renewal = %+v, %v", r, err)
		}
		m.sync(t)
		if third := signer(); third == second {
			t.Error("the third key does not sign")
		}
	})
}

// Leaked online keys are withdrawn: nothing is signed until the root names others.
func TestWithdrawnKeysSignNothing(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	if _, err := m.Market.Ring.Withdraw(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := m.Market.Sync(t.Context()); !errors.Is(err, origin.ErrKey) {
		t.Errorf("Sync = %v, want ErrKey", err)
	}
	before := m.read(t).Timestamp.Signed.Version
	if _, err := m.Market.Renew(t.Context(), keys(0)); err != nil {
		t.Fatal(err)
	}
	m.sync(t)
	if after := m.read(t).Timestamp.Signed.Version; after <= before {
		t.Errorf("timestamp %d after %d", after, before)
	}
}

func TestTwoOfThreeRootKeysRenew(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	if _, err := a.Market.Init(t.Context(), keys(0, 1, 2), 2); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Market.Init(t.Context(), keys(3), 1); !errors.Is(err, origin.ErrMarket) {
		t.Errorf("a second market = %v", err)
	}
	for _, few := range [][]byte{{0}, {0, 0}, {0, 3}} {
		if _, err := a.Market.Renew(t.Context(), keys(few...)); !errors.Is(err, origin.ErrRootKeys) {
			t.Errorf("Renew with %v = %v", few, err)
		}
	}
	if r, err := a.Market.Renew(t.Context(), keys(2, 1)); err != nil || r.Version != 2 {
		t.Errorf("Renew = %+v, %v", r, err)
	}
}

func TestTheRootEndsWithWarnings(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	tend := func() {
		if err := m.Market.Catchup(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	attention := func() string {
		return string(m.Do(t, testkit.Get(m.admin, "/api/v1/admin/overview")).Body)
	}
	day := 24 * time.Hour
	m.Clock.Advance(400*day - 60*day - time.Second)
	m.admin = m.Login(t, "root").Access
	tend()
	if strings.Contains(attention(), "market.root_ends") || len(m.mails(t)) > 0 {
		t.Errorf("warned too early: %s, %v", attention(), m.mails(t))
	}
	for _, wait := range []time.Duration{time.Second, 30 * day, 23 * day} {
		m.Clock.Advance(wait)
		tend()
		var got []string
		waittest.True(t, "a mail", func() bool { // the work in the background may be the one that sends it
			got = append(got, m.mails(t)...)
			return len(got) > 0
		})
		tend()
		if got = append(got, m.mails(t)...); len(got) != 1 {
			t.Errorf("after %s more: mails %q, want one", wait, got)
		}
	}
	m.admin = m.Login(t, "root").Access
	if got := attention(); !strings.Contains(got, `"kind":"market.root_ends","severity":"error"`) {
		t.Errorf("attention = %s", got)
	}
	m.Clock.Advance(8 * day) // it has ended, and can be renewed all the same
	if _, err := m.Market.Renew(t.Context(), keys(0)); err != nil {
		t.Fatal(err)
	}
	tend()
	m.admin = m.Login(t, "root").Access
	if got := attention(); strings.Contains(got, "market.root_ends") {
		t.Errorf("attention after the renewal = %s", got)
	}
	m.read(t)
}
