package node

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/proctest"
)

const pidRoute = `app.get('/api/pid', async () => process.pid)
	app.post('/api/crash', async () => {
	  setImmediate(() => { throw new Error('out of the blue') })
	  await new Promise(() => {})
	})
	app.post('/api/reject', async () => { Promise.reject(new Error('nobody caught this')); await new Promise(() => {}) })`

func TestManyFirstCallsStartOneProcess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "first", withRoutes(pidRoute))
	pids := make([]string, 32)
	var all sync.WaitGroup
	for i := range pids {
		all.Go(func() {
			status, body, err := f.do(t, in, http.MethodGet, "/api/pid", "")
			if err != nil || status != 200 {
				t.Errorf("call %d: %d %v", i, status, err)
			}
			pids[i] = body
		})
	}
	all.Wait()
	for _, pid := range pids {
		if pid != pids[0] {
			t.Fatalf("several processes answered: %v", pids)
		}
	}
}

func TestPrepareStartsTheProcess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "prepared", withRoutes(pidRoute))
	if st := f.Status(in.Instance.ID); st.State != Stopped {
		t.Errorf("before: %+v", st)
	}
	if err := f.Prepare(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if st := f.Status(in.Instance.ID); st.State != Running || st.PID == 0 || st.Since.IsZero() {
		t.Errorf("after: %+v", st)
	}
}

func TestTheCallAfterACrashSucceeds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "crashing", withRoutes(pidRoute))
	f.get(t, in, "/health")
	for i, crash := range []func(){
		func() { f.do(t, in, http.MethodPost, "/api/crash", "{}") },
		func() { f.do(t, in, http.MethodPost, "/api/reject", "{}") },
		func() {
			p := f.installation(in.Instance.ID).peek()
			syscall.Kill(f.Status(in.Instance.ID).PID, syscall.SIGKILL)
			<-p.done // or the next call may be one that the process dies with
		},
	} {
		if i > 0 {
			f.forgive(in) // the delays have a test of their own
		}
		pid := f.Status(in.Instance.ID).PID
		crash()
		f.get(t, in, "/health")
		if now := f.Status(in.Instance.ID).PID; now == pid {
			t.Errorf("crash %d: still process %d", i, pid)
		}
	}
	if st := f.Status(in.Instance.ID); st.Restarts == 0 {
		t.Errorf("status: %+v", st)
	}
}

// forgive forgets the failures of in, so that the next start is not delayed.
func (f *fixture) forgive(in plugin.Installed) {
	inst := f.installation(in.Instance.ID)
	inst.mu.Lock()
	defer inst.mu.Unlock()
	inst.failures = failures{}
}

func TestACrashDuringACallIsReported(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for slug, body := range map[string]string{"fatal": "", "fatal-with-body": "{}"} {
		in := f.install(t, slug, withRoutes(pidRoute))
		_, _, err := f.do(t, in, http.MethodPost, "/api/crash", body)
		if !errors.Is(err, run.ErrUnreachable) || reasonOf(t, err) != reasonCrashed {
			t.Errorf("%s: got %v, want ErrUnreachable", slug, err)
		}
		// The request may have had its effect: it must not be sent again.
		if count := f.failureCount(in); count != 1 {
			t.Errorf("%s: the request was sent %d times", slug, count)
		}
	}
}

func (f *fixture) failureCount(in plugin.Installed) int {
	inst := f.installation(in.Instance.ID)
	inst.mu.Lock()
	defer inst.mu.Unlock()
	return inst.failures.count
}

func TestAProcessThatDoesNotEndIsKilled(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.Grace = 50 * time.Millisecond })
	in := f.install(t, "stubborn", withRoutes(`
	  app.addHook('onClose', () => new Promise(() => {}))
	  setInterval(() => {}, 1000)`))
	f.get(t, in, "/health")
	pid := f.Status(in.Instance.ID).PID
	f.Stop(in.Instance.ID)
	proctest.Gone(t, pid)
}

func TestAnAnswerThatBreaksOffIsNotPassedOffAsWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "breaking", withRoutes(`app.get('/api/half', (req, reply) => {
	  reply.hijack()
	  reply.raw.write('half', () => process.abort())
	})`))
	srv := f.serve(t, in)
	res, err := srv.Client().Get(srv.URL + "/api/half")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("got %q without an error", body)
	}
	if p := f.installation(in.Instance.ID).peek(); p != nil {
		<-p.done // or the next call may be one that the process dies with
	}
	f.get(t, in, "/health")
	if p := f.installation(in.Instance.ID).peek(); p.calls != 0 {
		t.Errorf("%d calls are still counted", p.calls)
	}
}

