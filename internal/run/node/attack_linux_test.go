package node

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

// tooMuch is what the log says in place of lines that it drops.
const tooMuch = "plugin printed too much"

// assaults are attacks on what all plugins share. Each is a route of one plugin.
var assaults = []struct {
	name, code string
	reasons    []string // why the plugin stops answering
	log        string   // what the log says
}{
	{"memory of Buffers", `const all = []; for (;;) { all.push(Buffer.alloc(16 << 20, 1)); await new ` +
		`Promise(setImmediate) }`, []string{reasonMemory, reasonCrashed}, "plugin process failed"},
	{
		"memory of Buffers at once",
		`const all = []; try { for (;;) all.push(Buffer.alloc(64 << 20, 1)) } catch { for (;;) await new ` +
			`Promise(setImmediate) }`,
		[]string{reasonMemory, reasonCrashed, reasonStalled},
		"plugin process failed",
	},
	{
		"memory of the heap", `const all = []; for (;;) all.push(new Array(1e5).fill({}))`,
		[]string{reasonCrashed, reasonMemory, reasonStalled},
		"plugin process failed",
	},
	{
		"memory of strings", `const all = []; for (let i = 0; ; i++) all.push(('x' + i).repeat(1e6).split(''))`,
		[]string{reasonCrashed, reasonMemory, reasonStalled},
		"plugin process failed",
	},
	{
		"memory of WebAssembly",
		`const all = []; for (;;) { const m = new WebAssembly.Memory({ initial: 256 }); new Uint8Array(m.buffer).fill(1); ` +
			`all.push(m); await new Promise(setImmediate) }`,
		[]string{reasonMemory, reasonCrashed},
		"plugin process failed",
	},
	{
		"memory of shared buffers",
		`const all = []; for (;;) { const b = new SharedArrayBuffer(16 << 20); new Uint8Array(b).fill(1); all.push(b); ` +
			`await new Promise(setImmediate) }`,
		[]string{reasonMemory, reasonCrashed},
		"plugin process failed",
	},
	{"an endless loop", `for (;;);`, []string{reasonStalled}, "blocked its event loop"},
	{"an endless loop of promises", `for (;;) await null`, []string{reasonStalled}, "blocked its event loop"},
	{
		"an endless loop that writes", `for (;;) { try { fs.writeSync(4, '.') } catch {} }`,
		[]string{reasonStalled},
		"blocked its event loop",
	},
	{
		"an endless loop that logs", `for (;;) { try { fs.writeSync(2, 'x'.repeat(1000) + '\n') } catch {} }`,
		[]string{reasonStalled},
		tooMuch,
	},
	{
		"an endless regular expression", `/^(a+)+$/.test('a'.repeat(40) + 'b')`,
		[]string{reasonStalled},
		"blocked its event loop",
	},
	{
		"an endless wait", `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
		[]string{reasonStalled},
		"blocked its event loop",
	},
	{"its own end", `process.exit(0)`, []string{reasonCrashed}, "ended on its own"},
	{"its own abort", `process.abort()`, []string{reasonCrashed}, "ended on its own"},
	{
		"its own death", `process.kill(process.pid, 'SIGKILL'); for (;;);`,
		[]string{reasonStalled},
		"blocked its event loop",
	}, // the kernel protects the first process of a namespace
	{
		"an error that nobody catches", `setImmediate(() => { throw new Error('nobody') }); await new Promise(() => {})`,
		[]string{reasonCrashed},
		"nobody",
	},
	{
		"endless headers", `for (let i = 0; i < 5000; i++) reply.raw.setHeader('x-' + i, 'y'.repeat(1000)); reply.raw.end()`,
		[]string{reasonBadAnswer},
		"",
	},
	{
		"an answer that is no HTTP", `request.raw.socket.end('nonsense\r\n\r\n'); await new Promise(() => {})`,
		[]string{reasonBadAnswer},
		"",
	},
}

func TestAssaultsEndAlone(t *testing.T) {
	needtest.Long(t, "a dozen plugins take what they can get")
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		log := new(logtest.Buffer)
		f := contained(t, newFixture(t, onNode(path), stallsAfter(time.Second), func(c *options) {
			c.Log, c.MemoryMiB = log.Logger(), 64
		}))
		clock := newLifeClock()
		f.clocks.Life = clock.ticks
		neighbour := f.install(t, "neighbour", withRoutes(""))
		f.get(t, neighbour, "/health")
		var code strings.Builder
		code.WriteString("const fs = require('fs')\n")
		for i, a := range assaults {
			fmt.Fprintf(&code, "app.get('/api/%d', async (request, reply) => { console.log('begins %d'); %s })\n", i, i, a.code)
		}
		in := f.install(t, "assailant", withRoutes(code.String()))
		for i, a := range assaults {
			f.Stop(in.Instance.ID) // forgets the failure before
			f.get(t, in, "/health")
			if a.reasons[0] == reasonStalled {
				begins, pid := fmt.Sprintf("begins %d\"", i), f.Status(in.Instance.ID).PID
				if a.log == tooMuch {
					begins = tooMuch
				}
				go clock.passWhen(t, pid, func() bool { return strings.Contains(log.String(), begins) })
			}
			_, _, err := f.do(t, in, http.MethodGet, fmt.Sprintf("/api/%d", i), "")
			// Whether Node.js or stoa ends it first is a race: a full heap blocks the loop.
			if err == nil {
				t.Errorf("%s: it answered", a.name)
			} else if !slices.Contains(a.reasons, reasonOf(t, err).(string)) {
				t.Errorf("%s: got %v, %v, want one of %v", a.name, reasonOf(t, err), err, a.reasons)
			}
			logged(t, log, a.log)
			if a.reasons[0] != reasonBadAnswer && f.Status(in.Instance.ID).LastError == "" {
				t.Errorf("%s: status %+v", a.name, f.Status(in.Instance.ID))
			}
		}
		if st := f.Status(neighbour.Instance.ID); st.State != Running || st.Restarts != 0 {
			t.Errorf("the neighbour: %+v", st)
		}
		f.get(t, neighbour, "/health")
	})
}

func TestBuffersCountTowardsTheMemoryLimit(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := contained(t, newFixture(t, func(c *options) { c.Log = log.Logger() }))
	in := f.install(t, "buffers", withRoutes(`const all = []
	  app.post('/api/take', async (request) => { all.push(Buffer.alloc(request.body.mib << 20, 1)); return {} })`))
	f.post(t, in, "/api/take", `{"mib":64}`) // that much is fine
	pid := f.Status(in.Instance.ID).PID
	for range 40 {
		if _, _, err := f.do(t, in, http.MethodPost, "/api/take", `{"mib":16}`); err != nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	proctest.Gone(t, pid)
	// stoa notices the end a moment after the kernel.
	waittest.True(t, "an error in the status", func() bool { return f.Status(in.Instance.ID).LastError != "" })
	if st := f.Status(in.Instance.ID); !strings.Contains(st.LastError, "too much memory") {
		t.Errorf("status %+v", st)
	}
	logged(t, log, "reason=out_of_memory")
}

func TestTemporaryFilesCountTowardsTheMemoryLimit(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := contained(t, newFixture(t, func(c *options) { c.Log = log.Logger() }))
	in := f.install(t, "temporary", withRoutes(`const fs = require('fs'), all = []
	  app.post('/api/write', async () => { fs.writeFileSync(process.env.TMPDIR + '/x', Buffer.alloc(63 << 20)); return {} })
	  app.post('/api/take', async (request) => { all.push(Buffer.alloc(request.body.mib << 20, 1)); return {} })`))
	f.post(t, in, "/api/write", "{}")
	pid := f.Status(in.Instance.ID).PID
	// Together with the file, that is more than the process may have, and by itself it is not.
	_, _, _ = f.do(t, in, http.MethodPost, "/api/take", `{"mib":160}`) // it may end during the call
	proctest.Gone(t, pid)
	logged(t, log, "reason=out_of_memory")
}

func TestRequestsWithoutTheSecretAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "gated",
		withRoutes(`app.get('/api/headers', async (request) => ({
		  headers: request.headers, raw: request.raw.rawHeaders, distinct: request.raw.headersDistinct,
		  complete: request.raw.rawHeaders.length / 2 === Object.keys(request.raw.headersDistinct).length
		}))`))
	if got := f.get(t, in, "/api/headers"); strings.Contains(strings.ToLower(got), "stoa-process") ||
		!strings.Contains(got, `"complete":true`) {
		t.Errorf("the plugin sees the secret, or not the rest: %s", got)
	}
	f.mu.Lock()
	p := f.installations[in.Instance.ID].current
	f.mu.Unlock()
	for _, secret := range []string{"", "X-Stoa-Process: x\r\n", "X-Stoa-Process: -ping\r\n", "X-Stoa-Process: \r\n"} {
		for _, more := range []string{"", "Connection: upgrade\r\nUpgrade: websocket\r\n"} {
			conn, err := p.child.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET /api/headers HTTP/1.1\r\nHost: x\r\n%s%s\r\n", secret, more)
			conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			answer := make([]byte, 256)
			n, _ := conn.Read(answer)
			if got := string(answer[:n]); got != "" && !strings.HasPrefix(got, "HTTP/1.1 403 ") {
				t.Errorf("%q %q: got %q", secret, more, got)
			}
			conn.Close()
		}
	}
}

// Control groups belong to no level. The log tells whether there are any.
func TestWithoutControlGroupsPluginsRunAndTheLogSaysSo(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*options){
		`limits="rlimit (no cgroup: switched off)"`: without(sandbox.Cgroup),
		`limits=`: without(),
	} {
		log := new(logtest.Buffer)
		f := contained(t, newFixture(t, change, func(c *options) {
			c.machine.Isolation, c.machine.Log = sandbox.Full, log.Logger()
		}))
		f.get(t, f.install(t, "limited", withRoutes("")), "/health")
		if !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "isolation=full") {
			t.Errorf("want %s, the log: %s", want, log)
		}
	}
}

func TestBelowTheDemandedLevelPluginsDoNotRun(t *testing.T) {
	t.Parallel()
	for _, part := range []sandbox.Part{sandbox.Namespaces, sandbox.Landlock, sandbox.Seccomp} {
		log := new(logtest.Buffer)
		f := newFixture(t, without(part), func(c *options) {
			c.machine.Isolation, c.machine.Log = sandbox.Full, log.Logger()
		})
		in := f.install(t, "demanding", withRoutes(""))
		_, _, err := f.do(t, in, http.MethodGet, "/health", "")
		if reasonOf(t, err) != reasonIsolation {
			t.Errorf("without %s: got %v", part, err)
		}
		want := "the isolation here is basic and must be full (--plugin-isolation). Missing: " + string(part)
		if last := f.Status(in.Instance.ID).LastError; !strings.Contains(last, want) {
			t.Errorf("without %s: last error %q", part, last)
		}
		if err := f.Check(); err == nil || !strings.Contains(log.String(), "internal plugins cannot run") {
			t.Errorf("without %s: %v, log %s", part, err, log)
		}

		// What is demanded less than that runs, as well contained as it can be.
		f = newFixture(t, without(part), func(c *options) {
			c.machine.Isolation, c.machine.Log = sandbox.Basic, log.Logger()
		})
		in = f.install(t, "modest", withRoutes(""))
		f.get(t, in, "/health")
		if !strings.Contains(log.String(), "isolation=basic") || !strings.Contains(log.String(), "missing=\""+string(part)) {
			t.Errorf("without %s: log %s", part, log)
		}
	}
}
