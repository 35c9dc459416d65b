package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
)

// TestManyPluginsStartPaced starts as many as a large shop has, after a restart
// of stoa: kept running, or all called at once. A script plays Node.js, since the
// machine could not carry so many.
func TestManyPluginsStartPaced(t *testing.T) {
	t.Parallel()
	count := needtest.Rounds(50, 200)
	for name, start := range map[string]func(*testing.T, *fixture, []plugin.Installed){
		"kept running": func(t *testing.T, f *fixture, all []plugin.Installed) {
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				f.KeepRunning(ctx, func(context.Context) ([]plugin.Installed, error) { return all, nil })
			}()
			t.Cleanup(func() {
				stop()
				<-done
				if n := f.running(all); n != 0 {
					t.Errorf("%d are kept running by nobody", n)
				}
			})
			waittest.True(t, "all run", func() bool { return f.running(all) == count })
		},
		"called at once": func(t *testing.T, f *fixture, all []plugin.Installed) {
			var wg sync.WaitGroup
			for _, in := range all {
				wg.Go(func() {
					if err := f.Prepare(t.Context(), in); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			starting := t.TempDir() // a file for each process that starts
			script := filepath.Join(t.TempDir(), "node")
			text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && echo v22.12.0 && exit\n[ -n \"$STOA_WARM\" ] && exit 1\n[ \"$1\" = -e ] && exit 1\n"+
				": >%[1]s/$$\nsleep 0.03\nrm %[1]s/$$\necho '{\"ready\":true}' >&4\nexec sleep 300\n", starting)
			syscall.ForkLock.RLock() // a process that is forked while the file is open would keep it from being run
			err := os.WriteFile(script, []byte(text), 0o700)
			syscall.ForkLock.RUnlock()
			if err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, onNode(script), without(sandbox.Namespaces, sandbox.Landlock, sandbox.Seccomp, sandbox.Cgroup),
				func(c *options) { c.StartWait = time.Minute })
			first := f.install(t, "many", withRoutes(""))
			all := make([]plugin.Installed, count)
			for i := range all {
				all[i] = first
				all[i].Instance.ID = fmt.Sprint("id-", i)
				all[i].Package.Settings.KeepRunning = true
			}
			ended := make(chan int)
			stop := make(chan struct{})
			go func() {
				most := 0
				for {
					if now, err := os.ReadDir(starting); err == nil {
						most = max(most, len(now))
					}
					select {
					case <-stop:
						ended <- most
						return
					case <-time.After(time.Millisecond):
					}
				}
			}()
			begin := time.Now()
			start(t, f, all)
			close(stop)
			most := <-ended
			t.Logf("%d processes in %s, at most %d starting at once", count, time.Since(begin).Round(time.Millisecond), most)
			if bound := max(4, 2*runtime.GOMAXPROCS(0)); most > bound || f.running(all) != count {
				t.Errorf("%d processes started at once, want at most %d; %d run", most, bound, f.running(all))
			}
		})
	}
}

// running returns how many of all run. The scripts answer no /health, so those that run for long are unhealthy.
func (f *fixture) running(all []plugin.Installed) int {
	n := 0
	for _, in := range all {
		if state := f.Status(in.Instance.ID).State; state == Running || state == Unhealthy {
			n++
		}
	}
	return n
}
