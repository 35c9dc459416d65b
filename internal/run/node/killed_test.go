package node

import (
	"errors"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
)

// killedUnread kills the process of in while calls are under way of which it has read nothing,
// because it is halted before them. warm calls run at the same time before that, which leaves as
// many connections.
func killedUnread(t *testing.T, f *fixture, in plugin.Installed, warm int, calls []func() error) {
	t.Helper()
	var all sync.WaitGroup
	for range warm {
		all.Go(func() { f.get(t, in, "/api/slow") })
	}
	all.Wait()
	p := f.installation(in.Instance.ID).peek()
	syscall.Kill(p.child.PID(), syscall.SIGSTOP)
	for i, call := range calls {
		all.Go(func() {
			if err := call(); err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for f.callsOn(p) < len(calls) {
		<-tick.C
	}
	syscall.Kill(p.child.PID(), syscall.SIGKILL)
	all.Wait()
}

// callsOn returns how many calls p has.
func (f *fixture) callsOn(p *process) int {
	p.owner.mu.Lock()
	defer p.owner.mu.Unlock()
	return p.calls
}

// A process that is killed costs no call of which it has read nothing, whatever its method,
// written or not, on a connection that was used before or on a new one.
func TestAKilledProcessCostsNoCallThatItHasNotRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "killed-unread", withRoutes(`
	  app.get('/api/slow', () => new Promise((resolve) => setTimeout(() => resolve({}), 100)))
	  app.post('/api/echo', async (request) => request.body)`))
	get := func() error {
		_, _, err := f.do(t, in, http.MethodGet, "/api/slow", "")
		return err
	}
	post := func() error {
		status, body, err := f.do(t, in, http.MethodPost, "/api/echo", `{"a":1}`)
		if err == nil && (status != http.StatusOK || body != `{"a":1}`) {
			t.Errorf("POST: %d %s", status, body)
		}
		return err
	}
	f.get(t, in, "/api/slow")
	for _, warm := range []int{0, 1, 4, 20} {
		killedUnread(t, f, in, warm, []func() error{get, post, get, post, get, post, get, post})
		f.forgive(in) // the delays have a test of their own
	}
}

// What has been read is not sent again, and a delay before the next start is the only one: the
// gateway is told to add none.
func TestAKilledProcessCostsTheCallsThatItHasRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "killed-read", withRoutes(`app.get('/api/kill', () => new Promise(() => process.abort()))`))
	bad := f.install(t, "never-loads", withRoutes(`throw new Error('no')`))
	for range 2 {
		_, _, err := f.do(t, in, http.MethodGet, "/api/kill", "")
		if reasonOf(t, err) != reasonCrashed || !errors.Is(err, run.ErrPaced) {
			t.Errorf("got %v (%v)", err, reasonOf(t, err))
		}
	}
	if count := f.failureCount(in); count != 2 {
		t.Errorf("2 calls ended %d processes", count)
	}
	for range 2 { // the start that fails, and what remembers it
		if _, _, err := f.do(t, bad, http.MethodGet, "/", ""); !errors.Is(err, run.ErrPaced) {
			t.Errorf("got %v", err)
		}
	}
}
