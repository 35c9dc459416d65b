package node

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

// playedTime is a child.ProcessorClock for tests. One process computes in two threads, as the
// test says; every other one takes half a processor.
type playedTime struct {
	mu        sync.Mutex
	computing int // the process's id
	spent     map[int]time.Duration
	looks     map[int]int
}

func newPlayedTime() *playedTime {
	return &playedTime{spent: map[int]time.Duration{}, looks: map[int]int{}}
}

// read is a child.ProcessorClock: between two looks, a second passes.
func (p *playedTime) read(pid int) (time.Duration, time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pid == p.computing {
		p.spent[pid] += 2 * time.Second
	} else {
		p.spent[pid] += time.Second / 2
	}
	p.looks[pid]++
	return p.spent[pid], time.Unix(int64(p.looks[pid]), 0), nil
}

func (p *playedTime) compute(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.computing = pid
}

func (p *playedTime) looksAt(pid int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks[pid]
}

// quickTicks looks often: on a played clock, real time says nothing.
func quickTicks(int, time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(5 * time.Millisecond)
	return t.C, t.Stop
}

func TestAPluginThatComputesWithoutPauseIsConfinedToOneProcessor(t *testing.T) {
	t.Parallel()
	all, last := proctest.Processors(t)
	if all.Count() < 2 {
		t.Skip("needs two processors")
	}
	for _, isolation := range []string{plugin.IsolationInstance, plugin.IsolationShared} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			log, clock := new(logtest.Buffer), newPlayedTime()
			f := newFixture(t, func(c *options) { c.Log = log.Logger() })
			f.clocks = child.Clocks{Processor: quickTicks, ProcessorTime: clock.read}
			start := func(slug string) (plugin.Installed, int) {
				in := f.install(t, slug, withRoutes(`const { promises } = require('fs')
				  app.get('/api/threads', async () => { await Promise.all(Array.from({ length: 8 }, () => promises.stat(__filename))); return {} })`))
				in.Package.Settings.Isolation = isolation
				f.get(t, in, "/health")
				return in, f.Status(in.Instance.ID).PID
			}
			in, pid := start("burner")
			_, neighbor := start("neighbor")

			clock.compute(pid)
			waittest.True(t, "the plugin is confined", func() bool { return proctest.MayUse(t, pid, last) })
			f.get(t, in, "/api/threads") // made by confined threads
			if !proctest.MayUse(t, pid, last) {
				t.Errorf("new threads are not confined: %v", proctest.Threads(t, pid))
			}
			for id := range proctest.Threads(t, pid) { // a thread that was made while the others were being confined
				if err := unix.SchedSetaffinity(id, &all); err != nil {
					t.Fatal(err)
				}
				break
			}
			waittest.True(t, "a thread that escaped is confined", func() bool { return proctest.MayUse(t, pid, last) })

			clock.compute(0)
			waittest.True(t, "the plugin is let go", func() bool { return proctest.MayUse(t, pid, all) })
			looks := clock.looksAt(neighbor)
			waittest.True(t, "the neighbor is looked at", func() bool { return clock.looksAt(neighbor) > max(looks, 2*3) })
			if !proctest.MayUse(t, neighbor, all) {
				t.Errorf("the neighbor does not burn, and is confined: %v", proctest.Threads(t, neighbor))
			}
			waittest.True(t, "the record of its end", func() bool { return strings.Contains(log.String(), "confined=false") })
			text := log.String()
			if strings.Count(text, "confined=true") != 1 || strings.Count(text, "confined=false") != 1 {
				t.Errorf("want one record of the confinement and one of its end, got %s", text)
			}
		})
	}
}

// BenchmarkCallBesideABurningPlugin measures calls of one plugin while another computes
// in all its threads. Rounds with and without the other take turns, so whatever else the
// machine does slows both kinds. The target is a p99 beside it of at most twice that alone.
func BenchmarkCallBesideABurningPlugin(b *testing.B) {
	all, last := proctest.Processors(b)
	if all.Count() < 2 {
		b.Skip("needs two processors")
	}
	f, clock := newFixture(b, quietly), newPlayedTime()
	// On a busy machine it would not get enough to be confined.
	f.clocks = child.Clocks{Processor: quickTicks, ProcessorTime: clock.read}
	neighbor := f.install(b, "neighbor", withRoutes(`app.get('/api/x', async () => ({ x: 1 }))`))
	in := f.install(b, "burner", withRoutes(`const crypto = require('crypto')
	  app.get('/api/burn', async () => {
	    for (let i = 0; i < 16; i++) { const go = () => crypto.pbkdf2('x', 'y', 1e6, 64, 'sha512', go); go() }
	    setInterval(() => { const end = Date.now() + 80; while (Date.now() < end); }, 100)
	    return {}
	  })`))
	calls := func(n int) []time.Duration {
		all := make([]time.Duration, n)
		for i := range all {
			begin := time.Now()
			f.get(b, neighbor, "/api/x")
			all[i] = time.Since(begin)
		}
		return all
	}
	calls(2000) // warm
	f.get(b, in, "/api/burn")
	pid := f.Status(in.Instance.ID).PID
	clock.compute(pid)
	waittest.True(b, "it is confined", func() bool { return proctest.MayUse(b, pid, last) })
	signal := func(s syscall.Signal) {
		if err := syscall.Kill(pid, s); err != nil {
			b.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // until its threads have heard
	}
	var quiet, during []time.Duration
	for b.Loop() {
		signal(syscall.SIGSTOP)
		quiet = append(quiet, calls(250)...)
		signal(syscall.SIGCONT)
		during = append(during, calls(250)...)
	}
	for _, share := range []int{50, 99} {
		alone, beside := percentile(quiet, share), percentile(during, share)
		b.ReportMetric(inMillis(alone), fmt.Sprintf("ms-p%d/alone", share))
		b.ReportMetric(inMillis(beside), fmt.Sprintf("ms-p%d/beside", share))
		b.ReportMetric(float64(beside)/float64(alone), fmt.Sprintf("ratio-p%d", share))
	}
}
