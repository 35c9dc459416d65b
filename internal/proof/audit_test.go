package proof

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
)

// notebook takes what an audit finds, instead of failing a test.
type notebook struct {
	testing.TB

	found []string
}

func (n *notebook) Errorf(format string, args ...any) {
	n.found = append(n.found, fmt.Sprintf(format, args...))
}
func (n *notebook) Error(args ...any)   { n.found = append(n.found, fmt.Sprint(args...)) }
func (n *notebook) Logf(string, ...any) {}

// clerks are a client of each kind that was answered something, with what the audit of
// TestReplicasBehindNginx asks.
type clerks struct {
	*fleet

	notes     *notebook
	buyer     *buyer
	operator  *operator
	publisher *publisher
	member    *member
	caller    *caller
}

// newClerks lets clients work with one process, so that everything that is audited exists.
func newClerks(t *testing.T) *clerks {
	t.Helper()
	c := newCluster(t, sqlite, 1)
	f := &fleet{cluster: c, edge: &edge{url: c.processes[0].URL()}, outside: newOutside(), book: newBook()}
	srv := httptest.NewServer(f.outside)
	t.Cleanup(srv.Close)
	f.outside.url = srv.URL
	k := &clerks{fleet: f, notes: &notebook{TB: t}}
	admin := f.people(t).admin
	f.outside.install(t, f, admin)
	desk := func(n int) *desk { return f.desk(k.notes, 1, n) }
	k.buyer, k.member = newBuyer(desk(1), "buyer"), newMember(desk(2), "member")
	k.operator, k.publisher = newOperator(desk(3), admin), &publisher{desk: desk(4), admin: admin}
	k.caller = &caller{desk: desk(5)}
	k.publisher.publish()
	for i := range 4 {
		k.buyer.buy()
		k.operator.use(2*i, i == 3) // the last one is deleted
		k.caller.call()
	}
	f.delivered(t)
	return k
}

// audit returns what the audit finds wrong.
func (k *clerks) audit() []string {
	k.notes.found = nil
	for _, w := range []worker{k.buyer, k.operator, k.publisher, k.member, k.caller} {
		w.audit(k.notes)
	}
	k.checkBooks(k.notes)
	k.outside.hooks.check(k.notes, k.cluster, 10)
	k.outside.check(k.notes)
	k.book.report(k.notes)
	return k.notes.found
}

// The audit of the tests with kills finds nothing in what is true, and names each thing that
// was answered and is gone: rows that were committed are deleted or changed behind stoa's back.
func TestTheAuditNamesWhatIsLost(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it tests the audit of a test that make proof runs")

	k := newClerks(t)
	if found := k.audit(); len(found) > 0 {
		t.Fatalf("nothing is lost, and the audit finds:\n%s", strings.Join(found, "\n"))
	}
	purchases, uses := k.buyer.purchases, k.buyer.activations
	instance := func(state string) string {
		var ids []string
		for id, s := range k.operator.instances {
			if s == state {
				ids = append(ids, id)
			}
		}
		return slices.Min(ids)
	}
	enabled, gone := instance(on), instance(deleted)
	for _, tt := range []struct{ name, statement, want string }{
		{
			"a purchase", `DELETE FROM orders WHERE id = '` + purchases[0].OrderID + `'`,
			"order " + purchases[0].OrderID + " was answered",
		},
		{
			"a payment", `UPDATE orders SET status = 'pending' WHERE id = '` + purchases[1].OrderID + `'`,
			"order " + purchases[1].OrderID + " was answered, but is now pending",
		},
		{
			"an activation", `DELETE FROM license_instances WHERE license_id IN
				(SELECT license_id FROM orders WHERE id = '` + purchases[3].OrderID + `')`,
			"the activation of " + uses[len(uses)-1].instance + " was answered, but verify says",
		},
		{
			"a receipt", `DELETE FROM receipts WHERE order_id = '` + purchases[2].OrderID + `'`,
			"1 paid orders whose receipt is not to be mailed",
		},
		{
			"a change of an instance", `UPDATE plugin_instances SET enabled = 0 WHERE id = '` + enabled + `'`,
			"instance " + enabled + ` was enabled by the last answer, and now it is "disabled"`,
		},
		{
			"a deletion", `UPDATE plugin_instances SET deleted_at_ms = NULL WHERE id = '` + gone + `'`,
			"instance " + gone + ` was deleted by the last answer, and now it is "disabled"`,
		},
		{
			"an upgrade", `UPDATE plugin_packages SET manifest_json = replace(manifest_json, '1.1.0', '1.0.0') WHERE slug = 'inside'`,
			"version 1.1.0 was installed, and now it is",
		},
		{"a session", `DELETE FROM sessions`, "refresh: odd answer: 401"},
		{"an account", `DELETE FROM users WHERE username = 'member'`, "/auth/login: 401"},
		{
			"the record of a hook", `DELETE FROM deliveries WHERE kind = 'hook' AND target = '` + enabled + `' AND name = 'onInstall'`,
			"4 hooks onInstall for 5 instances",
		},
	} {
		if _, err := k.db.ExecContext(t.Context(), tt.statement); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if found := k.audit(); !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, tt.want) }) {
			t.Errorf("lost %s: the audit finds\n%s\nwant %q", tt.name, strings.Join(found, "\n"), tt.want)
		}
	}
}

