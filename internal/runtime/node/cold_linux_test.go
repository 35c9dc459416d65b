package node

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/runtime/sandbox"
)

// BenchmarkColdStart measures from the call to the first answer, contained and not.
// STOA_TEST_NODE chooses the Node.js.
func BenchmarkColdStart(b *testing.B) {
	for _, level := range []struct {
		name    string
		without []sandbox.Part
	}{{"contained", nil}, {"flags-only", []sandbox.Part{sandbox.Namespaces, sandbox.Landlock, sandbox.Seccomp}}} {
		b.Run(level.name, func(b *testing.B) {
			f := newFixture(b, without(level.without...), reachesPlatform(b, "http://127.0.0.1:8080"))
			in, other := f.install(b, "cold", withRoutes("")), f.install(b, "other", withRoutes(""))
			f.get(b, in, "/health")
			f.get(b, other, "/health") // what processes share is counted for none of them
			for range 1000 {           // with the code cache
				if _, err := os.Stat(f.host.files.cache); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			var all []time.Duration
			var computed time.Duration
			for b.Loop() {
				pid := f.Status(in.Instance.ID).PID
				f.Stop(in.Instance.ID)
				gone(b, pid)
				begun := time.Now()
				f.get(b, in, "/health")
				all = append(all, time.Since(begun))
				used, _ := processorTime(f.Status(in.Instance.ID).PID)
				computed += used
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms/median")
			b.ReportMetric(float64(computed.Milliseconds())/float64(len(all)), "ms-cpu/start")
			b.ReportMetric(ownMemory(b, f.Status(in.Instance.ID).PID), "MiB/own")
		})
	}
}

// ownMemory returns what a process has for itself, in MiB.
func ownMemory(tb testing.TB, pid int) float64 {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		tb.Skip(err)
	}
	kib := 0
	for line := range strings.Lines(string(text)) {
		var n int
		if strings.HasPrefix(line, "Private_") {
			if _, err := fmt.Sscanf(strings.SplitN(line, ":", 2)[1], "%d", &n); err == nil {
				kib += n
			}
		}
	}
	return float64(kib) / 1024
}

// Another idle installation in a shared process takes at most 1 MiB.
func TestAnotherSharedInstallationTakesLittleMemory(t *testing.T) {
	t.Parallel()
	const more = 50
	eachNode(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path))
		names := make([]string, more+10)
		for i := range names {
			names[i] = fmt.Sprintf("n%d", i)
		}
		all := f.sharers(t, names...)
		for _, in := range all[:10] { // what comes with the first ones is the process's
			f.get(t, in, "/health")
		}
		pid := f.Status(all[0].Instance.ID).PID
		before := ownMemory(t, pid)
		begun := time.Now()
		for _, in := range all[10:] {
			f.get(t, in, "/health")
		}
		took := time.Since(begun) / more
		each := (ownMemory(t, pid) - before) / more
		t.Logf("%.2f MiB and %s each; %.1f MiB with ten", each, took, before)
		if each > 1 {
			t.Errorf("another installation takes %.2f MiB, want at most 1", each)
		}
	})
}
