package remote_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit/tuftest"
)

// conformance are cases of tuf-conformance, the test suite of TUF clients, for what a market serves next.
type conformance struct {
	do     func(tb testing.TB, m *tuftest.Market)
	state  remote.State
	reason string
}

func keysAndRoots() map[string]conformance {
	return map[string]conformance{
		"root rotation in several steps": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			for range 3 {
				rotate(tb, m, terms.Root)
			}
			m.Publish()
		}, remote.OK, ""},
		"an expired root on the way": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			m.Lives[terms.Root] = -time.Hour
			rotate(tb, m, terms.Root)
			delete(m.Lives, terms.Root)
			rotate(tb, m, terms.Root)
			m.Publish()
		}, remote.OK, ""},
		"the last root has expired": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			m.Lives[terms.Root] = -time.Hour
			rotate(tb, m, terms.Root)
			m.Publish()
		}, remote.Unreachable, "its root has expired"},
		"a root with two signatures": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			twoRootKeys(tb, m)
			m.NextRoot()
			m.Publish()
		}, remote.OK, ""},
		"a root with one of two signatures": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			twoRootKeys(tb, m)
			m.NextRoot()
			m.Root.Signed.Version++
			m.SignRoot(m.Keys[terms.Root][1])
			m.Publish()
		}, remote.Untrusted, "4.root.json is not signed"},
		"a new root signed by its own keys only": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			m.Keys[terms.Root] = []tuftest.Key{tuftest.NewKey(tb)}
			m.NextRoot()
			m.Publish()
		}, remote.Untrusted, "2.root.json is not signed"},
		"a new root signed by the old keys only": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			old := m.Keys[terms.Root]
			m.Keys[terms.Root] = []tuftest.Key{tuftest.NewKey(tb)}
			m.NextRoot()
			m.SignRoot(old...)
			m.Publish()
		}, remote.Untrusted, "2.root.json is not signed"},
		"a timestamp with one of two signatures": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			m.Keys[terms.Timestamp] = append(m.Keys[terms.Timestamp], tuftest.NewKey(tb))
			m.Thresholds[terms.Timestamp] = 2
			m.NextRoot()
			m.Keys[terms.Timestamp] = m.Keys[terms.Timestamp][:1]
			m.Publish()
		}, remote.Untrusted, "timestamp.json is not signed"},
	}
}

func rotations() map[string]conformance {
	return map[string]conformance{
		"rotation of the timestamp's keys": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			rotate(tb, m, terms.Timestamp)
			m.Publish()
		}, remote.OK, ""},
		"rotation of the snapshot's keys": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			rotate(tb, m, terms.Snapshot)
			m.Publish()
		}, remote.OK, ""},
		"rotation of the targets' and the products' keys": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			rotate(tb, m, terms.Targets)
			m.Keys[tuftest.Products] = []tuftest.Key{tuftest.NewKey(tb)}
			m.Publish()
		}, remote.OK, ""},
		"no consistent snapshots": {func(_ testing.TB, m *tuftest.Market) {
			m.Root.Signed.Version, m.Root.Signed.ConsistentSnapshot = 2, false
			m.SignRoot(m.Keys[terms.Root]...)
			m.Publish()
		}, remote.Untrusted, "no consistent snapshots"},
		"too many keys": {func(tb testing.TB, m *tuftest.Market) {
			tb.Helper()
			for range 64 {
				m.Keys[terms.Timestamp] = append(m.Keys[terms.Timestamp], tuftest.NewKey(tb))
			}
			m.NextRoot()
			m.Keys[terms.Timestamp] = m.Keys[terms.Timestamp][:1]
			m.Publish()
		}, remote.Untrusted, "more than 64 keys"},
	}
}

// twoRootKeys publishes a root with two keys, both of which must sign.
func twoRootKeys(tb testing.TB, m *tuftest.Market) {
	tb.Helper()
	m.Keys[terms.Root] = append(m.Keys[terms.Root], tuftest.NewKey(tb))
	m.Thresholds[terms.Root] = 2
	m.NextRoot()
}

// rotate publishes a root with another key for a role.
func rotate(tb testing.TB, m *tuftest.Market, role string) {
	tb.Helper()
	old := m.Keys[terms.Root]
	m.Keys[role] = []tuftest.Key{tuftest.NewKey(tb)}
	m.NextRoot(old...)
}

