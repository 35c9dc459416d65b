package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/message/delivery"
	"stoa/internal/store"
)

func testDeliveries(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"a queue belongs to one lease at a time":            testDeliveryLease,
		"a queue in order is held up by its head":           testDeliveryOrder,
		"a webhook's deliveries do not hold each other up":  testDeliveryWithoutOrder,
		"what is added to a leased queue is not forgotten":  testDeliveryAddedMeanwhile,
		"callers share the queues and none is missed":       testDeliveryRace,
		"events are spread once, in order, or not at all":   testSpread,
		"nothing is to be done, or something":               testDeliveryIdle,
		"attempts are kept and listed":                      testDeliveryLog,
		"the dead are replayed in their order":              testDeliveryReplay,
		"old events and deliveries are swept":               testDeliverySweep,
		"what was never reached is given up":                testDeliveryGiveUp,
		"what is undone is neither delivered nor announced": testDeliveryUndone,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, open) })
	}
}

// hook returns a delivery to an installation, made at T0.
func hook(target, name string) delivery.Delivery {
	d := delivery.New(T0, delivery.Hook, target, name)
	d.Owner, d.Payload = "loyalty", "{}"
	return d
}

func mustOutbox(tb testing.TB, s *store.Deliveries, list ...delivery.Delivery) {
	tb.Helper()
	if err := s.AddDeliveries(tb.Context(), list); err != nil {
		tb.Fatal(err)
	}
}

// mustTake claims queues of installations and checks which.
func mustTake(tb testing.TB, s *store.Deliveries, lease string, now time.Time, want ...string) {
	tb.Helper()
	got, err := s.Claim(tb.Context(), delivery.Plugins, lease, now, time.Minute, 10)
	for i := range want {
		want[i] = delivery.QueueOf(delivery.Plugins, want[i])
	}
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		tb.Errorf("Claim = %v, %v; want %v", got, err, want)
	}
}

// wantNext checks the names of what may be sent in a queue.
func wantNext(tb testing.TB, s *store.Deliveries, lane delivery.Lane, target string, now time.Time, want ...string) {
	tb.Helper()
	list, err := s.Next(tb.Context(), lane, delivery.QueueOf(lane, target), now, 10)
	var got []string
	for _, d := range list {
		got = append(got, d.Name)
	}
	if err != nil || !slices.Equal(got, want) {
		tb.Errorf("Next = %v, %v; want %v", got, err, want)
	}
}

// mustSettle records that d was sent and became state.
func mustSettle(
	tb testing.TB, s *store.Deliveries, lease string, d delivery.Delivery, state delivery.State, due time.Time,
) {
	tb.Helper()
	d.State, d.Due, d.Attempts, d.Tries = state, due, d.Attempts+1, d.Tries+1
	if state != delivery.Waiting {
		d.FinishedAt = T0
	}
	a := delivery.Attempt{Number: d.Attempts, At: T0, Duration: time.Millisecond, Result: delivery.Result{Status: 200}}
	ok, err := s.Settle(tb.Context(), d.Queue(), lease, []delivery.Settled{{Delivery: d, Attempt: a}}, time.Hour)
	if err != nil || !ok {
		tb.Errorf("Settle = %v, %v; want success", ok, err)
	}
}

func mustRelease(tb testing.TB, s *store.Deliveries, lane delivery.Lane, target, lease string) {
	tb.Helper()
	if err := s.Release(tb.Context(), delivery.QueueOf(lane, target), lease, T0); err != nil {
		tb.Error(err)
	}
}

