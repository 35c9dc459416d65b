package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

// sharing is a plugin that tells which instance it is.
const sharing = `
let loads = globalThis.loads = (globalThis.loads ?? 0) + 1
module.exports = async function (app, opts) {
  app.log.info('registered ' + opts.name)
  if (opts.password) globalThis.secret = opts.password
  app.get('/api/leak', async () => { console.log('leaks ' + globalThis.secret); return {} })
  if (opts.fail) throw new Error('no ' + opts.name)
  let calls = 0
  app.decorate('own', opts.name)
  app.addHook('onClose', async () => { console.log('closing ' + opts.name) })
  app.get('/api/who', async (request) => ({ name: opts.name, own: app.own, calls: ++calls, pid: process.pid, loads, headers: request.headers }))
  app.get('/api/say', async (request) => { console.log('says ' + opts.name); request.log.warn('warns ' + opts.name); setTimeout(() => console.log('later ' + opts.name), 5); return {} })
  app.get('/api/slow', async () => { await new Promise((resolve) => { globalThis.endSlow = resolve }); return opts.name })
  app.get('/api/stream', (request, reply) => { reply.raw.writeHead(200); reply.raw.write('x'); globalThis.finish = () => reply.raw.end('y'); reply.hijack() })
  app.get('/api/stdin', async () => { let all = ''; for await (const part of process.stdin) all += part; return { all } })
  app.get('/api/throw', async () => { setImmediate(() => { throw new Error('thrown by ' + opts.name) }); await new Promise(() => {}) })
  app.get('/api/block', async () => { console.log('blocks ' + opts.name); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })
  app.get('/api/end-slow', async () => { globalThis.endSlow?.(); return { ended: Boolean(globalThis.endSlow) } })
}`

// sharers installs a package whose instances share a process.
func (f *fixture) sharers(tb testing.TB, names ...string) []plugin.Installed {
	tb.Helper()
	first := f.install(tb, "sharing", files{"index.js": sharing})
	first.Package.Settings.Isolation = plugin.IsolationShared
	all := make([]plugin.Installed, len(names))
	for i, name := range names {
		all[i] = first
		all[i].Instance.ID, all[i].Instance.Key = "id-of-"+name, name
		all[i].Instance.Config = json.RawMessage(`{"name":"` + name + `"}`)
	}
	return all
}

type whoAnswer struct {
	Name, Own  string
	Calls, PID int
	Loads      int
	Headers    map[string]string
}

func TestInstancesShareAProcessAndNothingElse(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path))
		all := f.sharers(t, "a", "b", "c")
		var wg sync.WaitGroup
		for _, in := range all { // all at once start one process
			wg.Go(func() { f.get(t, in, "/health") })
		}
		wg.Wait()
		if n := f.Processes(); n != 1 {
			t.Errorf("%d processes, want 1", n)
		}
		for round := 1; round <= 3; round++ {
			for _, in := range all {
				got := getJSON[whoAnswer](t, f, in, "/api/who")
				if got.Name != in.Instance.Key || got.Own != got.Name || got.Calls != round || got.Loads != 1 {
					t.Errorf("%s: got %+v in round %d", in.Instance.Key, got, round)
				}
				if _, ok := got.Headers["x-stoa-process"]; ok {
					t.Error("the plugin sees the secret")
				}
			}
		}
		if a, b := f.Status("id-of-a"), f.Status("id-of-b"); a.PID != b.PID || a.State != Running {
			t.Errorf("status %+v and %+v", a, b)
		}
	})
}

// The header by which stoa addresses an instance is never the client's.
func TestAClientAddressesNoOtherSharedInstance(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	all := f.sharers(t, "a", "b")
	f.get(t, all[0], "/health")
	f.get(t, all[1], "/health")
	secret := f.installation("id-of-b").peek().secret
	for _, name := range []string{"X-Stoa-Process", "x-stoa-process", "X-STOA-PROCESS", "X_Stoa_Process"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/who", http.NoBody)
		r.Header[name] = []string{secret, secret}
		w := httptest.NewRecorder()
		if err := f.Serve(w, r, &all[0]); err != nil || !strings.Contains(w.Body.String(), `"name":"a"`) {
			t.Errorf("%s: %v %s", name, err, w.Body)
		}
	}
	// Nor does the secret of the process lead to any of them.
	p := f.installation("id-of-a").peek()
	for _, header := range []string{"", processHeader + ": x\r\n", processHeader + ": " + p.shared.secret + "\r\n"} {
		for _, more := range []string{"", "Connection: upgrade\r\nUpgrade: websocket\r\n"} {
			conn, err := p.child.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET /api/who HTTP/1.1\r\nHost: x\r\n%s%s\r\n", header, more)
			conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			answer := make([]byte, 256)
			n, _ := conn.Read(answer)
			if got := string(answer[:n]); got != "" && !strings.HasPrefix(got, "HTTP/1.1 403 ") {
				t.Errorf("%q %q: got %q", header, more, got)
			}
			conn.Close()
		}
	}
}

