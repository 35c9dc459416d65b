// Package pgtest gives tests a real PostgreSQL: a temporary server for each test
// binary, with an empty schema or a database for each test.
//
// STOA_TEST_POSTGRES may name a running server to use instead. make test starts one for
// all packages.
package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the "pgx" driver
	"golang.org/x/sys/unix"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/proctest"
)

var (
	stop   = func() {}
	number atomic.Int64 // of schemas and databases
)

// Main runs a package's tests and ends the server afterwards:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
func Main(m *testing.M) int {
	defer func() { stop() }()
	return m.Run()
}

// Server is a PostgreSQL of a test's own, which may be stopped and started again. Unlike the
// one that tests share, it keeps what it committed when it crashes.
type Server struct {
	// URL is what STOA_DATABASE_URL takes.
	URL string

	command func(name string, args ...string) *exec.Cmd
	options []string
	cmd     *exec.Cmd
	exited  <-chan struct{}
}

// NewServer starts a server that ends with the test. If PostgreSQL is not installed, the test is
// skipped, or fails in CI.
func NewServer(tb testing.TB) *Server {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short leaves PostgreSQL out")
	}
	dir, err := os.MkdirTemp("", "stoa-pg-") //nolint:usetesting // short: a socket's path has 107 bytes
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := newServer(dir, "-c", "fsync=off")
	if errors.Is(err, ErrNotInstalled) {
		needtest.Lacks(tb, err.Error())
	}
	if err == nil {
		err = s.start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Crash)
	return s
}

// Start starts the server again after Stop or Crash, and returns when it answers.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	if err := s.start(); err != nil {
		tb.Fatal(err)
	}
}

// Stop ends the server as an administrator does: connections are closed at once.
func (s *Server) Stop() { s.end(syscall.SIGINT) }

// Crash ends the server at once. What it was doing is lost, what it committed is not. It may
// be called twice.
func (s *Server) Crash() { s.end(syscall.SIGQUIT) }

func (s *Server) end(how os.Signal) {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(how)
	<-s.exited
	s.cmd = nil
}

// ErrNotInstalled says that the machine has no PostgreSQL.
var ErrNotInstalled = errors.New("pgtest: initdb is not on this machine (Debian: apt-get install postgresql)")

// findBin returns the folder of the newest PostgreSQL on the machine, which is not in
// PATH on Debian.
func findBin() (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(dirs) > 0 {
		return filepath.Dir(slices.Max(dirs)), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", ErrNotInstalled
	}
	return filepath.Dir(path), nil
}

// startServer starts the server that the tests of this binary share.
func startServer() (string, error) {
	dir, err := os.MkdirTemp(Memory(), "stoa-pg-")
	if err != nil {
		return "", err
	}
	stop = func() { _ = os.RemoveAll(dir) }
	s, err := StartShared(dir)
	if err != nil {
		return "", err
	}
	stop = func() {
		s.Crash()
		_ = os.RemoveAll(dir)
	}
	return s.URL, nil
}

// StartShared starts a server that tests share, with its files in the empty folder dir, whose
// path must be short. What the server commits need not outlive a crash. It ends with this
// process, or by Crash.
func StartShared(dir string) (*Server, error) {
	s, err := newServer(dir, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
		"-c", "max_wal_size=128MB", "-c", "autovacuum=off",
		"-c", "max_connections=1000") // each of many stoas at once has up to 20
	if err != nil {
		return nil, err
	}
	err = s.start()
	return s, err
}

// Memory returns a folder in memory for a server that tests share, or the folder for temporary
// files if the machine has none with enough room. Copying a database there takes a fifth of the
// time.
func Memory() string {
	const shm = "/dev/shm"
	var fs unix.Statfs_t
	if err := unix.Statfs(shm, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < 2<<30 {
		return os.TempDir()
	}
	if unix.Access(shm, unix.W_OK) != nil {
		return os.TempDir()
	}
	return shm
}

// newServer makes the files of a server in a folder.
func newServer(dir string, options ...string) (*Server, error) {
	bin, err := findBin()
	if err != nil {
		return nil, err
	}
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		attr.Credential, err = unprivileged()
		if err == nil {
			err = os.Chown(dir, int(attr.Credential.Uid), int(attr.Credential.Gid))
		}
		if err != nil {
			return nil, fmt.Errorf("pgtest: %w", err)
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(context.Background(), filepath.Join(bin, name), args...) // outlives any one test
		cmd.Dir, cmd.SysProcAttr = dir, attr
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := command("initdb", "-D", data, "-U", "postgres", "-A", "trust",
		"-E", "UTF8", "--no-sync").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pgtest: initdb: %w\n%s", err, out)
	}
	u := url.URL{
		Scheme: "postgres", User: url.User("postgres"), Path: "/postgres",
		RawQuery: url.Values{"host": {dir}}.Encode(),
	}
	return &Server{
		URL: u.String(), command: command,
		options: append([]string{
			"-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "max_connections=300", "-c", "shared_buffers=64MB",
			"-c", "jit=off", // compiling takes longer than any query of a test
		}, options...),
	}, nil
}

// start starts the server and returns when it answers.
func (s *Server) start() error {
	server := s.command("postgres", s.options...)
	exited, err := proctest.Start(server, nil)
	if err != nil {
		return fmt.Errorf("pgtest: start: %w", err)
	}
	s.cmd, s.exited = server, exited
	return waitFor(s.URL)
}

func waitFor(dsn string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = db.PingContext(context.Background()); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("pgtest: server does not answer: %w", err)
		}
	}
}

func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("neither postgres nor nobody is a user of this machine")
}
