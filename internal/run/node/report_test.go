package node

import (
	"strings"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/nodetest"
)

// brokenPlugins are the ways in which a plugin fails to load, and what an
// administrator is told of it.
var brokenPlugins = []struct {
	name    string
	content files
	message string
	file    string
	line    int
}{
	{"missing entry", files{"other.js": ""}, "index.js", "index.js", 0},
	{"throws while loaded", files{"index.js": "\n\nthrow new TypeError('no luck')"}, "TypeError: no luck", "index.js", 3},
	{
		"throws in another file",
		files{
			"index.js": "import './lib/a.js'\nexport default async () => {}",
			"lib/a.js": "const a = 1\nthrow new Error('deep ' + a)",
		},
		"Error: deep 1", "lib/a.js", 2,
	},
	{
		"throws while registered",
		files{"index.js": "module.exports = async () => {\n  throw new Error('bad config')\n}"},
		"bad config", "index.js", 2,
	},
	{
		"throws from a library",
		files{"index.js": "module.exports = async (app) => {\n\n  app.get('/x', 'no handler')\n}"},
		"", "index.js", 3,
	},
	{
		"reports an error",
		files{"index.js": "module.exports = (app, opts, done) => {\n  done(new Error('not today'))\n}"},
		"not today", "index.js", 2,
	},
	{"throws no error", files{"index.js": "throw 'a word'"}, "a word", "index.js", 0},
	{
		"syntax error in CommonJS",
		files{"index.js": "const a = 1\nmodule.exports = {{\n"},
		"SyntaxError: Unexpected token '{'", "index.js", 2,
	},
	{
		"syntax error in an ES module",
		files{
			"index.js": "import './b.js'\nexport default async function () {}\n",
			"b.js":     "export const a = 1\n\nexport const b = {{\n",
		},
		"SyntaxError: Unexpected token '{'", "b.js", 3,
	},
	{
		"syntax error after imports",
		files{"index.js": "import fp from 'fastify-plugin'\nimport {\n  join\n} from 'node:path'\nexport default fp(async " +
			"(app) => {\n  app.get('/x', async () => join('a', ))\n  let x = ;\n})\nexport { join }\n"},
		"SyntaxError",
		"index.js", 7,
	},
	{
		"imports what is not exported",
		files{
			"index.js": "import fp from 'fastify-plugin'\nimport { nothing } from './b.js'\nexport default fp(nothing)",
			"b.js":     "export const a = 1",
		},
		"does not provide an export named 'nothing'", "index.js", 2,
	},
	{
		"imports what is not there",
		files{"index.js": "import fp from 'fastify-plugin'\nimport pad from 'left-pad'\nexport default fp(pad)"},
		"left-pad",
		"index.js", 2,
	},
	{"requires what is not there", files{"index.js": "\nrequire('left-pad')"}, "left-pad", "index.js", 2},
	{"wrong export", files{"index.js": "exports.answer = 42"}, "exports no plugin function", "index.js", 0},
	{
		"several exports",
		files{"index.js": "exports.one = () => {}\nexports.two = () => {}"},
		"It exports: ", "index.js",
		0,
	},
	{"exits", files{"index.js": "process.exit(3)"}, "exit status 3", "index.js", 0},
	{"never ready", files{"index.js": "module.exports = (app, opts, done) => {}"}, " was not ready within ", "index.js", 0},
	{
		"waits for another",
		files{"index.js": "module.exports = async (app) => { app.register(function inner (app, opts, done) {}) }"},
		"it waited for inner", "index.js", 0,
	},
	{"never loaded", files{"index.js": "await new Promise(() => {})\nexport default async () => {}"}, "", "index.js", 0},
	{
		"uncaught while registered",
		files{"index.js": "module.exports = async () => {\n  setImmediate(() => {\n    throw new Error('too late')\n  })\n" +
			"  await new Promise(() => {})\n}"},
		"too late", "index.js", 3,
	},
}

// neverReady are those of brokenPlugins that are given up after their time to start.
var neverReady = map[string]bool{"never ready": true, "waits for another": true, "never loaded": true}

func TestAFailureSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		f := newFixture(t, onNode(path))
		f.startMargin = long // the host says what it waited for, however late it began
		for i, tt := range brokenPlugins {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				f := f
				if tt.name == "never loaded" { // only stoa can tell
					f = newFixture(t, onNode(path))
				}
				in := f.install(t, "broken-"+string(rune('a'+i)), tt.content)
				if neverReady[tt.name] {
					in.Package.Settings.StartTimeoutMs = 1000
				}
				start := time.Now()
				got, err := f.Try(t.Context(), in, true)
				if err != nil {
					t.Fatal(err)
				}
				if got.At.Before(start) || !strings.Contains(got.Message, tt.message) || got.File != tt.file ||
					got.Line != tt.line {
					t.Errorf("got %q at %s:%d, want %q at %s:%d", got.Message, got.File, got.Line, tt.message, tt.file, tt.line)
				}
				if strings.Contains(got.Message, f.dir) && tt.line > 0 && tt.name != "requires what is not there" &&
					tt.name != "imports what is not there" {
					t.Errorf("the message names the host's folders: %s", got.Message)
				}
			})
		}
	})
}

// The same holds for an instance that does not start in a process it shares.
func TestAFailureOfASharedInstanceSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		f := newFixture(t, onNode(path))
		f.startMargin = long // the host says what it waited for, however late it began
		for i, tt := range brokenPlugins {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				f := f
				if tt.name == "never loaded" { // only stoa can tell
					f = newFixture(t, onNode(path))
				}
				in := f.install(t, "broken-"+string(rune('a'+i)), tt.content)
				if neverReady[tt.name] {
					in.Package.Settings.StartTimeoutMs = 1000
				}
				in.Package.Settings.Isolation = plugin.IsolationShared
				_, _, err := f.do(t, in, "GET", "/health", "")
				got := f.Status(in.Instance.ID).Failure
				if err == nil || reasonOf(t, err) != reasonLoadFailed {
					t.Errorf("got %v, want a failure to load", err)
				}
				if !strings.Contains(got.Message, tt.message) || got.File != tt.file || got.Line != tt.line {
					t.Errorf("got %q at %s:%d, want %q at %s:%d", got.Message, got.File, got.Line, tt.message, tt.file, tt.line)
				}
			})
		}
	})
}

func TestATrialServesNobodyAndLeavesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "tried", withRoutes(`if (!opts.key) throw new Error('key is missing')`))
	if failed, err := f.Try(t.Context(), in, false); err != nil || !failed.IsZero() {
		t.Errorf("loading alone: %+v, %v", failed, err)
	}
	failed, err := f.Try(t.Context(), in, true)
	if err != nil || failed.Message != "Error: key is missing" || failed.Line != 2 {
		t.Errorf("registering: %+v, %v", failed, err)
	}
	if st := f.RuntimeStatus(in.Instance.ID); st.State != plugin.StateIdle || !st.LastError.IsZero() {
		t.Errorf("status %+v: a trial is nothing that the instance does", st)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.processes) > 0 {
		t.Errorf("%d processes are left", len(f.processes))
	}
}

func TestWithoutNodeNoPluginIsToBlame(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.machine.NodePath = "no-such-node-anywhere" })
	in := f.install(t, "untried", withRoutes(""))
	if failed, err := f.Try(t.Context(), in, true); err == nil || !failed.IsZero() {
		t.Errorf("got %+v, %v; want an error and no failure", failed, err)
	}
}

func TestAPluginHasItsWholeTimeToStart(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{plugin.IsolationInstance, plugin.IsolationShared} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(c *options) { c.StartTimeout = time.Second })
			in := f.install(t, "patient", withRoutes("await new Promise((done) => setTimeout(done, 6000))"))
			in.Package.Settings.StartTimeoutMs, in.Package.Settings.Isolation = 120_000, isolation
			if err := f.Prepare(t.Context(), in); err != nil {
				t.Errorf("6 s of 120 s: %v", err)
			}
		})
	}
}
