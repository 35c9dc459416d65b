package background_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/base/background"
)

func TestAWatchLooksWhenItsLastLookSays(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		start, next := time.Now(), []time.Duration{time.Minute, time.Second, 0}
		var at []time.Duration
		w := background.NewWatch(time.Hour, func() time.Duration {
			at = append(at, time.Since(start))
			return next[len(at)-1]
		})
		time.Sleep(3 * time.Hour) // of the bubble's clock
		w.Stop()
		want := []time.Duration{time.Hour, time.Hour + time.Minute, time.Hour + time.Minute + time.Second}
		if !slices.Equal(at, want) {
			t.Errorf("looked after %v, want %v", at, want)
		}
	})
}

// What a look uses may be given back when Stop has returned.
func TestNothingOfAStoppedWatchIsLeft(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		after time.Duration
		hangs bool // the look does, until just before the stop
		looks int
	}{
		"before a look": {after: time.Minute - 1},
		"during a look": {after: time.Minute + 1, hangs: true, looks: 1},
		"between looks": {after: 2*time.Minute + 1, looks: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				leave, looks, looking := make(chan struct{}), 0, false
				w := background.NewWatch(time.Minute, func() time.Duration {
					looks, looking = looks+1, true
					if tt.hangs {
						<-leave
					}
					looking = false
					return time.Minute
				})
				time.Sleep(tt.after) // of the bubble's clock
				close(leave)
				w.Stop()
				if looking {
					t.Error("it still looks")
				}
				time.Sleep(time.Hour)
				if looks != tt.looks {
					t.Errorf("%d looks, want %d", looks, tt.looks)
				}
			})
		})
	}
}
