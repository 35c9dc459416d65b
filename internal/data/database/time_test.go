package database

import (
	"testing"
	"time"
)

func TestTimesComeBackInMillisecondsUTC(t *testing.T) {
	t.Parallel()

	zone := time.FixedZone("", 3600)
	for _, tt := range []struct{ in, want time.Time }{
		{time.Time{}, time.Time{}},
		{time.UnixMilli(0), time.UnixMilli(0).UTC()},
		{time.Date(2030, 3, 1, 12, 0, 0, 123_456_789, zone), time.Date(2030, 3, 1, 11, 0, 0, 123_000_000, time.UTC)},
		{time.UnixMilli(-1), time.UnixMilli(-1).UTC()},
	} {
		stored, err := Millis(tt.in).Value()
		if err != nil {
			t.Fatal(err)
		}
		got := time.Now() // Scan must replace it
		if err := ScanMillis(&got).Scan(stored); err != nil || got != tt.want {
			t.Errorf("%v comes back as %v, %v; want %v", tt.in, got, err, tt.want)
		}
	}
	var at time.Time
	if err := ScanMillis(&at).Scan("2030-03-01"); err == nil {
		t.Error("a text was read as a time")
	}
}
