package proof

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/proctest"
)

// process is a stoa that can be killed and started again, with another port.
type process struct {
	tb  testing.TB
	env []string
	url atomic.Value // string: the address at which it listens, or listened last

	program string            // another stoa than this one; empty for this one
	address string            // where it listens; empty for any port
	heard   func(line string) // is told what it writes; may be nil

	// cmd is nil while the process is not running. One goroutine uses it at a time.
	cmd    *exec.Cmd
	exited <-chan struct{}

	mu  sync.Mutex
	log []string // the last lines
}

var listening = regexp.MustCompile(`msg=listening url=(http://\S+)`)

// startProcess starts a process that ends with the test.
func startProcess(tb testing.TB, env []string) *process {
	tb.Helper()
	p := &process{tb: tb, env: env}
	p.begin(tb)
	return p
}

// begin starts the process, which ends with the test.
func (p *process) begin(tb testing.TB) {
	tb.Helper()
	tb.Cleanup(func() {
		p.kill()
		if tb.Failed() {
			tb.Logf("the last a process wrote:\n%s", p.lastLines())
		}
	})
	if err := p.start(); err != nil {
		tb.Fatal(err)
	}
}

// start starts the process, which must not be running, and returns when it listens.
func (p *process) start() error {
	program := p.program
	if program == "" {
		program = stoa(p.tb)
	}
	cmd := exec.Command(program, "serve", "--addr="+cmp.Or(p.address, "127.0.0.1:0"), "--ops-addr=off")
	cmd.Env = append(os.Environ(), p.env...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	ready := make(chan string, 1)
	follow := func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			p.keep(lines.Text())
			if p.heard != nil {
				p.heard(lines.Text())
			}
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				ready <- m[1]
			}
		}
	}
	exited, err := proctest.Start(cmd, follow)
	if err != nil {
		return err
	}
	p.cmd, p.exited = cmd, exited
	select {
	case url := <-ready:
		p.url.Store(url)
		return nil
	case <-exited:
		return fmt.Errorf("stoa ended before it listened:\n%s", p.lastLines())
	case <-time.After(5 * time.Minute):
		return fmt.Errorf("stoa does not listen:\n%s", p.lastLines())
	}
}

// kill ends the process with SIGKILL, if it is running, and waits until it has ended.
func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.exited
	p.cmd = nil
}

// stop ends the process as an operator does, and waits until it has ended.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.exited
	p.cmd = nil
}

// URL returns the address at which the process listens.
func (p *process) URL() string { return p.url.Load().(string) }

const keptLines = 30

func (p *process) keep(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.log) == keptLines {
		p.log = p.log[1:]
	}
	p.log = append(p.log, line)
}

func (p *process) lastLines() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.log, "\n")
}
