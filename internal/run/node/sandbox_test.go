package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/logtest"
)

func TestTheEnvironmentIsScrubbed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "env", withRoutes(`app.get('/api/env', async () => process.env)`))
	want := `{"NODE_ENV":"production","TZ":"UTC","STOA_INSTALLATION_ID":"id-of-env"}`
	if files, err := f.host.prepare(); err == nil && files.machine.Temporary() {
		want = `{"NODE_ENV":"production","TZ":"UTC","TMPDIR":"/private-tmp","STOA_INSTALLATION_ID":"id-of-env"}`
	}
	if got := f.get(t, in, "/api/env"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestThePluginCannotReachBeyondItsPackage: each attempt reports the code of the
// error it got.
func TestThePluginCannotReachBeyondItsPackage(t *testing.T) {
	t.Parallel()
	t.Run("contained", func(t *testing.T) {
		t.Parallel()
		// What is not there at all cannot be denied.
		breakOut(t, newFixture(t), "ERR_ACCESS_DENIED", "MODULE_NOT_FOUND")
	})
	t.Run("by the flags of Node.js alone", func(t *testing.T) {
		t.Parallel()
		breakOut(t, newFixture(t, without(sandbox.Namespaces, sandbox.Landlock, sandbox.Seccomp)), "ERR_ACCESS_DENIED")
	})
}

func breakOut(t *testing.T, f *fixture, denied ...string) {
	t.Helper()
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := f.install(t, "other", withRoutes(""))
	in := f.install(t, "breakout", files{
		"data.json": "{}",
		"index.js": `
		const attempts = {
		  'own file': () => require('fs').readFileSync(__dirname + '/data.json', 'utf8'),
		  'read outside': () => require('fs').readFileSync(OUTSIDE),
		  'read outside by a detour': () => require('fs').readFileSync(__dirname + '/../../../../../../../../..' + OUTSIDE),
		  'read another plugin': () => require('fs').readFileSync(OTHER + '/index.js'),
		  'require another plugin': () => require(OTHER + '/index.js'),
		  'list the data folder': () => require('fs').readdirSync(__dirname + '/../..'),
		  'read /proc of stoa': () => require('fs').readFileSync('/proc/' + process.ppid + '/environ'),
		  'open for reading': () => require('fs').openSync(OUTSIDE, 'r'),
		  'write outside': () => require('fs').writeFileSync(OUTSIDE, 'x'),
		  'write into the package': () => require('fs').writeFileSync(__dirname + '/new.js', 'x'),
		  'make a folder': () => require('fs').mkdirSync(__dirname + '/new'),
		  'delete': () => require('fs').unlinkSync(__dirname + '/data.json'),
		  'link': () => require('fs').symlinkSync(OUTSIDE, __dirname + '/link'),
		  'child process': () => require('child_process').execFileSync('id'),
		  'fork': () => require('child_process').fork(__filename),
		  'worker': () => new (require('worker_threads').Worker)('0', { eval: true }),
		  'signal stoa': () => process.kill(process.ppid, 0),
		  'signal all': () => process.kill(-1, 0),
		  'native module': () => process.dlopen({ exports: {} }, OUTSIDE),
		  'internal binding': () => process.binding('fs'),
		  'raise the memory limit': () => require('v8').setFlagsFromString('--max-old-space-size=4096'),
		}
		module.exports = async (app) => app.get('/api/try', async () => {
		  const result = {}
		  for (const [name, attempt] of Object.entries(attempts)) {
		    try { result[name] = 'done: ' + attempt() } catch (err) { result[name] = err.code ?? err.message }
		  }
		  return result
		})
		const OUTSIDE = ` + quote(outside) + `
		const OTHER = ` + quote(filepath.Join(f.dir, other.Package.InstallPath)) + "\n",
	})
	got := getJSON[map[string]string](t, f, in, "/api/try")
	if got["own file"] != "done: {}" {
		t.Errorf("own file: got %q", got["own file"])
	}
	delete(got, "own file")
	if len(got) != 20 {
		t.Errorf("%d attempts were made, want 20", len(got))
	}
	for name, code := range got {
		if !slices.Contains(denied, code) {
			t.Errorf("%s: got %q, want one of %v", name, code, denied)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "secret" {
		t.Errorf("the file outside is now %q, %v", text, err)
	}
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestTheMemoryLimitIsPassedOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.MemoryMiB = 96 })
	in := f.install(t, "memory", withRoutes(`
	  app.get('/api/limit', async () => ({ mib: require('v8').getHeapStatistics().heap_size_limit / 2 ** 20 }))`))
	limit := getJSON[struct{ MiB float64 }](t, f, in, "/api/limit").MiB
	if limit < 96 || limit > 200 { // the young generation comes on top
		t.Errorf("the heap may grow to %.0f MiB, want about 96", limit)
	}
}

func TestAPluginThatEatsMemoryEndsAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.MemoryMiB = 32 })
	hungry := f.install(t, "hungry", withRoutes(`
	  app.post('/api/eat', async () => { const all = []; for (;;) all.push(new Array(1e5).fill({})) })`))
	modest := f.install(t, "modest", withRoutes(""))
	f.get(t, modest, "/health")
	if _, _, err := f.do(t, hungry, "POST", "/api/eat", ""); reasonOf(t, err) != reasonCrashed {
		t.Errorf("got %v", err)
	}
	f.get(t, modest, "/health")
	if f.Status(modest.Instance.ID).Restarts != 0 {
		t.Error("the other plugin was restarted")
	}
	f.get(t, hungry, "/health")
}

func TestConfigIsNotVisibleInProc(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "proc", withRoutes(""))
	in.Instance.Config = json.RawMessage(`{"apiKey":"very-secret-value"}`)
	f.get(t, in, "/health")
	for _, name := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", f.Status(in.Instance.ID).PID, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) == 0 || strings.Contains(string(text), "very-secret") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestOnlyTheFiveDescriptorsAreInherited(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "descriptors", withRoutes(""))
	extra, err := os.Open(os.DevNull) // one of ours that must not show up there
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	f.get(t, in, "/health")
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", f.Status(in.Instance.ID).PID))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", f.Status(in.Instance.ID).PID, fd.Name()))
		if err == nil && (strings.HasPrefix(target, f.dir) || strings.Contains(target, ".db")) {
			t.Errorf("descriptor %s is %s", fd.Name(), target)
		}
	}
}

func TestTheSocketIsPrivate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "socket", withRoutes(""))
	f.get(t, in, "/health")
	info, err := os.Stat(f.host.files.machine.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestSecretsAreTakenOutOfTheLog(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := newFixture(t, func(c *options) { c.Log = log.Logger() })
	in := f.install(t, "careless", withRoutes(`
	  console.log('my key is ' + opts.apiKey)
	  app.log.error(new Error('key ' + opts.apiKey))
	  throw new Error('bad key ' + opts.apiKey)`))
	in.Package.Manifest.ConfigSchema = secretField("apiKey")
	in.Instance.Config = json.RawMessage(`{"apiKey":"very-secret-value"}`)
	_, _, err := f.do(t, in, "GET", "/health", "")
	if reasonOf(t, err) != reasonLoadFailed {
		t.Fatalf("got %v", err)
	}
	text := log.String() + err.Error() + f.Status(in.Instance.ID).LastError
	if strings.Contains(text, "very-secret") || strings.Count(text, "key [secret]") < 4 {
		t.Errorf("log: %s", text)
	}
}
