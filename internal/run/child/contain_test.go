package child

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stoa/internal/run/sandbox"
)

// A machine that is too busy to start Node.js in time may contain plugins all the same: they wait, and do
// not run with less.
func TestABusyMachineIsNotOneThatCannotContain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "node")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for _, demanded := range []sandbox.Level{"", sandbox.Basic, sandbox.Full} {
		cfg := Config{Isolation: demanded, ProbeTimeout: 50 * time.Millisecond}
		if box, err := newBox(cfg, &binary{path: path}); box != nil || !errors.Is(err, ErrIsolation) {
			t.Errorf("%q: newBox = %v, %v, want ErrIsolation", demanded, box, err)
		}
	}
}

func TestABoxThatIsTriedTooShortlySaysSo(t *testing.T) {
	t.Parallel()
	machine, err := launcher.Machine()
	if err != nil {
		t.Fatal(err)
	}
	if err := tryBox(machine.box, machine.node, time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("tryBox = %v, want the end of its time", err)
	}
}
