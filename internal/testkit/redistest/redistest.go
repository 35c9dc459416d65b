// Package redistest gives tests a real Redis: a temporary redis-server.
package redistest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"stoa/internal/testkit/needtest"
)

// Server is the redis-server of one test. It listens on a unix socket only.
type Server struct {
	// URL is what STOA_REDIS_URL takes.
	URL string

	socket string
	cmd    *exec.Cmd
}

// New starts a server that ends with the test. If redis-server is not installed, the
// test is skipped, or fails in CI.
func New(tb testing.TB) *Server {
	tb.Helper()
	dir, err := os.MkdirTemp("", "stoa-redis-") //nolint:usetesting // short: a socket's path has 107 bytes
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{socket: filepath.Join(dir, "redis.sock")}
	s.URL = "unix://" + s.socket
	s.Start(tb)
	tb.Cleanup(s.Stop)
	return s
}

// Start starts the server without data. It may be called again after Stop.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	path := needtest.Program(tb, "redis-server", "Debian: apt-get install redis-server")
	s.cmd = exec.CommandContext(context.WithoutCancel(tb.Context()), path, "--port", "0", "--unixsocket", s.socket,
		"--save", "", "--appendonly", "no")
	s.cmd.Dir = filepath.Dir(s.socket)
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket, MaxRetries: -1})
	defer client.Close()
	err := errors.New("not tried")
	for end := time.Now().Add(2 * time.Minute); err != nil; time.Sleep(10 * time.Millisecond) {
		if err = client.Ping(tb.Context()).Err(); err != nil && time.Now().After(end) {
			tb.Fatalf("redistest: server does not answer: %v", err)
		}
	}
}

// Pause halts the server: it accepts connections and answers nothing, until Resume.
func (s *Server) Pause() { _ = s.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets a halted server go on.
func (s *Server) Resume() { _ = s.cmd.Process.Signal(syscall.SIGCONT) }

// Stop ends the server at once, as a crash would. It may be called twice.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	_ = os.Remove(s.socket)
	s.cmd = nil
}
