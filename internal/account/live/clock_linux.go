package live

import (
	"time"

	"golang.org/x/sys/unix"
)

// Boottime returns the time since the machine was started, suspension included.
func Boottime() (time.Duration, bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