func TestSharedInstancesComeAndGoAlone(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := newFixture(t, func(c *options) { c.Log = log.Logger() })
	all := f.sharers(t, "a", "b", "c")
	a, b := all[0], all[1]
	pid := getJSON[whoAnswer](t, f, a, "/api/who").PID
	f.get(t, b, "/health")

	slow := make(chan string)
	go func() { slow <- f.get(t, a, "/api/slow") }()
	waittest.True(t, "the slow call runs", func() bool {
		inst := f.installation("id-of-a")
		return inst.busy(inst.peek())
	})

	// A change of b's config, then of a's, whose call goes on.
	b.Instance.Version, b.Instance.Config = 2, json.RawMessage(`{"name":"b2"}`)
	a.Instance.Version, a.Instance.Config = 2, json.RawMessage(`{"name":"a2"}`)
	for _, in := range []plugin.Installed{a, b} {
		want := in.Instance.Key + "2"
		if got := getJSON[whoAnswer](t, f, in, "/api/who"); got.Name != want || got.Calls != 1 || got.PID != pid {
			t.Errorf("after a change: %+v, want %s in process %d", got, want, pid)
		}
	}
	waittest.True(t, "the end of the slow call", func() bool { return f.get(t, b, "/api/end-slow") == `{"ended":true}` })
	if got := <-slow; got != "a" {
		t.Errorf("the call of before the change: got %q", got)
	}
	logged(t, log, `text="closing a"`)

	// One that does not start says why, and is alone in that.
	c := all[2]
	c.Instance.Config = json.RawMessage(`{"name":"c","fail":true}`)
	_, _, err := f.do(t, c, http.MethodGet, "/api/who", "")
	if got := f.Status("id-of-c").Failure; err == nil || reasonOf(t, err) != reasonLoadFailed ||
		got.Message != "Error: no c" || got.File != "index.js" || got.Line != 7 {
		t.Errorf("an instance that fails to start: %v, %+v", err, got)
	}
	if got := getJSON[whoAnswer](t, f, a, "/api/who"); got.Calls != 2 || got.PID != pid {
		t.Errorf("afterwards: %+v", got)
	}
	// One may be stopped; the process ends with the last.
	f.Stop("id-of-b")
	logged(t, log, `text="closing b2"`)
	if got := getJSON[whoAnswer](t, f, a, "/api/who"); got.Calls != 3 {
		t.Errorf("after the others: %+v", got)
	}
	host := f.Status("id-of-a").PID
	f.Stop("id-of-a")
	proctest.Gone(t, host)
	waittest.True(t, "no process is counted", func() bool { return f.Processes() == 0 })
	if got := getJSON[whoAnswer](t, f, a, "/api/who"); got.Calls != 1 {
		t.Errorf("started again: %+v", got)
	}
}

func TestSharedInstancesHaveLogsOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	all := f.sharers(t, "a", "b")
	all[1].Instance.Config = json.RawMessage(`{"name":"b","password":"correct horse"}`)
	all[1].Package.Manifest.ConfigSchema = secretField("password")
	for _, in := range all {
		f.get(t, in, "/api/say")
	}
	logOf := func(id string) string {
		entries, _ := f.Logs(id, 0)
		var text strings.Builder
		for _, e := range entries {
			fmt.Fprintln(&text, e.Level, e.Source, e.Message)
		}
		return text.String()
	}
	for _, name := range []string{"a", "b"} {
		other := map[string]string{"a": "b", "b": "a"}[name]
		waittest.True(t, "the log of "+name, func() bool { return strings.Contains(logOf("id-of-"+name), "later "+name) })
		got := logOf("id-of-" + name)
		for _, want := range []string{"info plugin registered ", "info plugin says ", "warn plugin warns "} {
			if !strings.Contains(got, want+name+"\n") || strings.Contains(got, want+other+"\n") {
				t.Errorf("the log of %s: %s", name, got)
			}
		}
	}
	// A secret of one is redacted in the log of the other, too.
	f.get(t, all[0], "/api/leak")
	waittest.True(t, "the leak is logged", func() bool { return strings.Contains(logOf("id-of-a"), "leaks ") })
	if got := logOf("id-of-a"); !strings.Contains(got, "leaks [secret]") {
		t.Errorf("the log of a: %s", got)
	}
	if got := f.get(t, all[0], "/api/stdin"); got != `{"all":""}` {
		t.Errorf("standard input has %s", got)
	}
}

