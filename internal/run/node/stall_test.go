package node

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/run"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

const loopRoutes = pidRoute + `
	app.all('/api/loop', () => { for (;;); })
	app.all('/api/microtasks', async () => { for (;;) await null })
	app.get('/api/loop-later', async () => { setTimeout(() => { console.log('loops from now on'); for (;;); }, 50); return {} })`

// lifeClock is a child.Clocks.Life: time passes for one process at a time.
type lifeClock struct {
	mu sync.Mutex
	of map[int]chan time.Time // by process
}

func newLifeClock() *lifeClock { return &lifeClock{of: make(map[int]chan time.Time)} }

func (c *lifeClock) ticks(pid int, _ time.Duration) (<-chan time.Time, func()) {
	return c.channel(pid), func() {}
}

func (c *lifeClock) channel(pid int) chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[pid] == nil {
		c.of[pid] = make(chan time.Time)
	}
	return c.of[pid]
}

// pass lets time pass for a process until it is gone.
func (c *lifeClock) pass(pid int) {
	for proctest.Alive(pid) {
		select {
		case c.channel(pid) <- time.Time{}:
		case <-time.After(10 * time.Millisecond): // nothing looks at it any more
		}
	}
}

// passWhen is pass from the moment that begin returns true.
func (c *lifeClock) passWhen(tb testing.TB, pid int, begin func() bool) {
	tb.Helper()
	for end := time.Now().Add(long); !begin(); time.Sleep(5 * time.Millisecond) {
		if !proctest.Alive(pid) {
			return // the call fails
		}
		if time.Now().After(end) {
			tb.Errorf("nothing began for which time was to pass for process %d", pid)
			return
		}
	}
	c.pass(pid)
}

func stallsAfter(limit time.Duration) func(*options) {
	return func(c *options) { c.Stall = limit }
}

func TestAnEndlessLoopIsEndedAndTheNextCallSucceeds(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := newFixture(t, stallsAfter(time.Second), func(c *options) { c.Log = log.Logger() })
	clock := newLifeClock()
	f.clocks.Life = clock.ticks
	tests := []struct{ slug, method, target, body string }{
		{"loops", http.MethodGet, "/api/loop", ""},
		{"loops-with-body", http.MethodPost, "/api/loop", "{}"},
		{"loops-in-promises", http.MethodGet, "/api/microtasks", ""},
	}
	for _, tt := range tests {
		begins := "begins " + tt.slug
		in := f.install(t, tt.slug, withRoutes(`app.addHook('preHandler', async (request) => {
		  if (request.url !== '/health') console.log('`+begins+`')
		})
`+loopRoutes))
		f.get(t, in, "/health")
		pid := f.Status(in.Instance.ID).PID
		go clock.passWhen(t, pid, func() bool { return strings.Contains(log.String(), begins) })
		_, _, err := f.do(t, in, tt.method, tt.target, tt.body)
		if !errors.Is(err, run.ErrUnreachable) || reasonOf(t, err) != reasonStalled {
			t.Errorf("%s: got %v, want ErrUnreachable because it stalled", tt.slug, err)
		}
		proctest.Gone(t, pid)
		// The request would loop again: it must not be sent again, safe or not.
		if count := f.failureCount(in); count != 1 {
			t.Errorf("%s: the request was sent %d times", tt.slug, count)
		}
		f.get(t, in, "/health")
		st := f.Status(in.Instance.ID)
		if st.PID == pid || st.Restarts != 1 || !strings.Contains(st.LastError, "event loop") {
			t.Errorf("%s: status %+v", tt.slug, st)
		}
	}
	if !strings.Contains(log.String(), "reason=stalled") {
		t.Errorf("the log does not say so: %s", log)
	}
}

func TestALoopOutsideOfACallIsEndedToo(t *testing.T) {
	t.Parallel()
	log, clock := new(logtest.Buffer), newLifeClock()
	f := newFixture(t, stallsAfter(time.Second), func(c *options) { c.Log = log.Logger() })
	f.clocks.Life = clock.ticks
	in := f.install(t, "loops-later", withRoutes(loopRoutes))
	f.get(t, in, "/health")
	pid := f.Status(in.Instance.ID).PID
	f.get(t, in, "/api/loop-later")
	go clock.passWhen(t, pid, func() bool { return strings.Contains(log.String(), "loops from now on") })
	proctest.Gone(t, pid)
	waittest.Until(t, "the reason why it ended", func() error {
		if why := f.Status(in.Instance.ID).LastError; !strings.Contains(why, "event loop") {
			return fmt.Errorf("%q", why)
		}
		return nil
	})
}

// Waiting does not block the event loop: only the call that waits is slow.
func TestASlowRouteIsNotAStall(t *testing.T) {
	t.Parallel()
	waittest.Within(t, "a slow route's answer", func(stall time.Duration) error {
		f := newFixture(t, stallsAfter(stall))
		in := f.install(t, "patient", withRoutes(pidRoute+fmt.Sprintf(`
		  app.get('/api/slow', () => new Promise((resolve) => setTimeout(() => resolve({}), %d)))`, (2*stall).Milliseconds())))
		var pids []string
		for _, target := range []string{"/api/pid", "/api/slow", "/api/pid"} {
			_, got, err := f.do(t, in, http.MethodGet, target, "")
			if err != nil {
				return fmt.Errorf("%s: %w", target, err)
			}
			pids = append(pids, got)
		}
		if pids[0] != pids[2] {
			return errors.New("the process was restarted")
		}
		return nil
	})
}

// The loop writes the host's own beats: only an answer to a fresh connection tells.
func TestALoopThatForgesItsBeatsIsEnded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stallsAfter(time.Second))
	in := f.install(t, "forger", withRoutes(`const fs = require('fs')
	  app.all('/api/forge', () => { for (;;) { try { fs.writeSync(4, '.') } catch {} } })
	  app.all('/api/forge-quietly', () => { const a = new Int32Array(new SharedArrayBuffer(4)); for (;;) { Atomics.wait(a, 0, 0, 50); fs.writeSync(4, '.') } })
	  app.get('/api/forge-later', async () => { setTimeout(() => { for (;;) { try { fs.writeSync(4, '.') } catch {} } }, 50); return {} })`))
	for _, target := range []string{"/api/forge", "/api/forge-quietly"} {
		if _, _, err := f.do(t, in, http.MethodGet, target, ""); reasonOf(t, err) != reasonStalled {
			t.Errorf("%s: got %v", target, err)
		}
	}
	waittest.Until(t, "an answer before the loop begins", func() error { // a process that stood still seems stalled
		f.Stop(in.Instance.ID)
		_, _, err := f.do(t, in, http.MethodGet, "/api/forge-later", "")
		return err
	})
	proctest.Gone(t, f.Status(in.Instance.ID).PID)
}
