package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync"
	"time"

	"stoa/internal/run/sandbox"
)

// How Ready ends without a report.
var (
	ErrAskedToEnd = errors.New("asked to end before it was ready")
	ErrLate       = errors.New("not ready in time")
)

// reportLimit is how long a line of a child's report may be, in bytes.
const reportLimit = 16 << 10

// lastWords is how long Ready waits for the end of a process that broke its connection to stoa, and how long the report
// of one that has ended may take to be read.
const lastWords = 5 * time.Second

// Child is a Node.js process that was started. It ends with the context of its start.
// It is safe for concurrent use.
type Child struct {
	spec   Spec
	pid    int
	cmd    *exec.Cmd
	cancel context.CancelFunc

	contained *sandbox.Contained
	socket    *socket
	report    io.ReadCloser
	heart     heart
	ready     chan error    // gets the first report of a child that makes one
	outputs   chan struct{} // closed when all output was read
	reported  chan struct{} // closed when all reports were read

	reaped chan struct{} // closed when the process is gone
	exited chan struct{} // closed after that, when all of its output was read
	exit   error         // valid once exited is closed; never nil

	mu    sync.Mutex
	cause error // why stoa kills the child; nil if it does not
}

// PID returns the id of the process.
func (c *Child) PID() int { return c.pid }

// Dial connects to the child. Connections are refused once it is gone.
func (c *Child) Dial(ctx context.Context) (net.Conn, error) { return c.socket.dial(ctx) }

// Address returns the path of the child's socket, for this process of stoa alone.
func (c *Child) Address() string { return c.socket.path }

// Exited is closed when the process is gone and all of its output is in the log.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// AwaitEnd waits until ended is closed, which must happen after the process is gone, and reports whether it was. It waits
// for at most limit for the process to be gone, and for what comes between the two as long as that takes.
func (c *Child) AwaitEnd(ended <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-c.reaped:
	case <-timer.C:
		return false
	}
	<-ended
	return true
}

// Exit returns how the process ended, like "exit status 1". It may be called once Exited
// is closed.
func (c *Child) Exit() error { return c.exit }

// Err returns why the process ended, or why stoa is about to kill it: an error that is
// ErrStalled, ErrMemory, or neither. It returns nil while the process runs. Whoever asked
// the process to end ignores it.
func (c *Child) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return c.cause
	}
	select {
	case <-c.exited:
		return endedOnItsOwn(c.exit, c.spec.Output.Fatal())
	default:
		return nil
	}
}

// killFor kills the child because of cause, which Err returns before the first
// connection breaks.
func (c *Child) killFor(cause error) {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = cause
	}
	c.mu.Unlock()
	c.cancel()
}

// wait reaps the child.
func (c *Child) wait() {
	err := c.cmd.Wait()
	close(c.reaped)
	<-c.outputs // the child's last lines come before its end in the log
	if err == nil {
		err = errors.New("exit status 0")
	}
	if c.contained.OutOfMemory() {
		err = fmt.Errorf("%w: the kernel ended it (%w)", ErrMemory, err)
	}
	c.contained.Ended()
	c.exit = err
	c.cancel()
	select {
	case <-c.reported: // or a report that is still in the pipe would be lost
	case <-time.After(lastWords):
	}
	_ = c.report.Close()
	c.socket.close()
	close(c.exited)
}

// Ready returns nil when the child has reported that it is ready, ErrAskedToEnd if
// ending is closed before that, ErrLate after limit, and else why the child did not get
// ready: an *Error if it said so. It may be called once.
func (c *Child) Ready(limit time.Duration, ending <-chan struct{}) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-c.ready:
		return err
	case <-timer.C:
		return ErrLate
	case <-ending:
		return ErrAskedToEnd
	}
}

// readReport reads the one report of a child, and then its signs of life.
func (c *Child) readReport() {
	r := bufio.NewReaderSize(newDrain(c.report, reportBytes, reportLines, c.reaped), reportLimit)
	line, err := r.ReadSlice('\n')
	if err != nil {
		// The pipe broke without a report: the process is ending.
		close(c.reported)
		if c.AwaitEnd(c.exited, lastWords) {
			c.ready <- fmt.Errorf("the process ended before it was ready: %w", c.exit)
		} else {
			c.ready <- errors.New("the process gave no report of its start")
		}
		return
	}
	c.ready <- ParseReport(line, c.spec.Output.redact)
	c.heart.read(r)
	close(c.reported)
}

// readReports reads the reports of a child that makes several, and the signs of life in
// between.
func (c *Child) readReports() {
	defer close(c.reported)
	r := bufio.NewReaderSize(newDrain(c.report, reportBytes, reportLines, c.reaped), reportLimit)
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return
		case b != '{':
			c.heart.beats.Add(1)
			continue
		}
		_ = r.UnreadByte()
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		c.spec.Report(line)
	}
}

// readOutput reads what the child prints until it ends.
func (c *Child) readOutput(r io.ReadCloser) {
	defer close(c.outputs)
	defer r.Close()
	// Small parts, so that a program that waits does so for short times.
	buf := make([]byte, 16<<10)
	io.CopyBuffer(c.spec.Output, newDrain(r, outputBytes, outputLines, c.reaped), buf) //nolint:errcheck,gosec // ends with the process
	c.spec.Output.Ended()
}

// AskToEnd asks the process to finish its running requests and end.
func (c *Child) AskToEnd() { terminate(c.cmd.Process) }

// Kill ends the process at once. It does not wait.
func (c *Child) Kill() { c.cancel() }

// End asks the process to end, kills it after grace, and returns when it is gone. It
// reports whether the process ended in time.
func (c *Child) End(grace time.Duration) bool {
	c.AskToEnd()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
		c.Kill()
		<-c.exited
		return false
	}
}
