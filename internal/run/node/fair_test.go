package node

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
)

// One plugin whose instances never get ready, however many, keeps no other from starting.
func TestAPluginThatDoesNotGetReadyKeepsNoOtherFromStarting(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.StartTimeout = time.Hour })
	slow := f.install(t, "slow", withRoutes("await new Promise(() => setInterval(() => {}, 1000))"))
	n := 2 * cap(f.starting)
	for i := range n {
		in := slow
		in.Instance.ID, in.Instance.Key = fmt.Sprintf("id-of-slow-%d", i), fmt.Sprintf("k%d", i)
		go func() { _, _, _ = f.do(t, in, http.MethodGet, "/health", "") }()
	}
	waittest.True(t, "the slow ones start", func() bool {
		f.places.mu.Lock()
		defer f.places.mu.Unlock()
		p := f.places.by["slow"]
		return p != nil && p.users == n && len(p.taken) == cap(p.taken)
	})
	for i := range 3 {
		f.get(t, f.install(t, fmt.Sprintf("quick%d", i), withRoutes("")), "/health")
	}
	if got := len(f.starting); got != cap(f.starting)/2 {
		t.Errorf("%d of the slow plugin start at once, want %d", got, cap(f.starting)/2)
	}
}

// A plugin that keeps its callers waiting, or blocks its process, slows down no other. Unless the run proves,
// it blocks without a processor, which the other tests need.
func TestOneSlowPluginDelaysNoOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.FirstByte, c.Stall = time.Hour, time.Hour })
	block := "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"
	if needtest.Proving() {
		block = "for (;;) {}"
	}
	slow := f.install(t, "slow", withRoutes(`
		app.get('/wait', () => new Promise(() => {}))
		app.get('/block', () => { `+block+` })`))
	f.get(t, slow, "/health")
	const waiting, quick = 50, 4
	for i := range waiting {
		target := "/wait"
		if i == waiting-1 {
			target = "/block"
		}
		go func() { _, _, _ = f.do(t, slow, http.MethodGet, target, "") }()
	}
	var wg sync.WaitGroup
	for i := range quick {
		in := f.install(t, fmt.Sprintf("quick%d", i), withRoutes("app.get('/x', async () => 'here')"))
		wg.Go(func() {
			for range 20 {
				if got := f.get(t, in, "/x"); got != "here" {
					t.Errorf("%s answers %q", in.Instance.ID, got)
					return
				}
			}
		})
	}
	wg.Wait() // while the slow one keeps all its callers waiting
}

func TestPlacesAreForgotten(t *testing.T) {
	t.Parallel()
	var s startPlaces
	leave, ok := s.enter("a", 1, nil)
	if !ok {
		t.Fatal("no place")
	}
	ending := make(chan struct{})
	close(ending)
	if _, ok := s.enter("a", 1, ending); ok {
		t.Error("two have the only place")
	}
	other, ok := s.enter("b", 1, nil)
	if !ok {
		t.Error("another package waits")
	}
	other()
	leave()
	if len(s.by) != 0 {
		t.Errorf("%d packages are remembered", len(s.by))
	}
}
