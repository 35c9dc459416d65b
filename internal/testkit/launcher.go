package testkit

import (
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"stoa/internal/run/child"
)

// launchers is the launcher that the Apps of this process share, and how many use it: looking at Node.js
// takes several starts of it, and the first start after that compiles what others find compiled.
var launchers struct {
	mu     sync.Mutex
	shared *child.Launcher
	users  int
}

// launcher returns the shared launcher, which ends with its last user.
func launcher(tb testing.TB) *child.Launcher {
	tb.Helper()
	launchers.mu.Lock()
	defer launchers.mu.Unlock()
	if launchers.users == 0 {
		launchers.shared = child.New(child.Config{Log: warnings(), ProbeTimeout: 2 * time.Minute})
	}
	launchers.users++
	tb.Cleanup(func() {
		launchers.mu.Lock()
		defer launchers.mu.Unlock()
		if launchers.users--; launchers.users > 0 {
			return
		}
		if err := launchers.shared.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return launchers.shared
}

// warnings is a log for what no test can be named for: why plugins cannot run here, or not contained.
func warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
