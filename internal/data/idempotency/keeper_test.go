package idempotency_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
	"stoa/internal/data/idempotency"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/trust/seal"
)

// kit makes Keepers over one database. They use the machine's clock, or that of a
// synctest bubble.
type kit struct {
	db     *database.DB
	master *seal.Key
	log    logtest.Buffer
}

func newKit(tb testing.TB) *kit {
	tb.Helper()
	db := dbtest.Open(tb, dbtest.SQLite(tb))
	master, err := seal.ParseKey(seal.GenerateKey())
	if err != nil {
		tb.Fatal(err)
	}
	return &kit{db: db, master: master}
}

// replica returns a new Keeper, like that of another replica.
func (k *kit) replica() *idempotency.Keeper {
	r := idempotency.NewKeeper(store.NewIdempotency(k.db), k.master.Derive(idempotency.HashPurpose), k.master.Box("a"), time.Now, k.log.Logger())
	r.SettleWithin = time.Minute // outside of a bubble, the machine may be busy
	return r
}

var request = idempotency.Request{
	Operation: "POST /buy",
	Caller:    "user:u1",
	Key:       "k",
	Content:   [][]byte{[]byte("/buy"), []byte("{}")},
}

// answering returns an operation that succeeds and counts its runs.
func answering(runs *atomic.Int32) func(context.Context) (idempotency.Answer, idempotency.Outcome) {
	return func(context.Context) (idempotency.Answer, idempotency.Outcome) {
		n := runs.Add(1)
		return idempotency.Answer{
			Status: 200,
			Header: map[string][]string{"Location": {"/1"}},
			Body:   []byte{'0' + byte(n)},
		}, idempotency.Final
	}
}

func mustDo(tb testing.TB, k *idempotency.Keeper, req idempotency.Request,
	run func(context.Context) (idempotency.Answer, idempotency.Outcome),
) idempotency.Answer {
	tb.Helper()
	a, err := k.Do(tb.Context(), req, run)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestDoReplaysAFinalAnswer(t *testing.T) {
	t.Parallel()

	kit := newKit(t)
	var runs atomic.Int32
	first := mustDo(t, kit.replica(), request, answering(&runs))
	again := mustDo(t, kit.replica(), request, answering(&runs))
	first.Replayed = true
	if diff := cmp.Diff(first, again); diff != "" || runs.Load() != 1 {
		t.Errorf("%d runs, want 1; (-first +again):\n%s", runs.Load(), diff)
	}
}

func TestDoDistinguishesRequests(t *testing.T) {
	t.Parallel()

	kit := newKit(t)
	var runs atomic.Int32
	mustDo(t, kit.replica(), request, answering(&runs))
	for name, change := range map[string]func(r *idempotency.Request){
		"operation": func(r *idempotency.Request) { r.Operation = "POST /rent" },
		"caller":    func(r *idempotency.Request) { r.Caller = "user:u2" },
		"key":       func(r *idempotency.Request) { r.Key = "K" },
		// The same bytes, split at another place.
		"borders": func(r *idempotency.Request) { r.Caller, r.Key = "user:u", "1k" },
	} {
		req := request
		change(&req)
		if a := mustDo(t, kit.replica(), req, answering(&runs)); a.Replayed {
			t.Errorf("another %s: a replay", name)
		}
	}
	for _, content := range [][][]byte{
		{[]byte("/buy"), []byte("{} ")},
		{[]byte("/buy{"), []byte("}")},
		{[]byte("/buy")},
		nil,
	} {
		req := request
		req.Content = content
		if _, err := kit.replica().Do(t.Context(), req, answering(&runs)); !errors.Is(err, idempotency.ErrReused) {
			t.Errorf("content %q: %v, want ErrReused", content, err)
		}
	}
}

func TestDoRunsAgainUnlessTheAnswerIsFinal(t *testing.T) {
	t.Parallel()

	kit := newKit(t)
	var seeds []string
	attempt := func(outcome idempotency.Outcome, content string) error {
		req := request
		req.Content = [][]byte{[]byte(content)}
		_, err := kit.replica().Do(t.Context(), req, func(ctx context.Context) (idempotency.Answer, idempotency.Outcome) {
			seeds = append(seeds, idempotency.Seed(ctx))
			return idempotency.Answer{Status: 500}, outcome
		})
		return err
	}
	for i, step := range []struct {
		outcome idempotency.Outcome
		content string
		want    error
	}{
		{idempotency.Void, "a", nil},
		{idempotency.Unknown, "b", nil},
		{idempotency.Unknown, "a", idempotency.ErrReused}, // b may have happened
		{idempotency.Void, "b", nil},
		{idempotency.Final, "a", idempotency.ErrReused}, // and still may
		{idempotency.Final, "b", nil},
		{idempotency.Final, "b", nil},
	} {
		if err := attempt(step.outcome, step.content); !errors.Is(err, step.want) {
			t.Errorf("step %d: %v, want %v", i, err, step.want)
		}
	}
	if len(seeds) != 4 || seeds[0] == seeds[1] || seeds[1] != seeds[2] || seeds[2] != seeds[3] || len(seeds[0]) != 24 {
		t.Errorf("seeds %q, want one, then three times another", seeds)
	}
	if seed := idempotency.Seed(t.Context()); seed != "" {
		t.Errorf("without a key the seed is %q", seed)
	}
}

func TestAPanicIsAnUnknownOutcome(t *testing.T) {
	t.Parallel()

	kit := newKit(t)
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("panic %v, want boom", p)
			}
		}()
		_, _ = kit.replica().
			Do(t.Context(), request, func(context.Context) (idempotency.Answer, idempotency.Outcome) { panic("boom") })
	}()
	var runs atomic.Int32
	if mustDo(t, kit.replica(), request, answering(&runs)); runs.Load() != 1 {
		t.Error("the key is not free after a panic")
	}
}

