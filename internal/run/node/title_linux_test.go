package node

import (
	"fmt"
	"os"
	"testing"

	"stoa/internal/testkit/nodetest"
)

// TestAPluginCannotPassForAnotherProgram: ps shows the command line and the name of a process.
func TestAPluginCannotPassForAnotherProgram(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		f := contained(t, newFixture(t, onNode(path)))
		in := f.install(t, "postgres", withRoutes(`app.get('/api/disguise', async () => {
		  const title = 'postgres: checkpointer'
		  const failed = []
		  for (const go of [
		    () => { process.title = title },
		    () => Reflect.set(process, 'title', title),
		    () => Object.assign(process, { title }),
		    () => Object.getOwnPropertyDescriptor(process, 'title').set?.call(process, title),
		    () => Object.defineProperty(process, 'title', { value: title }),
		    () => { delete process.title; process.title = title },
		    () => { require('node:process').title = title }
		  ]) try { go() } catch (err) { failed.push(err.message) }
		  return failed
		})`))
		f.get(t, in, "/health")
		before := shown(t, f.Status(in.Instance.ID).PID)
		f.get(t, in, "/api/disguise")
		if after := shown(t, f.Status(in.Instance.ID).PID); after != before {
			t.Errorf("ps shows %q, before %q", after, before)
		}
	})
}

func shown(tb testing.TB, pid int) string {
	tb.Helper()
	text := ""
	for _, name := range []string{"comm", "cmdline"} {
		part, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
		if err != nil {
			tb.Fatal(err)
		}
		text += string(part)
	}
	return text
}
