package node

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"stoa/internal/run/sandbox"
)

// errAskedToEnd ends the start of a process that is no longer needed.
var errAskedToEnd = errors.New("asked to end before it was ready")

// reportLimit is how much of a child's report is read, in bytes.
const reportLimit = 16 << 10

// child is a forked Node.js process. Its method wait reaps it.
type child struct {
	pid    int
	cmd    *exec.Cmd
	cancel context.CancelFunc
	onExit func()

	contained *sandbox.Contained
	report    *os.File // where the host first reports how its start went, and then beats
	heart     heart
	redact    func(string) string
	outputs   chan struct{} // closed when all output was read

	exited  chan struct{}
	exitErr error // valid once exited is closed; never nil
}

type forkArgs struct {
	dir          string   // the package's folder
	permissions  []string // effective ones
	log          *slog.Logger
	listener     *os.File // becomes descriptor 3
	instructions io.Reader
	output       io.Writer // receives what the child prints
	redact       func(string) string
	memoryMiB    int

	program *Program // what runs in place of the host program; nil for plugins
}

// fork starts the host program. The caller runs the child's wait.
func (rt *Runtime) fork(h *hostFiles, a forkArgs) (*child, error) {
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reportWrite.Close()
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, reportRead.Close())
	}
	defer outWrite.Close()

	ctx, cancel := context.WithCancel(rt.alive)
	args := rt.nodeArgs(h, a)
	if a.program != nil {
		args = a.program.args(h, rt.withoutFlags)
	}
	cmd := exec.CommandContext(ctx, h.node.path, args...) //nolint:gosec // the administrator's Node.js
	cmd.Dir = a.dir
	cmd.Env = []string{"NODE_ENV=production", "TZ=UTC"}
	cmd.Stdin = a.instructions
	cmd.Stdout, cmd.Stderr = outWrite, outWrite
	cmd.ExtraFiles = []*os.File{a.listener, reportWrite}
	cmd.SysProcAttr = sandboxAttributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = time.Second

	contained, started, err := rt.contain(ctx, h, cmd, a)
	if err == nil {
		err = rt.forks.start(cmd)
		started(err == nil)
	}
	if err != nil {
		cancel()
		return nil, errors.Join(err, reportRead.Close(), outRead.Close())
	}
	c := &child{
		pid: cmd.Process.Pid, cmd: cmd, cancel: cancel, report: reportRead, redact: a.redact,
		outputs: make(chan struct{}), exited: make(chan struct{}), contained: contained,
	}
	go func() {
		defer close(c.outputs)
		defer outRead.Close()
		io.Copy(a.output, outRead) //nolint:errcheck,gosec // ends with the process
	}()
	return c, nil
}

// nodeArgs returns the arguments of the host program. Every user of the machine can
// see them, so they hold no config.
func (rt *Runtime) nodeArgs(h *hostFiles, a forkArgs) []string {
	args := memoryArgs(a.memoryMiB)
	if rt.withoutFlags {
		return append(args, h.boot)
	}
	args = append(args, h.node.flags()...)
	for _, path := range []string{h.boot, h.script, h.cache, a.dir + "/*", h.shims + "/*"} {
		args = append(args, "--allow-fs-read="+path)
	}
	return append(append(args, h.node.scopeFlags(a.dir, filepath.Dir(h.shims))...), h.boot)
}

// memoryArgs returns the limits that Node.js keeps itself.
func memoryArgs(heapMiB int) []string {
	return []string{
		"--max-old-space-size=" + strconv.Itoa(heapMiB),
		// The gateway adds its context headers to the client's.
		"--max-http-header-size=65536",
	}
}

// wait reaps the child.
func (c *child) wait() {
	err := c.cmd.Wait()
	<-c.outputs // the child's last lines come before its end in the log
	if err == nil {
		err = errors.New("exit status 0")
	}
	if c.contained.OutOfMemory() {
		err = fmt.Errorf("%w: the kernel ended it (%w)", errMemory, err)
	}
	c.contained.Ended()
	c.exitErr = err
	c.cancel()
	_ = c.report.Close()
	c.onExit()
	close(c.exited)
}

// awaitReady returns nil when the plugin can be called, errAskedToEnd if ending is
// closed before that, late after limit, or a startError.
func (c *child) awaitReady(limit time.Duration, late error, ending <-chan struct{}) error {
	result := make(chan error, 1)
	go func() {
		r := bufio.NewReaderSize(c.report, reportLimit)
		err := c.readReport(r)
		result <- err
		if err == nil {
			c.heart.read(r)
		}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-result:
		if err != nil {
			return &startError{reasonLoadFailed, err}
		}
		return nil
	case <-timer.C:
		return late
	case <-ending:
		return errAskedToEnd
	}
}

// readReport returns nil if the host reports that the plugin is ready, else the
// error that it reports.
func (c *child) readReport(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		// The pipe broke without a report: the process is ending.
		select {
		case <-c.exited:
			return fmt.Errorf("the process ended before it was ready: %w", c.exitErr)
		case <-time.After(time.Second):
			return errors.New("the process gave no report of its start")
		}
	}
	return parseReport(line, c.redact)
}

// askToEnd asks the process to finish its running requests and end.
func (c *child) askToEnd() { terminate(c.cmd.Process) }

// kill ends the process at once.
func (c *child) kill() { c.cancel() }
