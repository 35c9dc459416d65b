package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// devTold is the manifest of a plugin that wants to be told everything, in a version.
const devTold = `{"schemaVersion":1,"slug":"hello","name":"Hello","version":"%s","runtimeType":"internal-fastify","entryModule":"index.js",
	"permissions":["events:subscribe","storage:read","storage:write"],"events":{"subscribe":["order.*"],"path":"/events"},
	"lifecycle":{"onInstall":true,"onEnable":true,"onDisable":true,"onUninstall":true,"onUpgrade":true}}`

// devListener counts the orders that it was told of in its storage, and prints what hooks find there.
const devListener = `
const hook = async (hook, { platform }) => {
  %s
  console.log(hook.name, 'from', hook.previousVersion, 'with', await platform.storage.getJSON('orders'))
}
module.exports = async (app, { stoa }) => {
  app.post('/events', async (request) => {
    await stoa.platform().storage.update('orders', (n = 0) => n + 1)
    return { type: request.body.type }
  })
}
module.exports.lifecycle = { onInstall: hook, onEnable: hook, onDisable: hook, onUninstall: hook, onUpgrade: hook }`

// startTold starts a loop with arguments, and returns what types into it.
func startTold(t *testing.T, d *dev, args ...string) (typed io.Writer) {
	t.Helper()
	d.ended = make(chan int, 1)
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	in, typed := io.Pipe()
	t.Cleanup(func() { _ = in.Close() })
	args = append([]string{"plugin", "dev", d.folder, "--addr=127.0.0.1:0"}, args...)
	go func() { d.ended <- streams{in: in, out: &d.out, err: &d.errOut, start: patience}.run(ctx, args) }()
	return typed
}

// The author sees hooks and events as stoa serve delivers them: of the version before, of the upgrade, and
// what he types.
func TestPluginDevDeliversHooksAndEvents(t *testing.T) {
	t.Parallel()

	before := &dev{folder: filepath.Join(t.TempDir(), "before")}
	before.write(t, "manifest.json", fmt.Sprintf(devTold, "1.0.0"))
	before.write(t, "index.js", fmt.Sprintf(devListener, ""))
	d := &dev{folder: filepath.Join(t.TempDir(), "hello")}
	d.write(t, "manifest.json", fmt.Sprintf(devTold, "2.0.0"))
	d.write(t, "index.js", fmt.Sprintf(devListener, "if (hook.name === 'onUpgrade') throw new Error('not yet')"))
	typed := startTold(t, d, "--event=order.paid", "--upgrade-from="+before.folder)

	d.printed(t, `event order\.paid \{"userId":"\w{24}","orderId":"\w{24}"`)
	d.printed(t, `onEnable from undefined with null`) // over a pipe: before the line of its delivery, or after
	d.printed(t, `(?s)204 hook onEnable .*200 event order\.paid .*upgrade to the version in`)
	d.printed(t, `failed: hook onUpgrade, attempt 1: Error: not yet; again after a change, or in `)
	d.write(t, "index.js", fmt.Sprintf(devListener, ""))
	d.printed(t, `onUpgrade from 1\.0\.0 with 1\n`)
	d.printed(t, `204 hook onUpgrade `)

	for _, step := range []struct{ line, printed string }{
		{`event order.refunded {"orderId":"mine"}`, `event order\.refunded \{"orderId":"mine"\}`},
		{"", `200 event order\.refunded `},
		{"event order.bought", `failed: "order\.bought" is no type of event: stoa's own are user\.registered, `},
		{"disable", `204 hook onDisable `},
		{"uninstall", `onUninstall from undefined with [3-9]`},
		{"", `204 hook onUninstall `},
		{"restore", `(?s)onInstall.*onInstall from`},
		{"dance", `failed: "dance" is no command; there are: event TYPE`},
	} {
		if _, err := io.WriteString(typed, step.line+"\n"); err != nil {
			t.Fatal(err)
		}
		d.printed(t, step.printed)
	}
	d.stop()
	if code := <-d.ended; code != exitOK {
		t.Errorf("exit code %d: %s", code, d.errOut.String())
	}
}

func TestPluginDevRefusesUnknownEvents(t *testing.T) {
	t.Parallel()

	d := &dev{folder: t.TempDir()}
	startTold(t, d, "--event=order.payed")
	if code := <-d.ended; code == exitOK || !strings.Contains(d.errOut.String(), `--event: "order.payed" is no type of event`) {
		t.Errorf("exit code %d: %s", code, d.errOut.String())
	}
}

// Errors of a bundle with a source map are shown in the files that the author wrote.
func TestPluginDevShowsTheAuthorsFiles(t *testing.T) {
	t.Parallel()

	d := &dev{folder: filepath.Join(t.TempDir(), "hello")}
	d.write(t, "manifest.json", strings.NewReplacer("%s", "1.0.0", `"index.js"`, `"dist/index.js"`).Replace(devTold))
	d.write(t, "src.ts", "\n\nexport default async (app: any) => {\n  app.get('/api/fail', async () => { throw new Error('typed') })\n}\n")
	res := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(d.folder, "src.ts")}, Outfile: filepath.Join(d.folder, "dist", "index.js"),
		Bundle: true, Platform: api.PlatformNode, Format: api.FormatCommonJS, Sourcemap: api.SourceMapInline, Write: true,
		MinifyWhitespace: true,
	})
	if len(res.Errors) > 0 {
		t.Fatal(res.Errors)
	}
	startTold(t, d)
	d.base = d.printed(t, devReady)[1]
	d.get(t, "fail")
	d.printed(t, `error src\.ts:4: The plugin failed to answer a request\.\nError: typed\n.*`+d.folder+`/src\.ts:4:`)
	d.stop()
	<-d.ended
}
