package child

import (
	"log/slog"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/proctest"
)

// play lets a throttle look at a process, once for each share of a processor that the
// process has used since the look before, and returns what it found each time.
func play(th *throttle, pid int, log *slog.Logger, every time.Duration, shares ...float64) []bool {
	now := time.Unix(1, 0)
	spent := time.Duration(0)
	th.look(pid, spent, now, log)
	found := make([]bool, len(shares))
	for i, share := range shares {
		now, spent = now.Add(every), spent+time.Duration(share*float64(every))
		th.look(pid, spent, now, log)
		found[i] = th.confined
	}
	return found
}

func TestOnlyComputingWithoutPauseConfines(t *testing.T) {
	t.Parallel()
	const nobody = 1 << 30 // no process has that id
	for _, tt := range []struct {
		name   string
		shares []float64
		want   string // after each look: confined or not
	}{
		{"idle", []float64{0, 0, 0, 0, 0}, "....."},
		{"busy, but with pauses", []float64{0.8, 0.8, 0.8, 0.8, 0.8}, "....."},
		{"a burst", []float64{4, 4, 0, 4, 4, 0}, "......"},
		{"without pause", []float64{0.81, 0.81, 0.81, 0.81}, "..xx"},
		{"in several threads", []float64{4, 4, 4, 4}, "..xx"},
		{"and a breath", []float64{1, 1, 1, 0, 0, 1, 0, 0, 1}, "..xxxxxxx"},
		{"until it stops", []float64{1, 1, 1, 0, 0, 0, 0}, "..xxx.."},
		{"and again", []float64{1, 1, 1, 0, 0, 0, 1, 1, 1}, "..xxx...x"},
	} {
		for _, every := range []time.Duration{time.Millisecond, time.Second, time.Minute} { // looks may come late
			got := ""
			for _, confined := range play(&throttle{}, nobody, slog.New(slog.DiscardHandler), every, tt.shares...) {
				got += map[bool]string{false: ".", true: "x"}[confined]
			}
			if got != tt.want {
				t.Errorf("%s, a look every %s: got %s, want %s", tt.name, every, got, tt.want)
			}
		}
	}
}

func TestWithOneProcessorNothingIsConfined(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	all, last := proctest.Processors(t)
	log := new(logtest.Buffer)
	runtime.LockOSThread() // for good: the thread ends with this goroutine
	if err := unix.SchedSetaffinity(0, &last); err != nil {
		t.Fatal(err)
	}
	play(&throttle{}, cmd.Process.Pid, log.Logger(), time.Second, 1, 1, 1, 1, 0, 0, 0, 0)
	if !proctest.MayUse(t, cmd.Process.Pid, all) || log.String() != "" {
		t.Errorf("threads %v, the log: %s", proctest.Threads(t, cmd.Process.Pid), log)
	}
}
