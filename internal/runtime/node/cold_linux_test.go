package node

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/plugin"
	"stoa/internal/runtime/sandbox"
)

// BenchmarkColdStart measures from the call to the first answer, contained and with
// Node's flags alone in turn, so that what else the machine does slows both.
// STOA_TEST_NODE chooses the Node.js.
func BenchmarkColdStart(b *testing.B) {
	levels := []struct {
		name    string
		without []sandbox.Part
		f       *fixture
		in      plugin.Installed
		all     []time.Duration
	}{{name: "contained"}, {name: "flags", without: []sandbox.Part{sandbox.Namespaces, sandbox.Landlock, sandbox.Seccomp}}}
	for i := range levels {
		l := &levels[i]
		l.f = newFixture(b, without(l.without...), reachesPlatform(b, "http://127.0.0.1:8080"), quietly)
		l.in = l.f.install(b, "cold", withRoutes(""))
		l.f.get(b, l.in, "/health")
		l.f.get(b, l.f.install(b, "other", withRoutes("")), "/health") // what processes share is counted for none of them
		for range 1000 {                                               // with the code cache
			if _, err := os.Stat(l.f.host.files.cache); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	for b.Loop() {
		for i := range levels {
			l := &levels[i]
			pid := l.f.Status(l.in.Instance.ID).PID
			l.f.Stop(l.in.Instance.ID)
			gone(b, pid)
			begun := time.Now()
			l.f.get(b, l.in, "/health")
			l.all = append(l.all, time.Since(begun))
		}
	}
	for _, l := range levels {
		slices.Sort(l.all)
		b.ReportMetric(inMillis(l.all[0]), "ms-best/"+l.name)
		b.ReportMetric(inMillis(l.all[len(l.all)/2]), "ms-median/"+l.name)
	}
	b.ReportMetric(ownMemory(b, levels[0].f.Status(levels[0].in.Instance.ID).PID), "MiB/own")
}

// BenchmarkStartInSharedProcess measures from the call to the first answer of another
// instance in a process that runs.
func BenchmarkStartInSharedProcess(b *testing.B) {
	f := newFixture(b, quietly)
	all := f.sharers(b, "first", "another")
	f.get(b, all[0], "/health")
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		f.get(b, all[1], "/health")
		took = append(took, time.Since(begun))
		p := f.installation(all[1].Instance.ID).peek()
		f.Stop(all[1].Instance.ID)
		<-p.done
	}
	slices.Sort(took)
	b.ReportMetric(inMillis(took[0]), "ms-best")
	b.ReportMetric(inMillis(took[len(took)/2]), "ms-median")
}

func inMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quietly(c *Config) { c.Log = slog.New(slog.DiscardHandler) }

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

// Another idle installation with a process of its own takes at most 20 MiB.
func TestAnotherInstallationTakesLittleMemory(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path), func(c *Config) { c.Tidy = 100 * time.Millisecond })
		var last plugin.Installed
		for i := range 3 { // they share what the first one has brought
			last = f.install(t, fmt.Sprint("idle-", i), withRoutes(`app.get('/api/gc', async () => ({
			  own: typeof gc, other: require('vm').runInNewContext('typeof gc') }))`))
			f.get(t, last, "/health")
		}
		pid, before := f.Status(last.Instance.ID).PID, ownMemory(t, f.Status(last.Instance.ID).PID)
		eventually(t, "at most 20 MiB", func() bool { return ownMemory(t, pid) <= 20 })
		eventually(t, "a process that has tidied up", func() bool { return ownMemory(t, pid) < before-0.5 })
		t.Logf("%.1f MiB, %.1f after a while", before, ownMemory(t, pid))
		if got := f.get(t, last, "/api/gc"); got != `{"own":"undefined","other":"undefined"}` {
			t.Errorf("the plugin sees %s", got)
		}
	})
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