// The client leaves while the operation runs. The answer is stored nevertheless.
func TestAnAnswerIsKeptForAClientThatLeft(t *testing.T) {
	t.Parallel()

	kit := newKit(t)
	ctx, leave := context.WithCancel(t.Context())
	first, err := kit.replica().Do(ctx, request, func(context.Context) (idempotency.Answer, idempotency.Outcome) {
		leave()
		return idempotency.Answer{Status: 201}, idempotency.Final
	})
	if err != nil || first.Status != 201 {
		t.Fatalf("Do = %+v, %v", first, err)
	}
	var runs atomic.Int32
	if a := mustDo(t, kit.replica(), request, answering(&runs)); !a.Replayed || a.Status != 201 {
		t.Errorf("again: %+v, want the first answer", a)
	}
}

func TestOneOfManyRunsTheOperation(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) { // where a lease ends only if all wait
		kit := newKit(t)
		var (
			wg   sync.WaitGroup
			runs atomic.Int32
		)
		for range 16 {
			wg.Go(func() {
				a, err := kit.replica().Do(t.Context(), request, answering(&runs))
				if err != nil && !errors.Is(err, idempotency.ErrInProgress) || err == nil && string(a.Body) != "1" {
					t.Errorf("Do = %+v, %v", a, err)
				}
			})
		}
		wg.Wait()
		if n := runs.Load(); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}
	})
}

// A long operation keeps its lease.
func TestALeaseLastsAsLongAsItsOperation(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		kit := newKit(t)
		var runs atomic.Int32
		first := mustDo(t, kit.replica(), request, func(ctx context.Context) (idempotency.Answer, idempotency.Outcome) {
			for range 10 * 60 {
				time.Sleep(time.Second)
				if _, err := kit.replica().Do(ctx, request, answering(&runs)); !errors.Is(err, idempotency.ErrInProgress) {
					t.Fatalf("meanwhile: %v, want ErrInProgress", err)
				}
			}
			return idempotency.Answer{Status: 200, Body: []byte("slow")}, idempotency.Final
		})
		again := mustDo(t, kit.replica(), request, answering(&runs))
		if string(first.Body) != "slow" || string(again.Body) != "slow" || runs.Load() != 0 {
			t.Errorf("answers %q and %q, %d runs", first.Body, again.Body, runs.Load())
		}
	})
}

