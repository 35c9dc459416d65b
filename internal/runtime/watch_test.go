package runtime_test

import (
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/runtime"
)

func TestWatchCountsOnlyTheTimeItRuns(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name string
		run  func(w *runtime.Watch)
		want bool // expired
	}{
		{"left alone", func(*runtime.Watch) { time.Sleep(30 * time.Second) }, true},
		{"stopped in time", func(w *runtime.Watch) { time.Sleep(29 * time.Second); w.Stop(); time.Sleep(time.Hour) }, false},
		{"paused", func(w *runtime.Watch) { w.Pause(); time.Sleep(time.Hour) }, false},
		{"resumed", func(w *runtime.Watch) { w.Pause(); time.Sleep(time.Hour); w.Resume(); time.Sleep(29 * time.Second) }, false},
		{"resumed and left alone", func(w *runtime.Watch) { w.Pause(); w.Resume(); time.Sleep(30 * time.Second) }, true},
		{"resumed after it was stopped", func(w *runtime.Watch) { w.Stop(); w.Resume(); time.Sleep(time.Hour) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				expired := false
				w := runtime.NewWatch(30*time.Second, func() { expired = true })
				defer w.Stop()
				tt.run(w)
				synctest.Wait()
				if expired != tt.want {
					t.Errorf("expired = %v, want %v", expired, tt.want)
				}
			})
		})
	}
}
