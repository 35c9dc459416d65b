package node

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/nodetest"
)

// attempt is a line of testdata/escapes.txt.
type attempt struct {
	name, code string
	refusals   []string
}

func readAttempts(tb testing.TB) []attempt {
	tb.Helper()
	text, err := os.ReadFile("testdata/escapes.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var all []attempt
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) == 2 {
			parts[1] = strings.TrimSuffix(parts[1], " |")
			parts = append(parts, "ERR_ACCESS_DENIED")
		}
		if len(parts) != 3 {
			tb.Fatalf("testdata/escapes.txt: %q", line)
		}
		all = append(all, attempt{parts[0], parts[1], strings.Split(parts[2], ",")})
	}
	return all
}

// escapist is a plugin that makes each attempt when it is asked to, and fails with
// what it met.
func escapist(attempts []attempt, targets map[string]any) files {
	var code strings.Builder
	code.WriteString(`
		const [fs, os, net, dns, dgram, vm, v8, tls, http, http2, events, cluster, inspector] =
		  ['fs', 'os', 'net', 'dns', 'dgram', 'vm', 'v8', 'tls', 'http', 'http2', 'events', 'cluster', 'inspector']
		    .map((name) => require('node:' + name))
		const child = require('node:child_process'), threads = require('node:worker_threads')
		const trace = require('node:trace_events'), module_ = require('node:module')
		const connect = (to) => new Promise((ok, no) => net.connect(to, ok).on('error', no))
		const listen = (at) => new Promise((ok, no) => net.createServer().on('error', no).listen(at, ok))
		const get = (from) => new Promise((ok, no) => http.get(from, ok).on('error', no))
		const resolver = (server) => { const r = new dns.promises.Resolver({ timeout: 200, tries: 1 }); r.setServers([server]); return r }
		const send = (to, port, broadcast) => new Promise((ok, no) => {
		  const s = dgram.createSocket('udp4').on('error', no)
		  s.bind(() => { if (broadcast) s.setBroadcast(true); s.send('x', port, to, (err) => err ? no(err) : ok()) })
		})
	`)
	for name, value := range targets {
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&code, "const %s = %s\n", name, text)
	}
	code.WriteString("const attempts = {\n")
	for _, a := range attempts {
		fmt.Fprintf(&code, "%q: async () => %s,\n", a.name, a.code)
	}
	code.WriteString(`}
		module.exports = async (app) => {
		  app.post('/api/try', async (request) => {
		    try { await attempts[request.body.name]() } catch (err) {
		      err = err.cause ?? err
		      request.log.error(err, 'attempt: ' + request.body.name)
		      return { refusal: String(err.code ?? err.message ?? err) }
		    }
		    return { refusal: '' }
		  })
		}`)
	return files{"index.js": code.String()}
}

// TestEscapesAreRefused makes every attempt of testdata/escapes.txt: it is refused
// with the error that is stated there, the log has it, the plugin and its sibling
// run on, and what was aimed at is unharmed.
func TestEscapesAreRefused(t *testing.T) {
	t.Parallel()
	attempts := readAttempts(t)
	if len(attempts) < 100 {
		t.Fatalf("%d attempts", len(attempts))
	}
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		log := new(logtest.Buffer)
		f := contained(t, newFixture(t, reachesPlatform(t, "http://127.0.0.1:8080"),
			func(c *options) { c.machine.NodePath, c.Log = path, log.Logger() }))
		attack(t, f, attempts, log)
	})
}

// TestTheOperatingSystemAloneRefusesEscapes makes the attempts without the
// permission flags of Node.js: not one succeeds.
func TestTheOperatingSystemAloneRefusesEscapes(t *testing.T) {
	t.Parallel()
	var attempts []attempt
	for _, a := range readAttempts(t) {
		if harmless[a.name] == "" {
			a.refusals = []string{""} // any error
			attempts = append(attempts, a)
		}
	}
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		log := new(logtest.Buffer)
		f := contained(t, newFixture(t, reachesPlatform(t, "http://127.0.0.1:8080"),
			func(c *options) { c.machine.NodePath, c.Log = path, log.Logger() }))
		f.withoutFlags = true
		attack(t, f, attempts, log)
	})
}