// The first three crashes in an hour are started again without delay.
func TestAKilledPluginIsStartedAgainAtOnce(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		log := new(logtest.Buffer)
		f := newFixture(t, onNode(path), func(c *options) { c.Log = log.Logger() })
		in := f.install(t, "killed", withRoutes(pidRoute))
		f.get(t, in, "/health")
		for range 3 {
			p := f.installation(in.Instance.ID).peek()
			syscall.Kill(f.Status(in.Instance.ID).PID, syscall.SIGKILL)
			<-p.done // or the next call may be one that the process dies with
			f.get(t, in, "/health")
		}
		if got := strings.Count(log.String(), "retryIn=0s"); got != 3 || f.Status(in.Instance.ID).Restarts != 3 {
			t.Errorf("%d of 3 crashes were started again at once; status %+v", got, f.Status(in.Instance.ID))
		}
	})
}

// BenchmarkAnswerAfterAKill measures from the end of a process to the next good answer. The
// target is a second.
func BenchmarkAnswerAfterAKill(b *testing.B) {
	f := newFixture(b, func(c *options) { c.Log = slog.New(slog.DiscardHandler) })
	in := f.install(b, "killed", withRoutes(pidRoute))
	f.get(b, in, "/health")
	for b.Loop() {
		p := f.installation(in.Instance.ID).peek()
		syscall.Kill(f.Status(in.Instance.ID).PID, syscall.SIGKILL)
		<-p.done // or the next call may be one that the process dies with
		f.get(b, in, "/health")
		f.forgive(in) // the delays after several crashes are not measured
	}
}

func TestAnUnstablePluginIsNotRestartedAllTheTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "unstable", withRoutes(pidRoute))
	starts := map[int]bool{}
	var last error
	for range 12 {
		_, _, last = f.do(t, in, http.MethodPost, "/api/crash", "{}")
		starts[f.Status(in.Instance.ID).PID] = true
		if errors.Is(last, run.ErrStarting) {
			break
		}
	}
	if !errors.Is(last, run.ErrStarting) {
		t.Errorf("got %v in the end, want ErrStarting", last)
	}
	if st := f.Status(in.Instance.ID); st.State != Failed || !strings.Contains(st.LastError, "ended on its own") {
		t.Errorf("status: %+v", st)
	}
	f.Stop(in.Instance.ID) // an administrator's word forgets the failures
	f.get(t, in, "/health")
}

func TestAPluginThatDoesNotLoadHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.StartWait = time.Minute })
	good := f.install(t, "good", withRoutes(pidRoute))
	pid := f.get(t, good, "/api/pid")

	tests := []struct {
		name    string
		content files
		cause   string
	}{
		{"syntax error", files{"index.js": "module.exports = {{"}, "SyntaxError"},
		{"throws while loaded", files{"index.js": "throw new Error('no luck')"}, "no luck"},
		{"throws while registered", withRoutes("throw new Error('bad config')"), "bad config"},
		{"throws later while registered", withRoutes(`
		  setImmediate(() => { throw new Error('too late') })
		  await new Promise(() => {})`), "too late"},
		{"no plugin function", files{"index.js": "exports.answer = 42"}, "exports no plugin function"},
		{"missing module", files{"index.js": "require('left-pad')"}, "left-pad"},
		{"missing entry", files{"other.js": ""}, "index.js"},
		{"exits", files{"index.js": "process.exit(3)"}, "exit status 3"},
		{"never done", files{"index.js": "module.exports = (app, opts, done) => {}"}, ""}, // Fastify says so, or stoa
		{"blocks", files{"index.js": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"}, "not ready within"},
		{"floods the log", files{"index.js": `
		  for (let i = 0; i < 1e3; i++) console.log('x'.repeat(1e4))
		  throw new Error('enough')`}, "enough"},
	}
	for i, tt := range tests {
		bad := f.install(t, "bad-"+string(rune('a'+i)), tt.content)
		f.cfg.StartTimeout = 30 * time.Second
		switch tt.name {
		case "never done":
			f.cfg.StartTimeout = 2 * time.Second
		case "blocks":
			f.cfg.StartTimeout = time.Second
		}
		_, _, err := f.do(t, bad, http.MethodGet, "/health", "")
		if !errors.Is(err, run.ErrUnreachable) || reasonOf(t, err) != reasonLoadFailed {
			t.Errorf("%s: got %v, want ErrUnreachable because of load_failed", tt.name, err)
		}
		st := f.Status(bad.Instance.ID)
		if st.State != Failed || st.LastError == "" || !strings.Contains(st.LastError, tt.cause) {
			t.Errorf("%s: status %+v, want a cause with %q", tt.name, st, tt.cause)
		}
	}
	if now := f.get(t, good, "/api/pid"); now != pid {
		t.Errorf("the good plugin was restarted")
	}
}

func TestALoadFailureIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bad := f.install(t, "broken", withRoutes("throw new Error('no')"))
	f.do(t, bad, http.MethodGet, "/health", "")
	first := f.Status(bad.Instance.ID).Since
	f.installation(bad.Instance.ID).failures.until = time.Now().Add(time.Minute)
	for range 20 {
		_, _, err := f.do(t, bad, http.MethodGet, "/health", "")
		if reasonOf(t, err) != reasonLoadFailed {
			t.Fatalf("got %v", err)
		}
	}
	if now := f.Status(bad.Instance.ID).Since; !now.Equal(first) {
		t.Error("each call started a process")
	}
	// A new package is tried at once.
	bad.Package.ZipHash, bad.Package.UpdatedAt = "fixed", time.Now()
	bad.Package.InstallPath = "plugins/broken/1.0.1-abcdef02"
	writePackage(t, filepath.Join(f.dir, bad.Package.InstallPath), withRoutes(""))
	f.get(t, bad, "/health")
}

