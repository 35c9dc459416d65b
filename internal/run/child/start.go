package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"stoa/internal/run/sandbox"
)

// Start forks a child, which ends with ctx. The errors of Machine say that no child can
// run; any other one is wrapped in "node: ".
func (l *Launcher) Start(ctx context.Context, spec Spec) (*Child, error) {
	m, err := l.Machine() //nolint:contextcheck // cached for all callers
	if err != nil {
		return nil, err
	}
	door, listener, err := m.listen()
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	defer listener.Close()
	c, err := l.fork(ctx, m, spec, listener)
	if err != nil {
		door.close()
		return nil, fmt.Errorf("node: %w", err)
	}
	c.socket = door
	go c.wait()
	if spec.Report != nil {
		go c.readReports()
	} else {
		go c.readReport()
	}
	return c, nil
}

// fork starts the process. The caller sets its socket and runs the methods that read from it
// and wait for it.
func (l *Launcher) fork(ctx context.Context, m *Machine, spec Spec, listener *os.File) (*Child, error) {
	reportRead, reportWrite, err := newPipe()
	if err != nil {
		return nil, err
	}
	defer reportWrite.Close()
	outRead, outWrite, err := newPipe()
	if err != nil {
		return nil, errors.Join(err, reportRead.Close())
	}
	defer outWrite.Close()

	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, m.node.path, spec.args(m)...) //nolint:gosec // the administrator's Node.js
	cmd.Dir = spec.Dir
	cmd.Env = environment()
	if m.Temporary() {
		cmd.Env = append(cmd.Env, "TMPDIR="+sandbox.TempDir)
	}
	cmd.Stdin = spec.Input
	cmd.Stdout, cmd.Stderr = outWrite, outWrite
	cmd.ExtraFiles = []*os.File{listener, reportWrite}
	cmd.SysProcAttr = sandboxAttributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = time.Second

	contained, started, err := m.contain(ctx, cmd, spec)
	if err == nil {
		err = l.forks.start(cmd)
		started(err == nil)
	}
	if err != nil {
		cancel()
		return nil, errors.Join(err, reportRead.Close(), outRead.Close())
	}
	c := &Child{
		spec: spec, pid: cmd.Process.Pid, cmd: cmd, cancel: cancel, contained: contained, report: reportRead,
		ready: make(chan error, 1), outputs: make(chan struct{}), reported: make(chan struct{}),
		reaped: make(chan struct{}), exited: make(chan struct{}),
	}
	go c.readOutput(outRead) //nolint:contextcheck // the child outlives the call
	return c, nil
}
