package relay

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWatchCountsOnlyTheTimeItRuns(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name string
		run  func(w *watch)
		want bool // expired
	}{
		{"left alone", func(*watch) { time.Sleep(30 * time.Second) }, true},
		{"stopped in time", func(w *watch) { time.Sleep(29 * time.Second); w.stop(); time.Sleep(time.Hour) }, false},
		{"paused", func(w *watch) { w.pause(); time.Sleep(time.Hour) }, false},
		{"resumed", func(w *watch) { w.pause(); time.Sleep(time.Hour); w.resume(); time.Sleep(29 * time.Second) }, false},
		{"resumed and left alone", func(w *watch) { w.pause(); w.resume(); time.Sleep(30 * time.Second) }, true},
		{"resumed after it was stopped", func(w *watch) { w.stop(); w.resume(); time.Sleep(time.Hour) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				expired := false
				w := newWatch(30*time.Second, func() { expired = true })
				defer w.stop()
				tt.run(w)
				synctest.Wait()
				if expired != tt.want {
					t.Errorf("expired = %v, want %v", expired, tt.want)
				}
			})
		})
	}
}

// A timer cannot be stopped once it has started its function.
func TestAWatchThatWasStoppedDoesNotExpire(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*watch){"stopped": (*watch).stop, "paused": (*watch).pause} {
		w := newWatch(time.Hour, func() { t.Errorf("%s: it expired", name) })
		end(w)
		w.expire()
		w.stop()
	}
}
