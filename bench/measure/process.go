package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"
)

// Process is a server that was started.
type Process struct {
	cmd *exec.Cmd
	// Addr is where it listens.
	Addr string
	done chan error
}

// Start starts a program and waits until it writes, to standard error,
// what ready matches: its first group is the address.
func Start(ctx context.Context, ready *regexp.Regexp, env []string, name string, args ...string) (*Process, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // what the command line of the benchmark says
	cmd.Env = append(os.Environ(), env...)
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, done: make(chan error, 1)}
	found := make(chan string, 1)
	go func() {
		in, said := bufio.NewReader(log), ""
		for {
			line, err := in.ReadString('\n')
			if m := ready.FindStringSubmatch(line); m != nil {
				found <- m[1]
				_, _ = io.Copy(io.Discard, in)
				break
			}
			if said += line; err != nil {
				fmt.Fprint(os.Stderr, said)
				break
			}
		}
		p.done <- cmd.Wait()
	}()
	select {
	case p.Addr = <-found:
		return p, nil
	case err := <-p.done:
		return nil, fmt.Errorf("%s ended: %w", name, err)
	case <-time.After(30 * time.Second):
		return nil, errors.Join(fmt.Errorf("%s did not start", name), p.Stop())
	}
}

// Stop tells the process to stop, and makes it after ten seconds.
func (p *Process) Stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case err := <-p.done:
		return err
	case <-time.After(10 * time.Second):
		return errors.Join(p.cmd.Process.Kill(), <-p.done)
	}
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// StartStoa starts stoa serve on loopback, without rate limits.
func StartStoa(ctx context.Context, program string, env []string, args ...string) (*Process, error) {
	p, err := Start(ctx, regexp.MustCompile(`msg=listening url=http://(\S+)`), append(env, "STOA_RATE_LIMITS=off"),
		program, append([]string{"serve", "--addr=127.0.0.1:0"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("%w (make build makes bin/stoa)", err)
	}
	return p, nil
}
