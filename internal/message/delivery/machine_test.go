package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/message/delivery"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/waittest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// receiver is a Sender that keeps what it was sent.
type receiver struct {
	answer func(d delivery.Delivery) delivery.Result

	mu  sync.Mutex
	got []string // target, name and attempt
	ids map[string]string
}

func (r *receiver) Send(_ context.Context, d delivery.Delivery) delivery.Result {
	result := delivery.Result{Status: http.StatusNoContent}
	if r.answer != nil {
		result = r.answer(d)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, fmt.Sprint(d.Target, " ", d.Name, " ", d.Attempts+1))
	if r.ids == nil {
		r.ids = make(map[string]string)
	}
	if id, ok := r.ids[d.Target+d.Name]; ok && id != d.ID {
		r.got = append(r.got, "another id")
	}
	r.ids[d.Target+d.Name] = d.ID
	return result
}

func (*receiver) Settled(context.Context, []delivery.Settled) {}

func (r *receiver) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// kit is a database with a machine that works until the test ends.
type kit struct {
	db    *database.DB
	store *store.Deliveries
	clock *clocktest.Clock
	to    *receiver
}

func start(t *testing.T, url string, answer func(delivery.Delivery) delivery.Result) *kit {
	t.Helper()
	db := dbtest.Open(t, url)
	k := &kit{db: db, store: store.NewDeliveries(db), clock: clocktest.New(time.Now().Truncate(time.Millisecond)), to: &receiver{answer: answer}}
	k.run(t)
	return k
}

// run starts a machine and returns what stops it.
func (k *kit) run(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	m := &delivery.Machine{
		Store: k.store, Lane: delivery.Plugins, Sender: k.to, Workers: 4,
		Wake: k.db.Announced(store.NewIn(delivery.Plugins)), Log: logtest.New(t), Now: k.clock.Now,
		SendLimit: time.Minute, // which makes the lease longer than a busy machine takes
	}
	done.Go(func() { m.Run(ctx) })
	stop = func() { cancel(); done.Wait() }
	t.Cleanup(stop)
	return stop
}

func (k *kit) add(t *testing.T, list ...delivery.Delivery) {
	t.Helper()
	if err := k.store.AddDeliveries(t.Context(), list); err != nil {
		t.Fatal(err)
	}
}

func (k *kit) hook(target, name string) delivery.Delivery {
	return delivery.New(k.clock.Now(), delivery.Hook, target, name)
}

// state waits until a delivery has come to a state after that many attempts.
func (k *kit) state(t *testing.T, id string, want delivery.State, attempts int) delivery.Listed {
	t.Helper()
	var d delivery.Listed
	waittest.Until(t, fmt.Sprintf("%s after %d attempts", want, attempts), func() (err error) {
		d, err = k.store.Find(t.Context(), delivery.Plugins, id)
		if err == nil && (d.State != want || d.Attempts != attempts) {
			err = fmt.Errorf("%s is %s after %d", d.Name, d.State, d.Attempts)
		}
		return err
	})
	return d
}

// due moves the clock to when a waiting delivery is due, and wakes the machine. Before that
// it waits until the worker that tried it has let the queue go: after a failure the queue
// rests for a second from then on, which must not begin when the clock has been moved.
func (k *kit) due(t *testing.T, d delivery.Delivery) {
	t.Helper()
	waittest.True(t, "the queue of "+d.Name+" to be free", func() bool {
		var lease string
		if err := k.db.Conn().Read.QueryRowContext(t.Context(), `SELECT q.lease FROM delivery_queues q
			JOIN deliveries d ON d.queue = q.name WHERE d.id = $1`, d.ID).Scan(&lease); err != nil {
			t.Fatal(err)
		}
		return lease == ""
	})
	k.clock.Advance(d.Due.Sub(k.clock.Now()))
	k.db.Conn().Announce(store.NewIn(delivery.Plugins))
}