func TestAChangedInstanceGetsANewProcess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "changing", withRoutes(`app.get('/api/x', async () => opts.v)`))
	in.Instance.Config = []byte(`{"v":"old"}`)
	if got := f.get(t, in, "/api/x"); got != "old" {
		t.Fatalf("got %s", got)
	}
	oldPID := f.Status(in.Instance.ID).PID
	inst := f.installation(in.Instance.ID)
	old := inst.current
	old.calls++ // a call that runs on

	changed := in
	changed.Instance.Version, changed.Instance.Config = 2, []byte(`{"v":"new"}`)
	if got := f.get(t, changed, "/api/x"); got != "new" {
		t.Errorf("after the change: got %s", got)
	}
	if !proctest.Alive(oldPID) {
		t.Error("the old process ended with a call still running")
	}
	// A call whose instance was read before the change does not bring it back.
	if got := f.get(t, in, "/api/x"); got != "new" {
		t.Errorf("late call: got %s", got)
	}
	inst.release(old)
	proctest.Gone(t, oldPID)
}

func TestStopEndsTheProcess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "stopped", withRoutes(pidRoute))
	f.get(t, in, "/health")
	pid := f.Status(in.Instance.ID).PID
	f.Stop(in.Instance.ID)
	f.Stop("never seen")
	proctest.Gone(t, pid)
	if st := f.Status(in.Instance.ID); st.State != Stopped || st.LastError != "" {
		t.Errorf("status: %+v", st)
	}
	f.get(t, in, "/health") // on demand again
}

func TestIdleProcessesEndAndComeBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.Idle = 50 * time.Millisecond })
	in := f.install(t, "idle", withRoutes(pidRoute))
	f.get(t, in, "/health")
	inst := f.installation(in.Instance.ID)
	if p := inst.peek(); p != nil {
		<-p.done
	}
	f.get(t, in, "/health")
}

// peek returns the current process.
func (s *installation) peek() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.machine.Log = c.Log })
	var pids []int
	for _, slug := range []string{"one", "two", "deaf"} {
		code := pidRoute
		if slug == "deaf" {
			code += `
			  process.removeAllListeners('SIGTERM')
			  process.on('SIGTERM', () => {})
			  app.addHook('onClose', () => new Promise(() => {}))
			  setInterval(() => {}, 1000)`
		}
		in := f.install(t, slug, withRoutes(code))
		f.get(t, in, "/health")
		pids = append(pids, f.Status(in.Instance.ID).PID)
	}
	dir := f.host.files.machine.Dir
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	start := time.Now()
	if err := errors.Join(f.Close(ctx), f.cfg.Children.Close()); err != nil {
		t.Fatal(err)
	}
	t.Logf("closed after %s", time.Since(start))
	for _, pid := range pids {
		if proctest.Alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	_, _, err := f.do(t, f.install(t, "late", withRoutes("")), http.MethodGet, "/health", "")
	if reasonOf(t, err) != reasonStopped {
		t.Errorf("after Close: %v", err)
	}
}

func TestACallDoesNotWaitForAStartForEver(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.StartWait = 50 * time.Millisecond })
	in := f.install(t, "sluggish", withRoutes(`const fs = require('fs')
	while (!fs.existsSync(__dirname + '/go')) await new Promise((resolve) => setTimeout(resolve, 10))`))
	_, _, err := f.do(t, in, http.MethodGet, "/health", "")
	if !errors.Is(err, run.ErrStarting) {
		t.Fatalf("got %v, want ErrStarting", err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, in.Package.InstallPath, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-f.installation(in.Instance.ID).peek().ready
	f.get(t, in, "/health")
}

// Only who asks a plugin that may well start is told to come back soon.
func TestAFailedStartStaysTheAnswerWhileTheNextGoesOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.StartTimeout = 500 * time.Millisecond })
	in := f.install(t, "unable", withRoutes("await new Promise(() => {})"))
	for _, call := range []string{"the first", "one that comes while the second start goes on"} {
		_, _, err := f.do(t, in, http.MethodGet, "/health", "")
		if !errors.Is(err, run.ErrUnreachable) || reasonOf(t, err) != reasonLoadFailed {
			t.Errorf("%s call: got %v, want ErrUnreachable, %s", call, err, reasonLoadFailed)
		}
		f.cfg.StartWait = 50 * time.Millisecond
	}

	other := f.install(t, "slow", withRoutes("await new Promise(() => {})"))
	other.Package.Settings.StartTimeoutMs = long.Milliseconds()
	if _, _, err := f.do(t, other, http.MethodGet, "/health", ""); !errors.Is(err, run.ErrStarting) {
		t.Errorf("the first start: got %v, want ErrStarting", err)
	}
}
