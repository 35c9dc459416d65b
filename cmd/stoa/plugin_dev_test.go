package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	runtimes "stoa/internal/run"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

const devManifest = `{"schemaVersion":1,"slug":"hello","name":"Hello","version":"1.0.0","runtimeType":"internal-fastify","entryModule":"index.js",
	"configSchema":{"greeting":{"type":"string","required":true}}}`

// An author's loop: edit, look, read what failed and where.
func TestPluginDev(t *testing.T) {
	t.Parallel()

	d := startDev(t)
	if status, body := d.get(t, "hi"); status != 200 || body != "good day one" {
		t.Errorf("got %d %s", status, body)
	}
	d.printed(t, `info +asked`)
	d.printed(t, `200 GET /api/v1/shop/plugins/hello/api/hi `)

	d.writeEntry(t, "two")
	d.answers(t, "good day two")
	d.printed(t, `changed: .*word\.js`)

	if status, body := d.get(t, "fail"); status != 500 || !strings.Contains(body, "not today") {
		t.Errorf("an error: %d %s", status, body)
	}
	d.printed(t, `error index\.js:5: The plugin failed to answer a request\.\nError: not today\n.*`+
		regexp.QuoteMeta(d.folder)+`/index\.js:5:11`)

	d.write(t, "word.js", "export const word = 'three'\nexport const x = {{\n")
	d.printed(t, `failed: word\.js:2: SyntaxError: Unexpected token`)
	d.writeEntry(t, "three")
	d.answers(t, "good day three")
	d.write(t, "../config.json", `{"greeting":"good night"}`)
	d.answers(t, "good night three")
	d.write(t, "../config.json", `{}`)
	d.printed(t, `failed: .*\n  config\.greeting: config\.greeting is required`)
	d.write(t, "manifest.json", strings.Replace(devManifest, `"required":true`, `"required":false`, 1))
	d.printed(t, `undefined three|`+devReady)
	d.write(t, "manifest.json", `{"schemaVersion":1}`)
	d.printed(t, `failed: .*\n  slug: `)

	d.stop()
	if code := <-d.ended; code != exitOK {
		t.Errorf("exit code %d: %s", code, d.errOut.String())
	}
}

// BenchmarkPluginDev measures from a change to the first answer of the changed plugin. The
// target is a second.
func BenchmarkPluginDev(b *testing.B) {
	d := startDev(b)
	for n := 0; b.Loop(); n++ {
		word := fmt.Sprint("word", n)
		d.writeEntry(b, word)
		d.answers(b, "good day "+word)
	}
	d.stop()
	<-d.ended
}

// The data of one that was killed goes with the next start.
func TestPluginDevSweepsAfterOneThatWasKilled(t *testing.T) {
	t.Parallel()

	temp := t.TempDir()
	d := &dev{folder: filepath.Join(t.TempDir(), "hello")}
	d.write(t, "manifest.json", strings.Replace(devManifest, `"required":true`, `"required":false`, 1))
	d.writeEntry(t, "one")
	begin := func() (cmd *exec.Cmd, data []string) {
		t.Helper()
		d.out = logtest.Buffer{}
		cmd = exec.CommandContext(t.Context(), "stoa", "plugin", "dev", d.folder, "--addr=127.0.0.1:0")
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		cmd.Stdout = &d.out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		d.printed(t, devReady)
		data, err := filepath.Glob(filepath.Join(temp, "stoa-dev-*"))
		if err != nil || len(data) != 1 {
			t.Errorf("data folders %v, %v; want one", data, err)
		}
		return cmd, data
	}
	killed, left := begin()
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	next, data := begin()
	if len(left) > 0 && len(data) > 0 && left[0] == data[0] {
		t.Error("the data of the killed one is still in use")
	}
	if err := next.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = next.Wait()
	if all, err := filepath.Glob(filepath.Join(temp, "*stoa-dev-*")); err != nil || len(all) > 0 {
		t.Errorf("after the end: %v, %v", all, err)
	}
}

// dev is a running stoa plugin dev.
type dev struct {
	folder, base string
	out, errOut  logtest.Buffer
	stop         context.CancelFunc
	ended        chan int
}

const devReady = `ready in \S+: (http://127.0.0.1:\d+/api/v1/shop/plugins/hello/api/)`

func startDev(tb testing.TB) *dev {
	tb.Helper()
	dir := tb.TempDir()
	d := &dev{folder: filepath.Join(dir, "hello"), ended: make(chan int, 1)}
	d.write(tb, "manifest.json", devManifest)
	d.write(tb, "../config.json", `{"greeting":"good day"}`)
	d.writeEntry(tb, "one")
	ctx, stop := context.WithCancel(tb.Context())
	d.stop = stop
	args := []string{"plugin", "dev", d.folder, "--addr=127.0.0.1:0", "--config", filepath.Join(dir, "config.json")}
	go func() { d.ended <- streams{out: &d.out, err: &d.errOut, start: patience}.run(ctx, args) }()
	d.base = d.printed(tb, devReady)[1]
	return d
}

func (d *dev) write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(d.folder, 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.folder, name), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func (d *dev) writeEntry(tb testing.TB, word string) {
	tb.Helper()
	d.write(tb, "index.js", `import { word } from './word.js'
export default async (app, opts) => {
  app.get('/api/hi', async (req) => { req.log.info('asked'); return opts.greeting + ' ' + word })
  app.get('/api/fail', async () => {
    throw new Error('not today')
  })
}
`)
	d.write(tb, "word.js", "export const word = '"+word+"'\n")
}

func (d *dev) get(tb testing.TB, path string) (int, string) {
	tb.Helper()
	res, err := http.Get(d.base + path)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(body)
}

// answers waits until the plugin answers body.
func (d *dev) answers(tb testing.TB, body string) {
	tb.Helper()
	waittest.Until(tb, "the answer "+body, func() error {
		if _, got := d.get(tb, "hi"); got != body {
			return errors.New(got)
		}
		return nil
	})
}

// printed waits until something that matches is printed.
func (d *dev) printed(tb testing.TB, pattern string) []string {
	tb.Helper()
	re := regexp.MustCompile(pattern)
	var found []string
	waittest.Until(tb, "something like "+pattern+" to be printed", func() error {
		if found = re.FindStringSubmatch(d.out.String()); found == nil {
			return fmt.Errorf("\n%s\n%s", d.out.String(), d.errOut.String())
		}
		return nil
	})
	return found
}

// A plugin may take longer to start than a call waits; what else is wrong is said at once.
func TestPluginDevWaitsForAStartThatTakesLong(t *testing.T) {
	t.Parallel()

	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		asked := 0
		err := untilStarted(t.Context(), func() error {
			if asked++; asked < 3 {
				return runtimes.ErrStarting.After(1)
			}
			return want
		})
		if !errors.Is(err, want) || asked != 3 {
			t.Errorf("%v after %d times, want %v after 3", err, asked, want)
		}
	}
}
