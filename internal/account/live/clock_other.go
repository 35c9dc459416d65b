//go:build !linux

package live

import "time"

// Boottime fails: this system has no clock that runs on while the machine is suspended.
func Boottime() (time.Duration, bool) { return 0, false }
