package child

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa/internal/run/sandbox"
)

// tooShort is a time in which no machine starts Node.js.
const tooShort = time.Millisecond

// A machine that is too busy to start Node.js in time may contain plugins all the same: they wait, and do
// not run with less.
func TestABusyMachineIsNotOneThatCannotContain(t *testing.T) {
	t.Parallel()
	machine, err := launcher.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for _, demanded := range []sandbox.Level{"", sandbox.Basic, sandbox.Full} {
		cfg := Config{Isolation: demanded, ProbeTimeout: tooShort}
		if box, err := newBox(cfg, &binary{path: machine.node.path}); box != nil || !errors.Is(err, ErrIsolation) {
			t.Errorf("%q: newBox = %v, %v, want ErrIsolation", demanded, box, err)
		}
	}
	if err := tryBox(machine.box, machine.node, tooShort); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("tryBox = %v, want the end of its time", err)
	}
}