func versionsAndContents() map[string]conformance {
	withHash := func(change func(*metadata.MetaFiles)) func(testing.TB, *tuftest.Market) {
		return func(_ testing.TB, m *tuftest.Market) {
			m.SignSnapshot()
			file := m.File(metadataPath(terms.Snapshot, m.Snapshot.Signed.Version))
			sum := sha256.Sum256(file)
			info := m.Timestamp.Signed.Meta["snapshot.json"]
			info.Length, info.Hashes = int64(len(file)), metadata.Hashes{"sha256": sum[:]}
			change(info)
			m.SignTimestamp()
		}
	}
	return map[string]conformance{
		"an expired timestamp": {expired(terms.Timestamp), remote.Unreachable, "timestamp.json has expired"},
		"an expired snapshot":  {expired(terms.Snapshot), remote.Unreachable, "snapshot.json has expired"},
		"expired targets":      {expired(terms.Targets), remote.Unreachable, "targets.json has expired"},
		"an expired role":      {expired("p-mail-courier"), remote.Unreachable, "p-mail-courier.json has expired"},
		"targets of another version than the snapshot says": {func(_ testing.TB, m *tuftest.Market) {
			old := m.File(metadataPath(terms.Targets, m.Targets.Signed.Version))
			m.Publish()
			m.Put(metadataPath(terms.Targets, m.Targets.Signed.Version), old)
		}, remote.Untrusted, "targets.json has another version"},
		"a snapshot with its hash and length":         {withHash(func(*metadata.MetaFiles) {}), remote.OK, ""},
		"a snapshot with another hash":                {withHash(func(i *metadata.MetaFiles) { i.Hashes["sha256"][0]++ }), remote.Untrusted, "other contents"},
		"a snapshot with another length":              {withHash(func(i *metadata.MetaFiles) { i.Length++ }), remote.Untrusted, "other contents"},
		"a snapshot with a hash that nobody computes": {withHash(func(i *metadata.MetaFiles) { i.Hashes = metadata.Hashes{"md5": {1}} }), remote.Untrusted, ""},
		"another file than the targets sign": {func(_ testing.TB, m *tuftest.Market) {
			m.Describe("Acme Two")
			served := terms.TargetPath + terms.ServedAs(terms.MarketFile, m.Targets.Signed.Targets[terms.MarketFile].Hashes["sha256"].String())
			m.Put(served, []byte(strings.Replace(string(m.File(served)), "Two", "Owt", 1)))
			m.Publish()
		}, remote.Untrusted, "market.json has other contents"},
		"no description": {func(_ testing.TB, m *tuftest.Market) {
			delete(m.Targets.Signed.Targets, terms.MarketFile)
			m.Publish()
		}, remote.Untrusted, "does not sign market.json"},
		"an unreadable description": {func(_ testing.TB, m *tuftest.Market) {
			m.Target(terms.MarketFile, []byte(`{"name":""}`), nil)
			m.Publish()
		}, remote.Untrusted, "market.json cannot be read"},
		"the same version of the timestamp again": {func(_ testing.TB, m *tuftest.Market) {
			m.Timestamp.Signed.Version--
			m.SignTimestamp()
		}, remote.OK, ""},
	}
}

// expired publishes all, with a role that has expired.
func expired(role string) func(testing.TB, *tuftest.Market) {
	return func(_ testing.TB, m *tuftest.Market) {
		m.Lives[role] = -time.Hour
		m.Publish()
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()

	for _, some := range []map[string]conformance{keysAndRoots(), rotations(), versionsAndContents()} {
		for name, tt := range some {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m, b, known := added(t)
				tt.do(t, m)
				b.poll(t)
				list, err := b.List(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got, reason := list[1].At(b.clock.Now())
				if got != tt.state || !strings.Contains(reason, tt.reason) {
					t.Errorf("%s %q, want %s %q", got, reason, tt.state, tt.reason)
				}
				if blocked := b.versions(t, known.ID) != "1.0.0"; blocked != (tt.state != remote.OK) {
					t.Errorf("packages are refused: %t", blocked)
				}
			})
		}
	}
}

// A thief of keys who drove versions up locks nobody out for ever: other keys begin anew. Without other
// keys, nothing goes back.
func TestFastForwardRecovery(t *testing.T) {
	t.Parallel()

	const far = 1_000_000
	for name, tt := range map[string]struct {
		drive func(m *tuftest.Market, by int64)
		roles []string
	}{
		"timestamp": {func(m *tuftest.Market, by int64) { m.Timestamp.Signed.Version += by }, []string{terms.Timestamp}},
		"snapshot":  {func(m *tuftest.Market, by int64) { m.Snapshot.Signed.Version += by }, []string{terms.Snapshot}},
		"targets":   {func(m *tuftest.Market, by int64) { m.Targets.Signed.Version += by }, []string{terms.Snapshot}},
		"role":      {func(m *tuftest.Market, by int64) { m.Roles["mail-courier"].Signed.Version += by }, []string{terms.Snapshot}},
		"all": {func(m *tuftest.Market, by int64) {
			m.Timestamp.Signed.Version += by
			m.Snapshot.Signed.Version += by
			m.Targets.Signed.Version += by
		}, []string{terms.Timestamp, terms.Snapshot, terms.Targets}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, b, known := added(t)
			tt.drive(m, far)
			m.Publish()
			b.poll(t)
			b.is(t, "driven up", remote.OK, "")
			tt.drive(m, -far)
			m.Publish()
			b.poll(t)
			b.is(t, "with the same keys", remote.Untrusted, "another version")
			for _, role := range tt.roles {
				rotate(t, m, role)
			}
			m.Publish()
			b.poll(t)
			b.is(t, "with other keys", remote.OK, "")
			if got := b.versions(t, known.ID); got != "1.0.0" {
				t.Error(got)
			}
		})
	}
}

// After a restore of a backup a market may have lost products: with other keys it begins anew.
func TestAMarketThatBeginsAnewMayHaveLessProducts(t *testing.T) {
	t.Parallel()

	m, b, known := added(t)
	delete(m.Roles, "mail-courier")
	delete(m.Snapshot.Signed.Meta, "p-mail-courier.json")
	rotate(t, m, terms.Timestamp)
	rotate(t, m, terms.Snapshot)
	m.Publish()
	b.poll(t)
	b.is(t, "anew", remote.OK, "")
	if got := b.versions(t, known.ID); got != "NOT_FOUND" {
		t.Error(got)
	}
	if b.held(t, known.ID, "p-mail-courier") != "" {
		t.Error("the role of a product that is no more is held")
	}
}