func testDeliveryLease(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	d := hook("a", "onInstall")
	mustOutbox(t, s, d, hook("b", "onInstall"))
	mustTake(t, s, "first", T0.Add(-time.Second))
	mustTake(t, s, "first", T0, "a", "b")
	mustTake(t, s, "second", T0)
	// However late it is by the clock of whoever claims: the database's counts.
	mustTake(t, s, "second", T0.Add(48*time.Hour))
	if due, err := s.NextDue(t.Context(), delivery.Plugins); err != nil || !due.IsZero() {
		t.Errorf("NextDue = %v, %v; want never: all queues have a lease", due, err)
	}
	mustHold(t, s, "a", "first", 0)
	mustTake(t, s, "second", T0, "a")
	// The lease of the first has ended: what it does from now on has no effect.
	d.State, d.Due = delivery.Delivered, time.Time{}
	ok, err := s.Settle(t.Context(), d.Queue(), "first", []delivery.Settled{{Delivery: d}}, time.Hour)
	if ok || err != nil {
		t.Errorf("Settle with a lost lease = %v, %v; want false", ok, err)
	}
	mustRelease(t, s, delivery.Plugins, "a", "first")
	mustTake(t, s, "third", T0)
	wantNext(t, s, delivery.Plugins, "a", T0, "onInstall")
	mustSettle(t, s, "second", d, delivery.Delivered, time.Time{})
	mustRelease(t, s, delivery.Plugins, "a", "second")
	mustHold(t, s, "b", "first", time.Minute) // extended
	mustTake(t, s, "third", T0)
	mustRelease(t, s, delivery.Plugins, "b", "first")
	mustTake(t, s, "third", T0, "b")
}

// mustHold extends the lease of a queue, or ends it with hold 0.
func mustHold(tb testing.TB, s *store.Deliveries, target, lease string, hold time.Duration) {
	tb.Helper()
	ok, err := s.Settle(tb.Context(), delivery.QueueOf(delivery.Plugins, target), lease, nil, hold)
	if err != nil || !ok {
		tb.Errorf("Settle = %v, %v; want success", ok, err)
	}
}

func testDeliveryOrder(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	first := hook("a", "onInstall")
	mustOutbox(t, s, first, hook("a", "onEnable"))
	mustTake(t, s, "x", T0, "a")
	wantNext(t, s, delivery.Plugins, "a", T0, "onInstall", "onEnable")
	mustSettle(t, s, "x", first, delivery.Waiting, T0.Add(5*time.Second))
	wantNext(t, s, delivery.Plugins, "a", T0)
	mustRelease(t, s, delivery.Plugins, "a", "x")
	mustOutbox(t, s, hook("a", "onDisable"))
	mustTake(t, s, "x", T0.Add(4*time.Second))
	if due, err := s.NextDue(t.Context(), delivery.Plugins); err != nil || !due.Equal(T0.Add(5*time.Second)) {
		t.Errorf("NextDue = %v, %v; want five seconds later", due, err)
	}
	mustTake(t, s, "x", T0.Add(5*time.Second), "a")
	wantNext(t, s, delivery.Plugins, "a", T0.Add(5*time.Second), "onInstall", "onEnable", "onDisable")
}

func testDeliveryWithoutOrder(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	first := delivery.New(T0, delivery.Webhook, "w", "one")
	mustOutbox(t, s, first)
	claim := func(now time.Time) {
		t.Helper()
		got, err := s.Claim(t.Context(), delivery.Webhooks, "x", now, time.Minute, 9)
		if err != nil || len(got) != 1 {
			t.Fatalf("Claim = %v, %v; want one queue", got, err)
		}
	}
	claim(T0)
	mustSettle(t, s, "x", first, delivery.Waiting, T0.Add(time.Hour))
	mustRelease(t, s, delivery.Webhooks, "w", "x")
	mustOutbox(t, s, delivery.New(T0, delivery.Webhook, "w", "two"))
	claim(T0)
	wantNext(t, s, delivery.Webhooks, "w", T0, "two")
	wantNext(t, s, delivery.Webhooks, "w", T0.Add(time.Hour), "two", "one")
	mustTake(t, s, "x", T0) // the other lane is another
}

func testDeliveryAddedMeanwhile(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	first := hook("a", "onInstall")
	mustOutbox(t, s, first)
	mustTake(t, s, "x", T0, "a")
	mustSettle(t, s, "x", first, delivery.Delivered, time.Time{})
	mustOutbox(t, s, hook("a", "onEnable"))
	mustTake(t, s, "y", T0)
	mustRelease(t, s, delivery.Plugins, "a", "x")
	mustTake(t, s, "y", T0, "a")
	wantNext(t, s, delivery.Plugins, "a", T0, "onEnable")
}