// stuck is the Store of a process that is suspended: it neither renews its lease nor
// stores an answer.
type stuck struct{ idempotency.Store }

func (stuck) Renew(ctx context.Context, _, _ string, _ time.Time) error {
	<-ctx.Done()
	return ctx.Err()
}

func (stuck) Keep(context.Context, string, string, string) error { return errors.New("killed") }

// After a crash, a retry takes over once the lease has ended. It has the same seed, so
// it finds what the crashed attempt created.
func TestAfterACrashARetryTakesOverWithTheSameSeed(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		kit := newKit(t)
		crashing := idempotency.NewKeeper(stuck{store.NewIdempotency(kit.db)}, kit.master.Derive(idempotency.HashPurpose), kit.master.Box("a"), time.Now, kit.log.Logger())
		var seeds []string
		run := func(ctx context.Context) (idempotency.Answer, idempotency.Outcome) {
			seeds = append(seeds, idempotency.Seed(ctx))
			return idempotency.Answer{Status: 200}, idempotency.Final
		}
		mustDo(t, crashing, request, run)
		time.Sleep(idempotency.Lease - time.Millisecond)
		if _, err := kit.replica().Do(t.Context(), request, run); !errors.Is(err, idempotency.ErrInProgress) {
			t.Errorf("within the lease: %v, want ErrInProgress", err)
		}
		time.Sleep(time.Millisecond)
		mustDo(t, kit.replica(), request, run)
		if len(seeds) != 2 || seeds[0] != seeds[1] {
			t.Errorf("seeds %q, want the same twice", seeds)
		}
		if a := mustDo(t, kit.replica(), request, run); !a.Replayed {
			t.Errorf("answer %+v, want a replay", a)
		}
	})
}

// paused is the Store of a process that is suspended before its first renewal.
type paused struct {
	idempotency.Store

	until chan struct{}
}

func (p paused) Renew(ctx context.Context, id, owner string, until time.Time) error {
	<-p.until
	return p.Store.Renew(ctx, id, owner, until)
}

// A process wakes up after another one has taken over. Its attempt is canceled, does
// not change the other's answer, and reports that the request is in progress.
func TestAnAttemptThatLostItsLeaseStops(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		kit := newKit(t)
		asleep := paused{store.NewIdempotency(kit.db), make(chan struct{})}
		sleeper := idempotency.NewKeeper(asleep, kit.master.Derive(idempotency.HashPurpose), kit.master.Box("a"), time.Now, kit.log.Logger())
		var runs atomic.Int32
		_, err := sleeper.Do(t.Context(), request, func(ctx context.Context) (idempotency.Answer, idempotency.Outcome) {
			time.Sleep(idempotency.Lease)
			if _, err := kit.replica().Do(ctx, request, answering(&runs)); err != nil {
				t.Error(err)
			}
			close(asleep.until)
			<-ctx.Done()
			return idempotency.Answer{Status: 500}, idempotency.Unknown
		})
		if !errors.Is(err, idempotency.ErrInProgress) {
			t.Errorf("the sleeper's answer: %v, want ErrInProgress", err)
		}
		if a := mustDo(t, kit.replica(), request, answering(&runs)); !a.Replayed || runs.Load() != 1 {
			t.Errorf("answer %+v after %d runs, want the replay of one", a, runs.Load())
		}
	})
}

func TestSweepDeletesWhatExpired(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		kit := newKit(t)
		var runs atomic.Int32
		for i := range 1001 { // more than one chunk
			req := request
			req.Key = time.Duration(i).String()
			mustDo(t, kit.replica(), req, answering(&runs))
		}
		time.Sleep(idempotency.Remember - time.Millisecond)
		mustDo(t, kit.replica(), request, answering(&runs))
		for _, want := range []int{0, 1001, 0} {
			if n, err := kit.replica().Sweep(t.Context()); err != nil || n != want {
				t.Errorf("Sweep = %d, %v; want %d", n, err, want)
			}
			time.Sleep(time.Millisecond)
		}
		if a := mustDo(t, kit.replica(), request, answering(&runs)); !a.Replayed {
			t.Error("a key that has not expired was swept")
		}
	})
}