func TestASharedProcessThatEndsIsStartedAgain(t *testing.T) {
	t.Parallel()
	log, clock := new(logtest.Buffer), newLifeClock()
	f := newFixture(t, stallsAfter(time.Second), func(c *options) { c.Log = log.Logger() })
	f.clocks.Life = clock.ticks
	all := f.sharers(t, "a", "b")
	for _, end := range []struct{ path, reason string }{{"/api/throw", reasonCrashed}, {"/api/block", reasonStalled}} {
		first := getJSON[whoAnswer](t, f, all[0], "/api/who").PID
		f.get(t, all[1], "/health")
		if end.reason == reasonStalled {
			pid := f.Status(all[0].Instance.ID).PID
			go clock.passWhen(t, pid, func() bool { return strings.Contains(log.String(), "blocks a") })
		}
		_, _, err := f.do(t, all[0], http.MethodGet, end.path, "")
		if err == nil || reasonOf(t, err) != end.reason {
			t.Errorf("%s: %v", end.path, err)
		}
		for _, in := range all {
			got := getJSON[whoAnswer](t, f, in, "/api/who")
			if got.Name != in.Instance.Key || got.Calls != 1 {
				t.Errorf("%s: afterwards %+v, was process %d", end.path, got, first)
			}
			last := f.Status(in.Instance.ID).LastError
			if end.reason == reasonCrashed && !strings.Contains(last, "thrown by a") {
				t.Errorf("%s: last error of %s: %q", end.path, in.Instance.Key, last)
			}
		}
	}
}

// What an instance may connect to is the process's, and so the same for all in it.
func TestOnlyInstancesWithTheSameGrantsShare(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	all := f.sharers(t, "a", "b", "c")
	for i := range all {
		all[i].Package.Manifest.Permissions = []string{"network:api.example.com", "orders:read"}
	}
	all[0].Instance.Granted = []string{"network:api.example.com"}
	all[1].Instance.Granted = []string{"network:api.example.com", "orders:read"}
	for _, in := range all {
		f.get(t, in, "/health")
	}
	pids := [3]int{f.Status("id-of-a").PID, f.Status("id-of-b").PID, f.Status("id-of-c").PID}
	if pids[0] != pids[1] || pids[1] == pids[2] {
		t.Errorf("processes %v, want the last one alone", pids)
	}
}

// An answer that never ends holds its own instance up, and that only for so long.
func TestASharedInstanceIsCutOffAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.Drain, c.Grace = 50*time.Millisecond, 200*time.Millisecond })
	all := f.sharers(t, "a", "b")
	f.get(t, all[1], "/health")
	srv := f.serve(t, all[0])
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/api/stream", http.NoBody)
	answer, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	p := f.installation("id-of-a").peek()
	f.Stop("id-of-a")
	select {
	case <-p.done:
	case <-time.After(2 * time.Minute):
		t.Fatal("the instance does not end")
	}
	if got := getJSON[whoAnswer](t, f, all[1], "/api/who"); got.Calls != 1 {
		t.Errorf("its neighbor: %+v", got)
	}
}

// What an instance took is free again when it has left: changes of configs do not
// fill the process.
func TestInstancesThatLeaveTakeTheirMemoryAlong(t *testing.T) {
	t.Parallel()
	f := newFixture(t, quietly, func(c *options) { c.MemoryMiB = 64 })
	all := f.sharers(t, "a", "b")
	f.get(t, all[1], "/health")
	pid := f.Status("id-of-b").PID
	in := all[0]
	for i := range needtest.Rounds(125, 250) { // 75 MiB, and 150 MiB, if it were not free again
		in.Instance.Version = int64(i + 1)
		if got := getJSON[whoAnswer](t, f, in, "/api/who"); got.Calls != 1 || f.Status("id-of-a").PID != pid {
			t.Fatalf("after %d changes: %+v in process %d, was %d", i, got, f.Status("id-of-a").PID, pid)
		}
	}
	t.Logf("%.1f MiB", ownMemory(t, pid))
}

// The process of one instance answers 400 to what is no request to Node.js, and so does one that
// instances share: without an answer, a client could have the plugin taken for broken.
func TestAMethodThatNodeDoesNotKnowIsAnswered(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path))
		alone := f.install(t, "alone", withRoutes(""))
		for name, in := range map[string]plugin.Installed{"alone": alone, "shared": f.sharers(t, "a")[0]} {
			for range 3 {
				if status, body, err := f.do(t, in, "FOO", "/api/y", ""); err != nil || status != http.StatusBadRequest {
					t.Errorf("%s: %d %s, %v; want 400", name, status, body, err)
				}
			}
			if status, _, err := f.do(t, in, "GET", "/health", ""); err != nil {
				t.Errorf("%s: then %d, %v", name, status, err)
			}
		}
	})
}
