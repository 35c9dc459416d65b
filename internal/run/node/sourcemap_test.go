package node

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/waittest"
)

// authored are an author's files; its errors are in rates.ts.
var authored = files{
	"src/index.ts": `import { rate, type Zone } from './lib/rates'
export default async function (app: any, options: { broken?: boolean }) {
  if (options.broken) rate('nowhere')
  app.get('/api/rate', async () => rate('nowhere' as Zone))
}
export const lifecycle = { onEnable() { rate('nowhere') } }
`,
	"src/lib/rates.ts": `// a comment
export type Zone = 'eu' | 'nowhere'

interface Rates { [zone: string]: number }

const rates: Rates = { eu: 5 }

export function rate(zone: Zone): number {
  const found = rates[zone]
  if (found === undefined) throw new Error('no such zone')
  return found
}
`,
}

// bundled returns the package that esbuild makes of authored, with the entry module at out.
func bundled(tb testing.TB, out string, kind api.SourceMap) files {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range authored {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			tb.Fatal(err)
		}
	}
	res := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(dir, "src", "index.ts")}, Outfile: filepath.Join(dir, "dist", "index.js"),
		Bundle: true, Platform: api.PlatformNode, Format: api.FormatCommonJS, Sourcemap: kind, MinifyWhitespace: true,
		Banner: map[string]string{"js": "'use strict';" + strings.Repeat("\n", 300)},
	})
	if len(res.Errors) > 0 {
		tb.Fatal(res.Errors)
	}
	all := files{}
	for _, f := range res.OutputFiles {
		all[filepath.Join(filepath.Dir(out), filepath.Base(f.Path))] = string(f.Contents)
	}
	return all
}

// Errors of bundles with a source map name the author's files: in the log of a call and of a hook, in why
// the plugin does not start, and in the stack.
func TestBundlesShowPositionsInTheAuthorsFiles(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		for name, tt := range map[string]struct {
			out  string
			kind api.SourceMap
			file string
		}{
			"inline, in a folder":    {"dist/index.js", api.SourceMapInline, "src/lib/rates.ts"},
			"linked, in a folder":    {"dist/index.js", api.SourceMapLinked, "src/lib/rates.ts"},
			"inline, packaged alone": {"index.js", api.SourceMapInline, "../src/lib/rates.ts"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				log := new(logtest.Buffer)
				f := newFixture(t, onNode(path), func(c *options) { c.Log = log.Logger() })
				in := f.install(t, "bundled", bundled(t, tt.out, tt.kind))
				in.Package.Manifest.EntryModule = tt.out
				if status, body, err := f.do(t, in, http.MethodGet, "/api/rate", ""); status != 500 || err != nil {
					t.Fatalf("%d %s, %v", status, body, err)
				}
				if status, _ := f.tell(t, in, &in, "onEnable", `{}`); status != 500 {
					t.Errorf("the hook: %d", status)
				}
				in.Instance.Config = []byte(`{"broken":true}`)
				in.Instance.Version++
				_, _, _ = f.do(t, in, http.MethodGet, "/api/rate", "")
				st := f.Status(in.Instance.ID)
				if st.Failure.File != tt.file || st.Failure.Line != 10 || !strings.Contains(st.LastError, tt.file+":10:") {
					t.Errorf("lastError is %s:%d in %s, want %s:10", st.Failure.File, st.Failure.Line, st.LastError, tt.file)
				}
				var text string
				waittest.Until(t, "the log to name the line twice", func() error {
					text = log.String()
					if got := strings.Count(text, "file="+tt.file+" line=10"); got < 2 {
						return fmt.Errorf("the log names %s:10 %d times, want twice:\n%s", tt.file, got, text)
					}
					return nil
				})
				if !strings.Contains(text, tt.file+":10:") {
					t.Errorf("no stack names %s:10:\n%s", tt.file, text)
				}
			})
		}
	})
}
