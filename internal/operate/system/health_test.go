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
