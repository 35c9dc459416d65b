package node

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/waittest"
)

func TestAnUnhealthyPluginIsShownAndLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.HealthEvery = 20 * time.Millisecond })
	in := f.install(t, "moody", withRoutes(pidRoute+`
	  let well = true
	  app.post('/api/mood', async (req) => { well = req.body.well; return {} })
	  app.get('/health', async (req, reply) => reply.code(well ? 200 : 503).send({ status: well ? 'ok' : 'down' }))`))
	pid := f.get(t, in, "/api/pid")
	until := func(want plugin.RuntimeState) {
		t.Helper()
		waittest.True(t, fmt.Sprint("state ", want), func() bool { return f.RuntimeStatus(in.Instance.ID).State == want })
	}
	until(plugin.StateRunning)
	f.do(t, in, http.MethodPost, "/api/mood", `{"well":false}`)
	until(plugin.StateUnhealthy)
	f.do(t, in, http.MethodPost, "/api/mood", `{"well":true}`)
	until(plugin.StateRunning)
	if now := f.get(t, in, "/api/pid"); now != pid {
		t.Error("it was restarted")
	}
}

// Many plugins that are kept running start one after the other, and a call for
// another one does not wait for them.
func TestKeptPluginsStartPaced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const count = 8
	var all []plugin.Installed
	for i := range count {
		in := f.install(t, fmt.Sprintf("kept-%d", i), withRoutes(pidRoute))
		in.Package.Settings.KeepRunning = true
		all = append(all, in)
	}
	other := f.install(t, "called", withRoutes(pidRoute))
	ctx, stop := context.WithCancel(t.Context())
	var most atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.KeepRunning(ctx, func(context.Context) ([]plugin.Installed, error) { return all, nil })
	}()
	begin := time.Now()
	f.get(t, other, "/health")
	took := time.Since(begin)
	running := 0
	for end := time.Now().Add(5 * time.Minute); running < count; time.Sleep(2 * time.Millisecond) {
		var starting int64
		running = 0
		for _, in := range all {
			switch f.RuntimeStatus(in.Instance.ID).State {
			case plugin.StateStarting:
				starting++
			case plugin.StateRunning:
				running++
			default:
			}
		}
		most.Store(max(most.Load(), starting))
		if time.Now().After(end) {
			t.Fatalf("%d of %d run after five minutes", running, count)
		}
	}
	t.Logf("%d processes in %s, at most %d starting at once; the call meanwhile took %s", count, time.Since(begin),
		most.Load(), took)
	if limit := int64(cap(f.starting)); most.Load() > limit {
		t.Errorf("%d processes started at once, want at most %d", most.Load(), limit)
	}
	stop()
	<-done
}

// Only the process that is kept running does the work on a schedule: its environment says
// so. It takes the place of one that calls started, and ends with KeepRunning.
func TestAKeptProcessKnowsThatItIsKept(t *testing.T) {
	t.Parallel()

	for _, isolation := range []string{plugin.IsolationInstance, plugin.IsolationShared} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			in := f.install(t, "scheduled", withRoutes(`
			  app.get('/api/kept', async () => ({ pid: process.pid, kept: process.env.STOA_KEPT ?? 'no' }))`))
			in.Package.Settings.KeepRunning, in.Package.Settings.Isolation = true, isolation
			in.Package.Settings.Environment = map[string]string{"STOA_KEPT": "an administrator's"}
			list := []plugin.Installed{in}
			changed := in // of which a call learns first
			changed.Instance.Version++
			says := func(kept string) bool {
				return strings.Contains(f.get(t, in, "/api/kept"), fmt.Sprintf(`"kept":"%s"`, kept))
			}
			if !says("no") {
				t.Error("a process that a call started is kept running")
			}
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				f.KeepRunning(ctx, func(context.Context) ([]plugin.Installed, error) { return list, nil })
			}()
			waittest.True(t, "the process is a kept one", func() bool { return says("1") })
			in = changed
			if !says("1") {
				t.Error("after a change, a call started a process that is not kept")
			}
			stop()
			<-done
			if state := f.Status(in.Instance.ID).State; state != Stopped {
				t.Errorf("afterwards its process is %s", state)
			}
			if !says("no") {
				t.Error("the process after it is kept running")
			}
		})
	}
}