// wrong is something that goes wrong, what the audit says then, and how it becomes right again.
type wrong struct {
	name, want string
	happen     func()
	undo       func()
}

// wantNamed fails unless the audit names each thing that goes wrong, and nothing else.
func (k *clerks) wantNamed(t *testing.T, wrongs []wrong) {
	t.Helper()
	for _, tt := range wrongs {
		tt.happen()
		found := k.audit()
		if len(found) != 1 || !strings.Contains(found[0], tt.want) {
			t.Errorf("%s: the audit finds %q, want one with %q", tt.name, found, tt.want)
		}
		tt.undo()
	}
}

// A plugin that did something twice, in another order or not at all is named, and so is a
// failure that no fault explains.
func TestTheAuditNamesWhatWentWrongOutside(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it tests the audit of a test that make proof runs")

	k := newClerks(t)
	k.wantNamed(t, append(k.wrongCalls(), k.unexplainedFailures()...))
	began := time.Now()
	k.book.failed, k.book.faults = []failure{k.failed(began)}, []*fault{k.killed(began)}
	if found := k.audit(); len(found) > 0 {
		t.Errorf("a request failed at the replica that was killed: the audit finds %q", found)
	}
}

// wrongCalls are hooks and calls that a plugin got twice, in another order or not at all.
func (k *clerks) wrongCalls() []wrong {
	hooks, calls := k.outside.hooks, k.outside
	var busy string // an installation with more than one hook
	for id, ids := range hooks.first {
		if len(ids) > len(hooks.first[busy]) {
			busy = id
		}
	}
	came := hooks.first[busy]
	return []wrong{
		{
			"a hook was processed twice", busy + " got",
			func() { hooks.first[busy] = append(slices.Clone(came), came[0]) },
			func() { hooks.first[busy] = came },
		},
		{
			"hooks came in another order", busy + " got",
			func() { hooks.first[busy] = slices.Clone(came); slices.Reverse(hooks.first[busy]) },
			func() { hooks.first[busy] = came },
		},
		{
			"a hook never came", busy + " got",
			func() { hooks.first[busy] = came[1:] },
			func() { hooks.first[busy] = came },
		},
		{
			"a call came twice", "a POST to a plugin, twice, came 2 times",
			func() { calls.calls["twice"] = 2 },
			func() { delete(calls.calls, "twice") },
		},
		{
			"a call was answered and never came", "the call never was answered, and did not come",
			func() { calls.told["never"] = true },
			func() { delete(calls.told, "never") },
		},
	}
}

// killed is the fault of a replica that was killed and came back a second later.
func (k *clerks) killed(at time.Time) *fault {
	return &fault{upstream: "127.0.0.1:1", from: at, till: at.Add(time.Second), book: k.book}
}

// failed is a request that failed at that replica.
func (k *clerks) failed(at time.Time) failure {
	return failure{phase: k.book.now(), what: "POST /x", upstream: "127.0.0.1:1", begin: at, end: at}
}

// unexplainedFailures are failed requests that no fault explains.
func (k *clerks) unexplainedFailures() []wrong {
	began := time.Now()
	killed, failed := k.killed(began), k.failed(began)
	return []wrong{
		{
			"a request failed without a fault", "POST /x at 127.0.0.1:1",
			func() { k.book.failed = []failure{failed} },
			func() { k.book.failed = nil },
		},
		{
			"a request failed at a replica that was not killed", "POST /x at 127.0.0.1:2",
			func() {
				other := failed
				other.upstream = "127.0.0.1:2"
				k.book.failed, k.book.faults = []failure{other}, []*fault{killed}
			},
			func() { k.book.failed, k.book.faults = nil, nil },
		},
		{
			"a request failed after the replica was back", "POST /x at 127.0.0.1:1",
			func() {
				late := failed
				late.begin, late.end = began.Add(time.Minute), began.Add(time.Minute)
				k.book.failed, k.book.faults = []failure{late}, []*fault{killed}
			},
			func() { k.book.failed, k.book.faults = nil, nil },
		},
	}
}