func TestDeliveriesAreSentInOrderUnderOneID(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		var works atomic.Bool
		k := start(t, url, func(d delivery.Delivery) delivery.Result {
			if !works.Load() && d.Name == "onInstall" && d.Target == "a" {
				return delivery.Result{Status: 500, Error: "answered 500", Response: "no"}
			}
			return delivery.Result{Status: 200}
		})
		first, last, other := k.hook("a", "onInstall"), k.hook("a", "onEnable"), k.hook("b", "onInstall")
		k.add(t, first, last, other)
		k.state(t, other.ID, delivery.Delivered, 1)
		failed := k.state(t, first.ID, delivery.Waiting, 1)
		k.state(t, last.ID, delivery.Waiting, 0) // the queue of a is held up, and no other
		if a := failed.History; len(a) != 1 || a[0].Status != 500 || a[0].Response != "no" || a[0].Number != 1 {
			t.Errorf("history = %+v, want one attempt with its answer", a)
		}
		works.Store(true)
		k.due(t, failed.Delivery)
		k.state(t, last.ID, delivery.Delivered, 1)
		got := slices.DeleteFunc(k.to.all(), func(s string) bool { return strings.HasPrefix(s, "b") })
		want := []string{"a onInstall 1", "a onInstall 2", "a onEnable 1"}
		if !slices.Equal(got, want) {
			t.Errorf("a got %q, want %q", got, want)
		}
	})
}

func TestRetriesFollowTheSchedule(t *testing.T) {
	t.Parallel()

	k := start(t, dbtest.SQLite(t), func(delivery.Delivery) delivery.Result {
		return delivery.Result{Error: "connection refused"}
	})
	d, next := k.hook("a", "onInstall"), k.hook("a", "onEnable")
	k.add(t, d, next)
	schedule := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
	}
	for i, wait := range schedule {
		now := k.state(t, d.ID, delivery.Waiting, i+1)
		after := now.Due.Sub(k.clock.Now())
		if after < wait || after > wait+wait/10 {
			t.Errorf("after attempt %d the next is in %v, want %v and at most a tenth more", i+1, after, wait)
		}
		k.due(t, now.Delivery)
	}
	k.state(t, d.ID, delivery.Dead, 7)
	k.state(t, next.ID, delivery.Waiting, 1) // a dead delivery blocks nothing
}

func TestReceiversSayWhenAndWhether(t *testing.T) {
	t.Parallel()

	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, header string
		status       int
		want         time.Duration
	}{
		{"seconds", "120", 503, 2 * time.Minute},
		{"a date", "Tue, 01 Jan 2030 01:00:00 GMT", 429, time.Hour},
		{"a date in the past", "Tue, 01 Jan 2019 01:00:00 GMT", 429, 0},
		{"too long", "999999999", 503, 24 * time.Hour},
		{"absurdly long", "99999999999999999999999", 503, 24 * time.Hour},
		{"nonsense", "soon", 503, 0},
		{"of a success", "120", 200, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			r := delivery.ResultOf(tt.status, http.Header{"Retry-After": {tt.header}}, nil, at)
			if r.RetryAfter != tt.want {
				t.Errorf("RetryAfter = %v, want %v", r.RetryAfter, tt.want)
			}
		})
	}

	k := start(t, dbtest.SQLite(t), func(d delivery.Delivery) delivery.Result {
		switch d.Target {
		case "later":
			return delivery.Result{Status: 503, Error: "answered 503", RetryAfter: time.Hour}
		case "gone":
			return delivery.Result{Status: 410, Error: "answered 410"}
		}
		return delivery.Result{Cancel: true, Error: "it has left"}
	})
	later, gone, left := k.hook("later", "x"), k.hook("gone", "x"), k.hook("left", "x")
	k.add(t, later, gone, left)
	if d := k.state(t, later.ID, delivery.Waiting, 1); d.Due.Sub(k.clock.Now()) != time.Hour {
		t.Errorf("next attempt in %v, want the hour that was asked for", d.Due.Sub(k.clock.Now()))
	}
	k.state(t, gone.ID, delivery.Dead, 1)
	if d := k.state(t, left.ID, delivery.Cancelled, 0); len(d.History) != 0 {
		t.Errorf("history of what was not sent = %+v", d.History)
	}
}

func TestTheBeginningOfAnAnswerIsText(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ name, body, want string }{
		{"short", "ok", "ok"},
		{"at the limit", strings.Repeat("x", 4096), strings.Repeat("x", 4096)},
		{"beyond", strings.Repeat("x", 4097), strings.Repeat("x", 4096)},
		{"cut in a character", strings.Repeat("x", 4095) + "ß", strings.Repeat("x", 4095)},
		{"not text", "a\x00b\xffc", "a\uFFFDb\uFFFDc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got := delivery.Excerpt([]byte(tt.body)); got != tt.want {
				t.Errorf("got %d bytes, want %d", len(got), len(tt.want))
			}
		})
	}
}

