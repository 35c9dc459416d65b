package proof

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
)

// Two processes deliver hooks together while clients change instances through both. As
// long as none of them dies, each hook arrives once, and those of each installation in
// order.
func TestProcessesShareHooks(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts several processes")

	onBothEngines(t, func(t *testing.T, c *cluster) {
		seed := newSeed(t)
		got := newPlugin()
		srv := httptest.NewServer(got)
		defer srv.Close()
		admin := c.people(t).admin
		got.install(t, c.processes[0], admin, srv.URL)

		var work sync.WaitGroup
		for i := range owners {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			work.Go(func() {
				for n := range amount(t, 8) {
					useInstance(t.Context(), c.processes[rng.IntN(len(c.processes))], admin, fmt.Sprintf("i%d-%d", i, n), rng)
				}
			})
		}
		work.Wait()
		c.delivered(t)
		got.check(t, c, 20)
		got.mu.Lock()
		defer got.mu.Unlock()
		for id, n := range got.times {
			if n != 1 {
				t.Errorf("hook %s arrived %d times", id, n)
			}
		}
	})
}

// A process is killed after it has sent a hook and before it can note the answer. Another
// sends the hook again, under the same id, and only then what comes after it.
func TestAHookWithoutAnAnswerComesAgain(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it waits for a lease to end")
	notShort(t)

	onBothEngines(t, func(t *testing.T, c *cluster) {
		got, held := newPlugin(), make(chan string, 1)
		var hold atomic.Bool
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := r.Header.Get("X-Hook-Id")
			if id == "" || !hold.CompareAndSwap(true, false) {
				got.ServeHTTP(w, r)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			held <- id
			<-r.Context().Done() // the process is dead
		}))
		defer srv.Close()
		first, second := c.processes[0], c.processes[1]
		admin := c.people(t).admin
		got.install(t, first, admin, srv.URL)
		c.delivered(t)
		second.kill()

		hold.Store(true)
		instance := hookedAPI + "/" + c.text(t, `SELECT id FROM plugin_instances`)
		for _, enabled := range []bool{false, true} {
			a, err := first.call(t.Context(), http.MethodPatch, instance, http.Header{"Authorization": {"Bearer " + admin}},
				map[string]any{"enabled": enabled})
			if err != nil || a.status != http.StatusOK {
				t.Fatalf("enabled %v: %v, %d %s", enabled, err, a.status, a.body)
			}
		}
		id := receive(t, held)
		first.kill()
		if err := second.start(); err != nil {
			t.Fatal(err)
		}
		c.delivered(t)
		got.check(t, c, 4)
		got.mu.Lock()
		defer got.mu.Unlock()
		if n := got.times[id]; n != 1 {
			t.Errorf("the hook whose answer was lost came %d times again", n)
		}
	})
}

// receive returns what comes within a minute.
func receive(t *testing.T, from <-chan string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case s := <-from:
		return s
	case <-ctx.Done():
		t.Fatal("no hook was sent")
		return ""
	}
}
