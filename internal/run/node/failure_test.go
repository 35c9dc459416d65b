package node

import (
	"errors"
	"testing"
	"time"
)

func TestDelaysGrowAndEnd(t *testing.T) {
	t.Parallel()
	now := time.Now()
	crash, load := errors.New("exit status 1"), &startError{reasonLoadFailed, errors.New("no")}
	var f failures
	for i := range 8 {
		f.add(crash, now)
		if got, want := f.until.Sub(now), crashDelays[min(i, len(crashDelays)-1)]; got != want {
			t.Errorf("crash %d: delay %s, want %s", i+1, got, want)
		}
	}
	later := now.Add(crashWindow)
	f.add(crash, later)
	if f.count != 1 || !f.until.Equal(later) {
		t.Errorf("a crash an hour later: count %d, delay %s", f.count, f.until.Sub(later))
	}
	for i, delay := range crashDelays[:3] {
		if delay != 0 {
			t.Errorf("crash %d of an hour delays the restart", i+1)
		}
	}
	f = failures{}
	for i := range 6 {
		f.add(load, now)
		if got, want := f.until.Sub(now), loadDelays[min(i, len(loadDelays)-1)]; got != want {
			t.Errorf("load failure %d: delay %s, want %s", i+1, got, want)
		}
	}
}
