package proof

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/ziptest"
)

// takeOver is ten times as long as another replica takes at most to keep a plugin running.
const takeOver = 5 * time.Minute

// Of three replicas one does the work of a plugin that runs on a schedule. When it is killed
// or stopped, another one does; two never do.
func TestOneReplicaKeepsAPluginRunning(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it waits for a lease to end")
	notShort(t)

	c := newCluster(t, postgres, 0)
	ticks := &ticker{beat: make(chan struct{}, 1)}
	for i := range 3 {
		p := &process{tb: t, env: c.env, heard: func(line string) { ticks.hear(i, line) }}
		p.begin(t)
		c.processes = append(c.processes, p)
	}
	admin := c.people(t).admin
	keeper := &shelf{c: c, admin: admin}
	archive := ziptest.Plugin(t, testkit.InternalManifest("clock", "index.js"), map[string]string{
		"index.js": `module.exports = async (app) => {
			if (process.env.STOA_KEPT) setInterval(() => console.log('tick'), 200)
			app.get('/api/kept', async () => ({ kept: process.env.STOA_KEPT ?? 'no' }))
		}`,
	})
	a, err := keeper.send(t.Context(), http.MethodPost, "/api/v1/admin/extensions/plugin/install", archive)
	if err != nil || a.status != http.StatusCreated {
		t.Fatalf("install: %v, %d %s", err, a.status, a.body)
	}
	a, err = c.processes[0].call(t.Context(), http.MethodPatch, "/api/v1/admin/plugins/clock", bearer(admin),
		map[string]any{"keepRunning": true})
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("keepRunning: %v, %d %s", err, a.status, a.body)
	}
	owner := ticks.next(t, -1)
	c.checkKept(t, owner)
	for _, end := range []func(*process){(*process).stop, (*process).kill} {
		p := c.processes[owner]
		began := time.Now()
		end(p)
		owner = ticks.next(t, owner)
		t.Logf("replica %d took over after %s", owner, time.Since(began).Round(time.Millisecond))
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		c.checkKept(t, owner)
	}
	for range 10 {
		<-ticks.beat
	}
	if turns := ticks.seen(); len(turns) != 3 {
		t.Errorf("the replicas %v ticked in turns, want three turns", turns)
	}
}

// checkKept calls the plugin on each replica: that of the owner answers in the process that is
// kept, the others in processes that know that they are not.
func (c *cluster) checkKept(t *testing.T, owner int) {
	t.Helper()
	for i, p := range c.processes {
		want := `{"kept":"no"}`
		if i == owner {
			want = `{"kept":"1"}`
		}
		a, err := p.call(t.Context(), http.MethodGet, "/api/v1/shop/plugins/clock/api/kept", nil, nil)
		if err != nil || a.status != http.StatusOK || string(a.body) != want {
			t.Errorf("replica %d of owner %d answers %d %s, %v; want %s", i, owner, a.status, a.body, err, want)
		}
	}
}

// ticker tells which replicas tick.
type ticker struct {
	beat chan struct{} // gets one after a tick

	mu    sync.Mutex
	turns []int // each replica that ticked after another had
}

func (k *ticker) hear(replica int, line string) {
	if !strings.Contains(line, "text=tick") {
		return
	}
	k.mu.Lock()
	if n := len(k.turns); n == 0 || k.turns[n-1] != replica {
		k.turns = append(k.turns, replica)
	}
	k.mu.Unlock()
	select {
	case k.beat <- struct{}{}:
	default:
	}
}

func (k *ticker) seen() []int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]int(nil), k.turns...)
}

// next waits until another replica than last ticks, and returns which.
func (k *ticker) next(t *testing.T, last int) int {
	t.Helper()
	late := time.After(takeOver)
	for {
		if turns := k.seen(); len(turns) > 0 && turns[len(turns)-1] != last {
			return turns[len(turns)-1]
		}
		select {
		case <-k.beat:
		case <-late:
			t.Fatalf("no other replica than %d ticks", last)
		}
	}
}