// Several callers claim, settle and release while others add: each delivery is settled
// once, in the order of its queue.
func testDeliveryRace(t *testing.T, open Open) {
	const queues, each = 4, 8
	s := store.NewDeliveries(open(t))
	var (
		mu    sync.Mutex
		got   = make(map[string][]string)
		wg    sync.WaitGroup
		total int
	)
	for q := range queues {
		wg.Go(func() {
			for i := range each {
				mustOutbox(t, s, hook(fmt.Sprint("i", q), fmt.Sprint("hook", i)))
			}
		})
	}
	deadline := time.Now().Add(time.Minute)
	for w := range 3 {
		wg.Go(func() {
			for n := 0; ; n++ {
				mu.Lock()
				over := total == queues*each
				mu.Unlock()
				if over || time.Now().After(deadline) {
					return
				}
				lease := fmt.Sprint("lease", w, "-", n)
				names, err := s.Claim(t.Context(), delivery.Plugins, lease, T0, time.Minute, 2)
				if err != nil {
					t.Error(err)
					return
				}
				for _, name := range names {
					due, err := s.Next(t.Context(), delivery.Plugins, name, T0, 3)
					if err != nil {
						t.Error(err)
					}
					for _, d := range due {
						mu.Lock()
						got[name] = append(got[name], d.Name)
						total++
						mu.Unlock()
						mustSettle(t, s, lease, d, delivery.Delivered, time.Time{})
					}
					if err := s.Release(t.Context(), name, lease, T0); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	var want []string
	for i := range each {
		want = append(want, fmt.Sprint("hook", i))
	}
	for q := range queues {
		name := delivery.QueueOf(delivery.Plugins, fmt.Sprint("i", q))
		if diff := cmp.Diff(got[name], want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
}

func testSpread(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	a := event.New(T0, event.OrderPaid, event.Names{OrderID: "a"})
	b := event.New(T0, event.OrderPaid, event.Names{OrderID: "b"})
	for _, e := range []event.Event{a, b} {
		if err := s.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	failed := errors.New("no subscribers today")
	_, err := s.FanOut(t.Context(), 10, func([]event.Event) ([]delivery.Delivery, error) {
		return []delivery.Delivery{hook("x", "lost")}, failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("FanOut = %v, want the error of the function", err)
	}
	n, err := s.FanOut(t.Context(), 10, func(got []event.Event) ([]delivery.Delivery, error) {
		if diff := cmp.Diff(got, []event.Event{a, b}); diff != "" {
			t.Errorf("events (-got +want):\n%s", diff)
		}
		d, err := delivery.OfEvent(T0, delivery.Event, "x", got[0])
		return []delivery.Delivery{d}, err
	})
	if err != nil || n != 2 {
		t.Errorf("FanOut = %d, %v; want 2", n, err)
	}
	wantNext(t, s, delivery.Plugins, "x", T0, "order.paid")
	if n, err := s.FanOut(t.Context(), 10, nil); n != 0 || err != nil {
		t.Errorf("FanOut again = %d, %v; want none", n, err)
	}
}

func testDeliveryIdle(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	want := func(when string, now time.Time, want bool) {
		t.Helper()
		if got, err := s.Idle(t.Context(), now); got != want || err != nil {
			t.Errorf("%s: Idle = %v, %v; want %v", when, got, err, want)
		}
	}
	want("at first", T0, true)
	if err := s.Publish(t.Context(), event.New(T0, event.OrderPaid, event.Names{})); err != nil {
		t.Fatal(err)
	}
	want("an event waits", T0, false)
	d := hook("x", "onInstall")
	_, err := s.FanOut(t.Context(), 10, func([]event.Event) ([]delivery.Delivery, error) { return []delivery.Delivery{d}, nil })
	if err != nil {
		t.Fatal(err)
	}
	want("a hook is due", T0, false)
	want("before it is due", T0.Add(-time.Second), true)
	mustTake(t, s, "a", T0, "x")
	want("it is sent", T0.Add(-time.Second), false)
	mustSettle(t, s, "a", d, delivery.Waiting, T0.Add(time.Hour))
	mustRelease(t, s, delivery.Plugins, "x", "a")
	want("it is to be sent again", T0, true)
}

func testDeliveryLog(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	d := hook("a", "onInstall")
	d.Keeps = "package"
	mustOutbox(t, s, d, hook("b", "onInstall"))
	mustTake(t, s, "x", T0, "a", "b")
	mustSettle(t, s, "x", d, delivery.Delivered, time.Time{})
	want := delivery.Listed{Delivery: d, History: []delivery.Attempt{
		{Number: 1, At: T0, Duration: time.Millisecond, Result: delivery.Result{Status: 200}},
	}}
	want.State, want.Due, want.FinishedAt, want.Attempts, want.Tries = delivery.Delivered, time.Time{}, T0, 1, 1
	got, err := s.Find(t.Context(), delivery.Plugins, d.ID)
	if diff := cmp.Diff(got, want); diff != "" || err != nil {
		t.Errorf("Find: %v (-got +want):\n%s", err, diff)
	}
	_, err = s.Find(t.Context(), delivery.Webhooks, d.ID)
	wantKind(t, err, errs.NotFound)
	for _, q := range []delivery.Query{
		{Owner: "loyalty"},
		{Owner: "loyalty", Target: "a"},
		{State: delivery.Delivered},
		{Owner: "other"},
		{From: T0, To: T0.Add(time.Millisecond)},
		{From: T0.Add(time.Millisecond)},
		{To: T0},
	} {
		q.Lane, q.Limit = delivery.Plugins, 1
		list, total, err := s.List(t.Context(), q)
		switch {
		case err != nil:
			t.Error(err)
		case q.Owner == "other", q.From.After(T0), q.To.Equal(T0):
			if total != 0 {
				t.Errorf("List(%+v) = %d deliveries, want none", q, total)
			}
		case q.Target == "" && q.State == "":
			if total != 2 || len(list) != 1 || list[0].Target != "b" {
				t.Errorf("List = %v of %d, want the newest of two", list, total)
			}
		default:
			if diff := cmp.Diff(list, []delivery.Listed{want}); diff != "" || total != 1 {
				t.Errorf("List(%+v), %d in all (-got +want):\n%s", q, total, diff)
			}
		}
	}
}

func testDeliveryReplay(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	old, first, second := hook("a", "old"), hook("a", "first"), hook("a", "second")
	old.CreatedAt = T0.Add(-time.Hour)
	mustOutbox(t, s, old, first, second)
	mustTake(t, s, "x", T0, "a")
	for _, d := range []delivery.Delivery{old, first, second} {
		mustSettle(t, s, "x", d, delivery.Dead, time.Time{})
	}
	mustRelease(t, s, delivery.Plugins, "a", "x")
	mustTake(t, s, "x", T0)
	now := T0.Add(time.Hour)
	failing := hook("a", "third")
	failing.Due = now.Add(10 * time.Hour)
	mustOutbox(t, s, failing)
	if n, err := s.ReplayDead(t.Context(), "loyalty", T0, now); n != 2 || err != nil {
		t.Errorf("ReplayDead = %d, %v; want 2", n, err)
	}
	elsewhere, message := hook("b", "n"), delivery.New(T0, delivery.Webhook, "w", "n")
	elsewhere.Owner, elsewhere.State, elsewhere.Due = "other", delivery.Dead, time.Time{}
	message.Payload, message.State, message.Due = "{}", delivery.Dead, time.Time{}
	mustOutbox(t, s, elsewhere, message)
	if n, err := s.ReplayDead(t.Context(), "", T0, now); n != 1 || err != nil {
		t.Errorf("ReplayDead of all plugins = %d, %v; want the other one's, and no webhook", n, err)
	}
	mustTake(t, s, "x", now, "a", "b")
	wantNext(t, s, delivery.Plugins, "a", now, "first", "second", "third")
	if err := s.Replay(t.Context(), delivery.Plugins, old.ID, now); err != nil {
		t.Error(err)
	}
	wantNext(t, s, delivery.Plugins, "a", now, "old", "first", "second", "third")
	wantKind(t, s.Replay(t.Context(), delivery.Webhooks, old.ID, now), errs.NotFound)
	got, err := s.Find(t.Context(), delivery.Plugins, old.ID)
	if err != nil || got.Attempts != 1 || got.Tries != 0 || got.State != delivery.Waiting {
		t.Errorf("replayed = %+v, %v; want it waiting, untried, after one attempt", got, err)
	}
}

func testDeliverySweep(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	gone, waits := hook("a", "gone"), hook("b", "waits")
	mustOutbox(t, s, gone, waits)
	mustTake(t, s, "x", T0, "a", "b")
	mustSettle(t, s, "x", gone, delivery.Delivered, time.Time{})
	mustRelease(t, s, delivery.Plugins, "a", "x")
	for range 2 {
		if err := s.Publish(t.Context(), event.New(T0, event.OrderPaid, event.Names{})); err != nil {
			t.Fatal(err)
		}
	}
	nobody := func([]event.Event) ([]delivery.Delivery, error) { return nil, nil }
	if _, err := s.FanOut(t.Context(), 1, nobody); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context(), T0, 10); n != 0 || err != nil {
		t.Errorf("Sweep of what is not old = %d, %v; want none", n, err)
	}
	if n, err := s.Sweep(t.Context(), T0.Add(time.Second), 10); n != 3 || err != nil {
		t.Errorf("Sweep = %d, %v; want a delivery, an event and a queue", n, err)
	}
	_, err := s.Find(t.Context(), delivery.Plugins, gone.ID)
	wantKind(t, err, errs.NotFound)
	if _, err := s.Find(t.Context(), delivery.Plugins, waits.ID); err != nil {
		t.Errorf("what waits is gone: %v", err)
	}
}

// What waits behind a delivery that is tried again and again does not wait forever.
func testDeliveryGiveUp(t *testing.T, open Open) {
	s := store.NewDeliveries(open(t))
	later := T0.Add(delivery.Retention)
	tried, behind, fresh := hook("a", "tried"), hook("a", "behind"), hook("a", "fresh")
	fresh.Due, fresh.CreatedAt = later, later
	mustOutbox(t, s, tried, behind, fresh)
	mustTake(t, s, "x", T0, "a")
	mustSettle(t, s, "x", tried, delivery.Waiting, later)
	mustRelease(t, s, delivery.Plugins, "a", "x")
	for _, want := range []int{1, 0} {
		if n, err := s.GiveUp(t.Context(), T0.Add(time.Second), later, 10); n != want || err != nil {
			t.Errorf("GiveUp = %d, %v; want %d", n, err, want)
		}
	}
	got, err := s.Find(t.Context(), delivery.Plugins, behind.ID)
	if err != nil || got.State != delivery.Dead || !got.FinishedAt.Equal(later) || !got.Due.IsZero() {
		t.Errorf("what waited = %+v, %v; want it dead", got, err)
	}
	wantNext(t, s, delivery.Plugins, "a", later, "tried", "fresh")
	if n, err := s.ReplayDead(t.Context(), "loyalty", T0, later); n != 1 || err != nil {
		t.Errorf("ReplayDead = %d, %v; want 1", n, err)
	}
	wantNext(t, s, delivery.Plugins, "a", later, "tried", "behind", "fresh")
}

func testDeliveryUndone(t *testing.T, open Open) {
	db := open(t)
	users, undone := store.NewAccount(db), errors.New("undone")
	publish := func(ctx context.Context, tx account.Store) error {
		return tx.Publish(ctx, event.New(T0, event.UserRegistered, event.Names{UserID: "u"}))
	}
	for name, run := range map[string]func(context.Context, func(account.Store) error) error{
		"InTx": users.InTx, "InShortTx": users.InShortTx,
	} {
		err := run(t.Context(), func(tx account.Store) error { return errors.Join(publish(t.Context(), tx), undone) })
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		select {
		case <-db.Announced(store.NewEvents):
			t.Errorf("%s: what was undone is announced", name)
		default:
		}
		err = run(t.Context(), func(tx account.Store) error {
			err := publish(t.Context(), tx)
			select {
			case <-db.Announced(store.NewEvents):
				t.Errorf("%s: announced before the commit", name)
			default:
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		<-db.Announced(store.NewEvents)
	}
	var n int
	err := db.Conn().Read.QueryRowContext(t.Context(), `SELECT count(*) FROM events`).Scan(&n)
	if err != nil || n != 2 {
		t.Errorf("%d events, %v; want the two that were committed", n, err)
	}
}
