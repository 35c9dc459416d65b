package node

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/sandbox"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

// starter starts a plugin again and again, at one level of containment.
type starter struct {
	f    *fixture
	in   plugin.Installed
	took []time.Duration // from the call to the first answer
}

// starters returns one that is contained and one with Node's flags alone.
func starters(tb testing.TB) (contained, flags *starter) {
	tb.Helper()
	all := [2]*starter{}
	for i, parts := range [][]sandbox.Part{nil, {sandbox.Namespaces, sandbox.Landlock, sandbox.Seccomp}} {
		s := &starter{f: newFixture(tb, without(parts...), reachesPlatform(tb, "http://127.0.0.1:8080"), quietly)}
		s.in = s.f.install(tb, "cold", withRoutes(""))
		s.f.get(tb, s.in, "/health")
		// What processes share is counted for none of them.
		s.f.get(tb, s.f.install(tb, "other", withRoutes("")), "/health")
		waittest.True(tb, "the code cache", func() bool {
			_, err := os.Stat(s.f.host.files.cache)
			return err == nil
		})
		all[i] = s
	}
	return all[0], all[1]
}

func (s *starter) start(tb testing.TB) {
	tb.Helper()
	pid := s.f.Status(s.in.Instance.ID).PID
	s.f.Stop(s.in.Instance.ID)
	proctest.Gone(tb, pid)
	begin := time.Now()
	s.f.get(tb, s.in, "/health")
	s.took = append(s.took, time.Since(begin))
}

// BenchmarkColdStart measures from the call to the first answer, contained and with
// Node's flags alone in turn, so that what else the machine does slows both. Containment
// is to add at most 30 ms to the quickest start; ms-best/added says what it adds.
// STOA_TEST_NODE chooses the Node.js.
func BenchmarkColdStart(b *testing.B) {
	contained, flags := starters(b)
	for b.Loop() {
		contained.start(b)
		flags.start(b)
	}
	for name, s := range map[string]*starter{"contained": contained, "flags": flags} {
		b.ReportMetric(inMillis(slices.Min(s.took)), "ms-best/"+name)
		b.ReportMetric(inMillis(percentile(s.took, 50)), "ms-median/"+name)
	}
	b.ReportMetric(inMillis(slices.Min(contained.took)-slices.Min(flags.took)), "ms-best/added")
	b.ReportMetric(ownMemory(b, contained.f.Status(contained.in.Instance.ID).PID), "MiB/own")
}

// BenchmarkStartInSharedProcess measures from the call to the first answer of another
// instance in a process that runs.
func BenchmarkStartInSharedProcess(b *testing.B) {
	f := newFixture(b, quietly)
	all := f.sharers(b, "first", "another")
	f.get(b, all[0], "/health")
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		f.get(b, all[1], "/health")
		took = append(took, time.Since(begin))
		p := f.installation(all[1].Instance.ID).peek()
		f.Stop(all[1].Instance.ID)
		<-p.done
	}
	b.ReportMetric(inMillis(slices.Min(took)), "ms-best")
	b.ReportMetric(inMillis(percentile(took, 50)), "ms-median")
}

// percentile returns the duration that share percent of all stay below or reach.
func percentile(all []time.Duration, share int) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)*share-1)/100]
}

func inMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quietly(c *options) { c.Log = slog.New(slog.DiscardHandler) }

// ownMemory returns what a process has for itself, in MiB. The pages of files that no
// other process has in memory at the time are among it.
func ownMemory(tb testing.TB, pid int) float64 {
	tb.Helper()
	return memoryOf(tb, pid, "Private_")
}

// memoryOf adds up the lines of smaps_rollup that begin so, in MiB.
func memoryOf(tb testing.TB, pid int, begin string) float64 {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		tb.Skip(err)
	}
	kib := 0
	for line := range strings.Lines(string(text)) {
		var n int
		if strings.HasPrefix(line, begin) {
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
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path), func(c *options) { c.Tidy = 100 * time.Millisecond })
		third := func(f *fixture) (last plugin.Installed) { // they share what the first one has brought
			for i := range 3 {
				last = f.install(t, fmt.Sprint("idle-", i), withRoutes(`app.get('/api/gc', async () => ({
				  own: typeof gc, other: require('vm').runInNewContext('typeof gc') }))`))
				f.get(t, last, "/health")
			}
			return last
		}
		last, untidy := third(f), newFixture(t, onNode(path), func(c *options) { c.Tidy = time.Hour })
		pid, before := f.Status(last.Instance.ID).PID, ownMemory(t, untidy.Status(third(untidy).Instance.ID).PID)
		waittest.True(t, "at most 20 MiB", func() bool { return ownMemory(t, pid) <= 20 })
		waittest.True(t, "a process that has tidied up", func() bool { return ownMemory(t, pid) < before-0.5 })
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
	nodetest.Each(t, func(t *testing.T, path string) {
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
		before := memoryOf(t, pid, "Private_Dirty")
		begin := time.Now()
		for _, in := range all[10:] {
			f.get(t, in, "/health")
		}
		took := time.Since(begin) / more
		var each float64
		waittest.Until(t, "at most 1 MiB for another installation", func() error { // once the garbage of all is collected
			if each = (memoryOf(t, pid, "Private_Dirty") - before) / more; each > 1 {
				return fmt.Errorf("it takes %.2f MiB", each)
			}
			return nil
		})
		t.Logf("%.2f MiB and %s each; %.1f MiB with ten", each, took, before)
	})
}

// BenchmarkCall measures a call to a running plugin: contained, with Node's flags
// alone, and as a member of a shared process, in turn.
func BenchmarkCall(b *testing.B) {
	contained, flags := starters(b)
	shared := &starter{f: newFixture(b, quietly)}
	shared.in = shared.f.install(b, "member", withRoutes(""))
	shared.in.Package.Settings.Isolation = plugin.IsolationShared
	all := map[string]*starter{"contained": contained, "flags": flags, "shared": shared}
	for b.Loop() {
		for _, s := range all {
			begin := time.Now()
			s.f.get(b, s.in, "/health")
			s.took = append(s.took, time.Since(begin))
		}
	}
	for name, s := range all {
		b.ReportMetric(float64(percentile(s.took, 50).Nanoseconds())/1000, "µs-median/"+name)
	}
}