// Machines of several processes share a database: each delivery is sent by one of them.
func TestMachinesShareTheQueues(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		k := start(t, url, nil)
		for range 2 {
			other := &kit{db: dbtest.Open(t, url), clock: k.clock, to: k.to}
			other.store = store.NewDeliveries(other.db)
			other.run(t)
		}
		var last []string
		for i := range 20 {
			var list []delivery.Delivery
			for _, name := range []string{"onInstall", "onEnable", "onDisable"} {
				list = append(list, k.hook(fmt.Sprint("i", i), name))
			}
			last = append(last, list[2].ID)
			k.add(t, list...)
		}
		for _, id := range last {
			k.state(t, id, delivery.Delivered, 1)
		}
		if got := k.to.all(); len(got) != 60 {
			t.Errorf("%d sends, want 60", len(got))
		}
		seen := make(map[string]string)
		for _, line := range k.to.all() {
			target, name, _ := strings.Cut(line, " ")
			seen[target] += name + ","
		}
		for target, names := range seen {
			if names != "onInstall 1,onEnable 1,onDisable 1," {
				t.Errorf("%s got %s", target, names)
			}
		}
	})
}

// A process whose clock is days ahead takes no queue that another is serving.
func TestClocksThatDifferMakeNoTwoOwners(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		sending, proceed := make(chan struct{}, 2), make(chan struct{})
		k := start(t, url, func(delivery.Delivery) delivery.Result {
			sending <- struct{}{}
			<-proceed
			return delivery.Result{Status: 200}
		})
		d := k.hook("a", "onInstall")
		k.add(t, d)
		<-sending
		ahead := &kit{db: dbtest.Open(t, url), clock: clocktest.New(k.clock.Now().Add(48 * time.Hour)), to: k.to}
		ahead.store = store.NewDeliveries(ahead.db)
		ahead.run(t)
		// It has looked for work once it has delivered something else.
		other := k.hook("b", "onInstall")
		ahead.add(t, other)
		<-sending
		close(proceed)
		k.state(t, d.ID, delivery.Delivered, 1)
		k.state(t, other.ID, delivery.Delivered, 1)
		if got := k.to.all(); len(got) != 2 {
			t.Errorf("sent %q, want each delivery once", got)
		}
	})
}

// What a stopped process has sent is acknowledged, and another goes on.
func TestAStopLosesNothing(t *testing.T) {
	t.Parallel()

	k := &kit{db: dbtest.Open(t, dbtest.SQLite(t)), clock: clocktest.New(time.Now().Truncate(time.Millisecond)), to: &receiver{}}
	k.store = store.NewDeliveries(k.db)
	stop := k.run(t)
	var list []delivery.Delivery
	for i := range 200 {
		list = append(list, k.hook("a", fmt.Sprint(i)))
	}
	k.add(t, list...)
	waittest.True(t, "the first delivery", func() bool { return len(k.to.all()) > 0 })
	stop()
	k.run(t)
	k.state(t, list[199].ID, delivery.Delivered, 1)
	for i, line := range k.to.all() {
		if want := fmt.Sprintf("a %d 1", i); line != want {
			t.Fatalf("send %d was %q, want %q", i, line, want)
		}
	}
}

// BenchmarkDrain measures how many deliveries per second a fast receiver gets.
func BenchmarkDrain(b *testing.B) {
	for _, queues := range []int{1, 100} {
		b.Run(fmt.Sprint("queues=", queues), func(b *testing.B) {
			db := dbtest.Open(b, dbtest.SQLite(b))
			s, to := store.NewDeliveries(db), &receiver{}
			var list []delivery.Delivery
			for i := range b.N {
				list = append(list, delivery.New(time.Now(), delivery.Hook, fmt.Sprint(i%queues), fmt.Sprint("n", i)))
			}
			if err := s.AddDeliveries(b.Context(), list); err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			m := &delivery.Machine{
				Store: s, Lane: delivery.Plugins, Sender: to, Workers: 8,
				Wake: db.Announced(store.NewIn(delivery.Plugins)), Log: logtest.New(b), Now: time.Now,
			}
			var done sync.WaitGroup
			b.ResetTimer()
			done.Go(func() { m.Run(ctx) })
			for {
				_, n, err := s.List(ctx, delivery.Query{Lane: delivery.Plugins, State: delivery.Waiting, Limit: 1})
				if err != nil {
					b.Fatal(err)
				}
				if n == 0 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			b.StopTimer()
			cancel()
			done.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}
