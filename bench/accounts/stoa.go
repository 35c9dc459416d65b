package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// bench is what a run works with.
type bench struct {
	stoa, static *process
	sqlite       *sqlite

	access  string      // a signed-in user's
	refresh chan string // refresh tokens that are due, one a session
}

const (
	email    = "bench@example.com"
	password = "correct horse battery"
)

// start starts stoa and the peers. If it fails, nothing goes on running.
func start(ctx context.Context, o options, dir string) (b *bench, err error) {
	b = &bench{refresh: make(chan string, sessions)}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.stop())
		}
	}()
	if b.stoa, err = startProcess(ctx, regexp.MustCompile(`msg=listening url=http://(\S+)`),
		[]string{"STOA_DATA=" + dir + "/stoa", "STOA_RATE_LIMITS=off"},
		o.stoa, "serve", "--addr=127.0.0.1:0", "--ops-addr="+o.ops); err != nil {
		return b, fmt.Errorf("%w (make build makes bin/stoa)", err)
	}
	size, err := b.signUp(ctx)
	if err != nil {
		return b, err
	}
	if err := b.openSessions(ctx, dir+"/stoa"); err != nil {
		return b, err
	}
	self, err := os.Executable()
	if err != nil {
		return b, err
	}
	if b.static, err = startProcess(ctx, regexp.MustCompile(`listening on (\S+)`), nil, self, "-static", strconv.Itoa(size)); err != nil {
		return b, err
	}
	b.sqlite, err = openSQLite(ctx, dir+"/peer.db")
	return b, err
}

// signUp makes the user everything is measured with, and returns the size of the
// answer to GET /auth/me.
func (b *bench) signUp(ctx context.Context) (size int, err error) {
	c, err := dial(ctx, b.stoa.addr)
	if err != nil {
		return 0, err
	}
	defer c.conn.Close()
	body, err := json.Marshal(map[string]string{"email": email, "username": "bench", "password": password})
	if err != nil {
		return 0, err
	}
	answer, err := c.do("POST", "/auth/register", "", body)
	if err != nil {
		return 0, err
	}
	if b.access = field(answer, "access_token"); b.access == "" {
		return 0, errors.New("registration gave no token")
	}
	me, err := c.do("GET", "/auth/me", b.access, nil)
	return len(me), err
}

// stop ends what start started.
func (b *bench) stop() error {
	var all []error
	for _, p := range []*process{b.stoa, b.static} {
		if p != nil {
			all = append(all, p.stop())
		}
	}
	if b.sqlite != nil {
		all = append(all, b.sqlite.Close())
	}
	return errors.Join(all...)
}

// process is a server that was started.
type process struct {
	cmd  *exec.Cmd
	addr string
	done chan error
}

// startProcess starts a program and waits until it writes, to standard error,
// what ready matches: its first group is the address.
func startProcess(ctx context.Context, ready *regexp.Regexp, env []string, name string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // what the command line of the benchmark says
	cmd.Env = append(os.Environ(), env...)
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan error, 1)}
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
	case p.addr = <-found:
		return p, nil
	case err := <-p.done:
		return nil, fmt.Errorf("%s ended: %w", name, err)
	case <-time.After(30 * time.Second):
		return nil, errors.Join(fmt.Errorf("%s did not start", name), p.stop())
	}
}

// stop tells the process to stop, and makes it after ten seconds.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case err := <-p.done:
		return err
	case <-time.After(10 * time.Second):
		return errors.Join(p.cmd.Process.Kill(), <-p.done)
	}
}

// field returns the string value of a field that has no escapes, from JSON.
func field(body []byte, name string) string {
	m := regexp.MustCompile(`"` + name + `":"([^"]*)"`).FindSubmatch(body)
	if m == nil {
		return ""
	}
	return string(m[1])
}
