package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
)

// printing is a plugin that prints lines of pino in a loop, with a turn of its event loop between
// two writes.
const printing = `const fs = require('fs'), block = Buffer.from('{"level":30,"msg":"x"}\n'.repeat(2800))
  app.get('/api/print', async () => { process.stdout.write('x\n'); const more = () => { try { fs.writeSync(1, block) } catch {} setImmediate(more) }; more(); return {} })`

// TestAPluginThatPrintsWithoutEndIsCountedAndRunsOn: what its log does not take is dropped and
// counted, and nothing waits for good.
func TestAPluginThatPrintsWithoutEndIsCountedAndRunsOn(t *testing.T) {
	needtest.Long(t, "it prints for seconds as fast as it can")
	t.Parallel()
	for _, isolation := range []string{plugin.IsolationInstance, plugin.IsolationShared} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			log := new(logtest.Buffer)
			f := newFixture(t, func(c *options) { c.Log = log.Logger() })
			in := f.install(t, "loud", withRoutes(printing+"\napp.get('/api/x', async () => 'x')"))
			in.Package.Settings.Isolation = isolation
			f.get(t, in, "/api/print")
			waittest.True(t, "the log says so", func() bool { return strings.Contains(log.String(), tooMuch) })
			before := f.DroppedLines()["loud"]
			waittest.True(t, "more lines are counted", func() bool { return f.DroppedLines()["loud"] > before })
			f.get(t, in, "/api/x")
			if st := f.Status(in.Instance.ID); st.State != Running || st.Restarts != 0 {
				t.Errorf("status %+v", st)
			}
		})
	}
}

// BenchmarkCallBesidePrintingPlugins measures calls of one plugin while others print without end,
// and how much of a processor that costs stoa.
func BenchmarkCallBesidePrintingPlugins(b *testing.B) {
	for _, printers := range []int{0, 1, 6} {
		b.Run(fmt.Sprint(printers), func(b *testing.B) {
			f := newFixture(b, quietly)
			neighbor := f.install(b, "neighbor", withRoutes(`app.get('/api/x', async () => ({ x: 1 }))`))
			f.get(b, neighbor, "/api/x")
			for i := range printers {
				f.get(b, f.install(b, fmt.Sprint("printer-", i), withRoutes(printing)), "/api/print")
			}
			var took []time.Duration
			begin, spent := time.Now(), processorTimeOfSelf(b)
			for b.Loop() {
				at := time.Now()
				f.get(b, neighbor, "/api/x")
				took = append(took, time.Since(at))
				time.Sleep(5 * time.Millisecond)
			}
			share := float64(processorTimeOfSelf(b)-spent) / float64(time.Since(begin))
			b.ReportMetric(100*share, "%-of-a-processor")
			b.ReportMetric(inMillis(percentile(took, 50)), "ms-p50")
			b.ReportMetric(inMillis(percentile(took, 99)), "ms-p99")
		})
	}
}

func processorTimeOfSelf(tb testing.TB) time.Duration {
	tb.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkCallBesideACallingPlugin is the same beside a plugin that calls the platform without end.
func BenchmarkCallBesideACallingPlugin(b *testing.B) {
	f := newFixture(b, quietly, reachesPlatform(b, "http://127.0.0.1:8080"))
	neighbor := f.install(b, "neighbor", withRoutes(`app.get('/api/x', async () => ({ x: 1 }))`))
	f.get(b, neighbor, "/api/x")
	caller := f.install(b, "caller", withRoutes(`const block = Buffer.from('GET /x HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n'.repeat(1000))
	  const call = () => { const s = require('net').connect(8080, '127.0.0.1').on('error', () => {}).resume()
	    const more = () => { while (s.write(block)); s.once('drain', more) }; more() }
	  app.get('/api/call', async () => { for (let i = 0; i < 8; i++) call(); return {} })`))
	f.get(b, caller, "/api/call")
	var took []time.Duration
	begin, spent := time.Now(), processorTimeOfSelf(b)
	for b.Loop() {
		at := time.Now()
		f.get(b, neighbor, "/api/x")
		took = append(took, time.Since(at))
		time.Sleep(5 * time.Millisecond)
	}
	b.ReportMetric(100*float64(processorTimeOfSelf(b)-spent)/float64(time.Since(begin)), "%-of-a-processor")
	b.ReportMetric(inMillis(percentile(took, 50)), "ms-p50")
}