// harmless are attempts that reach nothing but the plugin's own when they succeed
// without the flags, and why.
var harmless = map[string]string{
	"read the list of users":           "its own, of one user",
	"list the root":                    "its own",
	"ask for the file system":          "its own",
	"read the own environment":         "its own",
	"list the own descriptors":         "its own",
	"list processes":                   "itself",
	"list mounts":                      "its own",
	"read where a link points":         "its own",
	"write the own memory":             "its own",
	"signal the own group":             "itself",
	"inspect itself":                   "itself",
	"open an inspector":                "in a network of its own",
	"start a thread":                   "counts towards its limits",
	"start a thread from a file":       "counts towards its limits",
	"use an inner binding of files":    "ends in the same system calls",
	"use an inner binding of programs": "ends in the same system calls",
	"use an inner binding of sockets":  "ends in the same system calls",
	"write a report":                   "says where it would be, and that it is not",
	"delete the own folder":            "Node.js 24 says nothing, and the folder stays",
	"import it":                        "opens nothing",
	"run WASI":                         "ends in the same system calls",
	"look at all network interfaces":   "its own",
}

func attack(t *testing.T, f *fixture, attempts []attempt, log *logtest.Buffer) {
	t.Helper()
	sibling := f.install(t, "sibling", withRoutes(`app.get('/api/x', async () => 'x')`))
	f.get(t, sibling, "/health")
	f.mu.Lock()
	// It has no name any more, except this one.
	socket := strings.Replace(f.installations[sibling.Instance.ID].current.child.Address(), "self", strconv.Itoa(os.Getpid()),
		1)
	f.mu.Unlock()
	key, database := filepath.Join(f.dir, "master.key"), filepath.Join(f.dir, "stoa.db")
	for _, path := range []string{key, database} {
		if err := os.WriteFile(path, []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	name := "stoa-" + rand.Text()
	abstract, err := net.Listen("unix", "@"+name)
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	in := f.install(t, "escapist", escapist(attempts, map[string]any{
		"KEY": key, "DATABASE": database, "DATA": f.dir, "HOST": f.host.files.machine.Dir, "SHIMS": f.host.files.shims,
		"SIBLING": filepath.Join(f.dir, sibling.Package.InstallPath), "SIBLING_SOCKET": socket,
		"SIBLING_PID": f.Status(sibling.Instance.ID).PID, "STOA_PID": os.Getpid(),
		"STOA_PORT": ln.Addr().(*net.TCPAddr).Port, "ABSTRACT": name, "OWN_ADDRESS": ownAddress(t),
		"LIBRARY": library(t, f.Status(sibling.Instance.ID).PID),
	}))
	for _, a := range attempts {
		status, body, err := f.do(t, in, http.MethodPost, "/api/try", `{"name":`+quote(a.name)+`}`)
		if err != nil || status != http.StatusOK {
			t.Errorf("%s: %d %s, %v", a.name, status, body, err)
			continue
		}
		var got struct{ Refusal string }
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if !isRefused(got.Refusal, a.refusals) {
			t.Errorf("%s: got %q, want one of %q", a.name, got.Refusal, a.refusals)
		}
		if st := f.Status(in.Instance.ID); st.State != Running || st.Restarts != 0 || st.LastError != "" {
			t.Errorf("%s: status %+v", a.name, st)
		}
		logged(t, log, "attempt: "+a.name)
	}
	for _, id := range []string{in.Instance.ID, sibling.Instance.ID} {
		if st := f.Status(id); st.State != Running || st.Restarts != 0 {
			t.Errorf("%s: %+v", id, st)
		}
	}
	f.get(t, sibling, "/api/x")
	for _, path := range []string{key, database} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "secret" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(f.dir, in.Package.InstallPath, "index.js")); err != nil {
		t.Errorf("the plugin changed its own files: %v", err)
	}
}

// library returns a shared library that a process has loaded.
func library(tb testing.TB, pid int) string {
	tb.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if fields := strings.Fields(line); len(fields) == 6 && strings.Contains(fields[5], ".so") {
			return fields[5]
		}
	}
	tb.Fatalf("process %d has loaded no library", pid)
	return ""
}

func isRefused(got string, refusals []string) bool {
	for _, r := range refusals {
		if got != "" && strings.HasPrefix(got, r) {
			return true
		}
	}
	return false
}
