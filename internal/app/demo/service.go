package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stoa/examples/plugins"
)

// stablePort returns the loopback port stored in file. If there is none, it chooses a free one and
// stores it: the external plugin's address is part of its manifest and must not change at the next
// start.
func stablePort(ctx context.Context, file string) (int, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return 0, err
	}
	if text, err := os.ReadFile(file); err == nil { //nolint:gosec // our own file
		if port, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return port, nil
		}
	}
	// Below the range from which systems assign ports, from which another process could get the
	// port before the next start.
	const lowest, count, tries = 20_000, 10_000, 50
	for range tries {
		port := lowest + rand.IntN(count) //nolint:gosec // any free one will do
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			continue // in use
		}
		return port, errors.Join(ln.Close(), os.WriteFile(file, []byte(strconv.Itoa(port)+"\n"), 0o600))
	}
	return 0, fmt.Errorf("no free port between %d and %d", lowest, lowest+count)
}

// service is the running process of the external example plugin.
type service struct {
	cmd   *exec.Cmd
	stdin io.Closer
	done  chan struct{}
}

const serviceStart = 30 * time.Second // less than a second on an idle machine

// startService writes the example's source to dir, runs it, and returns when it listens.
func startService(ctx context.Context, log *slog.Logger, node, dir string, port int, secret string) (*service, error) {
	source, err := plugins.Source(loyaltyPoints)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "loyalty-points.js")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return nil, err
	}
	// Not bound to ctx: Demo.Start's stop ends it, after the server's last request.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), node, file) //nolint:gosec // the operator's own Node.js
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOST=127.0.0.1", "PORT=" + strconv.Itoa(port),
		"STOA_PLUGIN_SECRET=" + secret, "EXIT_WITH_STDIN=1",
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The service ends with its standard input, so that it does not outlive a stoa that
	// is killed.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &service{cmd: cmd, stdin: stdin, done: make(chan struct{})}
	ready := make(chan error, 1)
	go s.watch(out, ready)
	select {
	case err = <-ready:
	case <-time.After(serviceStart):
		err = fmt.Errorf("the service did not listen within %s", serviceStart)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	log.InfoContext(ctx, "demo: external plugin is running",
		slog.String("slug", loyaltyPoints), slog.Int("port", port), slog.Int("pid", cmd.Process.Pid))
	return s, nil
}

// watch reports on ready when the service has written its first line, and waits until
// it ends.
func (s *service) watch(out io.Reader, ready chan<- error) {
	lines := bufio.NewScanner(out)
	if lines.Scan() {
		ready <- nil
	} else {
		ready <- errors.New("the service exited at once; see its message above")
	}
	for lines.Scan() {
		continue // keep reading, so that the service never blocks on a full pipe
	}
	_ = s.cmd.Wait()
	close(s.done)
}

// stop ends the service and waits until it has ended.
func (s *service) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(5 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
}
