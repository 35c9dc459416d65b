package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit/logtest"
)

const devManifest = `{"schemaVersion":1,"slug":"hello","name":"Hello","version":"1.0.0","runtimeType":"internal-fastify","entryModule":"index.js",
	"configSchema":{"greeting":{"type":"string","required":true}}}`

// An author's loop: edit, look, read what failed and where.
func TestPluginDev(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	folder := filepath.Join(dir, "hello")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entry := func(word string) {
		write("index.js", "import { word } from './word.js'\nexport default async (app, opts) => {\n  app.get('/api/hi', async (req) => { req.log.info('asked'); return `${opts.greeting} `+ word })\n  app.get('/api/fail', async () => {\n    throw new Error('not today')\n  })\n}\n")
		write("word.js", "export const word = '"+word+"'\n")
	}
	write("manifest.json", devManifest)
	write("../config.json", `{"greeting":"good day"}`)
	entry("one")

	ctx, stop := context.WithCancel(t.Context())
	var out, errOut logtest.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"plugin", "dev", folder, "--addr=127.0.0.1:0", "--config", filepath.Join(dir, "config.json")}, nil, &out, &errOut)
	}()
	// printed waits until the n-th line that matches.
	printed := func(pattern string, n int) []string {
		t.Helper()
		re := regexp.MustCompile(pattern)
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if all := re.FindAllStringSubmatch(out.String(), -1); len(all) >= n {
				return all[n-1]
			}
			if time.Now().After(end) {
				t.Fatalf("nothing like %q was printed:\n%s\n%s", pattern, out.String(), errOut.String())
			}
		}
	}
	ready := `ready in \S+: (http://127.0.0.1:\d+/api/v1/shop/plugins/hello/api/)`
	base := printed(ready, 1)[1]
	get := func(path string) (int, string) {
		t.Helper()
		res, err := http.Get(base + path) //nolint:noctx,gosec // loopback
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}
	if status, body := get("hi"); status != 200 || body != "good day one" {
		t.Errorf("got %d %s", status, body)
	}
	printed(`info +asked`, 1)
	printed(`200 GET /api/v1/shop/plugins/hello/api/hi `, 1)

	begun := time.Now()
	fastest := time.Hour // the machine may be busy with other tests
	for _, word := range []string{"1", "2", "3", "4", "two"} {
		changed := time.Now()
		entry(word)
		for body := ""; body != "good day "+word; time.Sleep(5 * time.Millisecond) {
			if _, body = get("hi"); time.Since(changed) > 20*time.Second {
				t.Fatalf("after 20 s: %s", body)
			}
		}
		fastest = min(fastest, time.Since(changed))
	}
	t.Logf("reloaded after %s", fastest)
	if fastest >= time.Second {
		t.Errorf("a change is in effect after %s, want less than a second", fastest)
	}
	printed(`changed: .*word\.js`, 1)

	if status, body := get("fail"); status != 500 || !strings.Contains(body, "not today") {
		t.Errorf("an error: %d %s", status, body)
	}
	printed(`error index\.js:5: The plugin failed to answer a request\.\nError: not today\n.*`+regexp.QuoteMeta(folder)+`/index\.js:5:11`, 1)

	write("word.js", "export const word = 'three'\nexport const x = {{\n")
	printed(`failed: word\.js:2: SyntaxError: Unexpected token`, 1)
	entry("three")
	for body := ""; body != "good day three"; {
		if _, body = get("hi"); time.Since(begun) > 40*time.Second {
			t.Fatalf("not repaired: %s", body)
		}
	}
	write("../config.json", `{"greeting":"good night"}`)
	for body := ""; body != "good night three"; {
		if _, body = get("hi"); time.Since(begun) > 60*time.Second {
			t.Fatalf("the config was not read again: %s", body)
		}
	}
	write("../config.json", `{}`)
	printed(`failed: .*\n  config\.greeting: config\.greeting is required`, 1)
	write("manifest.json", strings.Replace(devManifest, `"required":true`, `"required":false`, 1))
	printed(`undefined three|`+ready, 1)
	write("manifest.json", `{"schemaVersion":1}`)
	printed(`failed: .*\n  slug: `, 1)

	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
}
