package web

import (
	"testing"
	"time"
)

func TestTimestampsHaveMilliseconds(t *testing.T) {
	t.Parallel()

	zone := time.FixedZone("", -5400)
	for _, ns := range []int{0, 999_999, 1_000_000, 9_999_999, 10_000_000, 99_000_000, 100_000_000, 999_999_999} {
		at := time.Date(2031, time.December, 31, 23, 59, 59, ns, zone)
		got, err := Timestamp(at).MarshalJSON()
		if want := `"` + at.UTC().Format("2006-01-02T15:04:05.000Z07:00") + `"`; err != nil || string(got) != want {
			t.Errorf("%d ns: %s, %v, want %s", ns, got, err, want)
		}
	}
}
