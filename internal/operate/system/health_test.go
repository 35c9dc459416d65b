package system_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/operate/system"
)

// A part that breaks shows the error and since when, and a check that hangs is a part
// that does not work; the others are not kept waiting for longer than the limit.
func TestHealthTellsWhatIsWrongAndSinceWhen(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		var broken error
		m := &system.Monitor{Now: time.Now, Checks: []system.Check{
			{Name: "a", Run: func(context.Context) (string, error) { return "fine", broken }},
			{Name: "b", Run: func(ctx context.Context) (string, error) {
				if broken != nil {
					time.Sleep(time.Hour) // does not look at ctx
				}
				return "", nil
			}},
		}}
		start := time.Now().UTC().Truncate(time.Millisecond)
		look := func() []system.Part { t.Helper(); time.Sleep(time.Minute); return m.Health(t.Context()) }

		m.Health(t.Context())
		if got := look(); !got[0].OK || got[0].Message != "fine" || !got[0].Since.Equal(start) || !got[1].OK {
			t.Errorf("parts that work: %+v", got)
		}
		broken = errors.New("out of order")
		from := time.Now()
		got := look()
		if got[0].OK || got[0].Message != "out of order" || !got[0].Since.After(start) {
			t.Errorf("a broken part: %+v", got[0])
		}
		if got[1].OK || got[1].Message == "" || time.Since(from) > 2*time.Minute {
			t.Errorf("a part that hangs: %+v after %v", got[1], time.Since(from))
		}
		if again := look(); !again[0].Since.Equal(got[0].Since) {
			t.Errorf("since moved from %v to %v while nothing changed", got[0].Since, again[0].Since)
		}
		time.Sleep(time.Hour) // let the hanging checks end
	})
}

// Whichever part is late, and whether it then gives up or goes on: it alone is late.
func TestAPartThatIsLateHidesNoOther(t *testing.T) {
	t.Parallel()

	for name, late := range map[string]func(ctx context.Context) (string, error){
		"it goes on":  func(context.Context) (string, error) { time.Sleep(time.Hour); return "", nil },
		"it gives up": func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &system.Monitor{Now: time.Now, Checks: []system.Check{{Name: "late", Run: late}}}
				for range 30 {
					m.Checks = append(m.Checks, system.Check{Run: func(context.Context) (string, error) { return "fine", nil }})
				}
				parts := m.Health(t.Context())
				if parts[0].OK || parts[0].Message != "It did not answer in time." {
					t.Errorf("the late part: %+v", parts[0])
				}
				for _, p := range parts[1:] {
					if !p.OK {
						t.Fatalf("another part: %+v", p)
					}
				}
				time.Sleep(time.Hour)
			})
		})
	}
}
