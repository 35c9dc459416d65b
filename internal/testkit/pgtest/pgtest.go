// Package pgtest gives tests a real PostgreSQL: a temporary server for each test
// binary, with an empty schema for each test.
//
// STOA_TEST_POSTGRES may name a running server to use instead.
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
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the "pgx" driver

	"stoa/internal/testkit/needtest"
)

var (
	start   sync.Once
	base    string // URL of the server
	failure error
	stop    = func() {}
	schemas atomic.Int64
)

// Main runs a package's tests and ends the server afterwards:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
func Main(m *testing.M) int {
	defer func() { stop() }()
	return m.Run()
}

// URL returns a postgres:// URL with a new, empty schema for the test. If PostgreSQL is
// not installed, the test is skipped, or fails in CI. With -short, which is for trying a change out, it is
// always skipped.
func URL(tb testing.TB) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short leaves PostgreSQL out")
	}
	start.Do(func() {
		if base = os.Getenv("STOA_TEST_POSTGRES"); base == "" {
			base, stop, failure = startServer()
		}
	})
	if errors.Is(failure, errNotInstalled) {
		needtest.Lacks(tb, failure.Error())
	}
	if failure != nil {
		tb.Fatal(failure)
	}

	admin, err := sql.Open("pgx", base)
	if err != nil {
		tb.Fatal(err)
	}
	defer admin.Close()
	schema := fmt.Sprintf("t%d_%d", os.Getpid(), schemas.Add(1))
	if _, err := admin.ExecContext(tb.Context(), "CREATE SCHEMA "+schema); err != nil {
		tb.Fatal(err)
	}
	u, err := url.Parse(base)
	if err != nil {
		tb.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// Own starts a server for one test, which ends it with stop, as the end of the test does.
// It is skipped as with URL.
func Own(tb testing.TB) (at string, stop func()) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short leaves PostgreSQL out")
	}
	at, stop, err := startServer()
	tb.Cleanup(stop)
	if errors.Is(err, errNotInstalled) {
		needtest.Lacks(tb, err.Error())
	}
	if err != nil {
		tb.Fatal(err)
	}
	return at, stop
}

var errNotInstalled = errors.New("pgtest: initdb is not on this machine (Debian: apt-get install postgresql)")

// findBin returns the folder of the newest PostgreSQL on the machine, which is not in
// PATH on Debian.
func findBin() (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(dirs) > 0 {
		return filepath.Dir(slices.Max(dirs)), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errNotInstalled
	}
	return filepath.Dir(path), nil
}

// startServer starts a server. Whatever comes of it, stop ends what was started.
func startServer() (at string, stop func(), err error) {
	bin, err := findBin()
	if err != nil {
		return "", func() {}, err
	}
	dir, err := os.MkdirTemp("", "stoa-pg-")
	if err != nil {
		return "", func() {}, err
	}
	stop = func() { _ = os.RemoveAll(dir) }
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		attr.Credential, err = unprivileged()
		if err == nil {
			err = os.Chown(dir, int(attr.Credential.Uid), int(attr.Credential.Gid))
		}
		if err != nil {
			return "", stop, fmt.Errorf("pgtest: %w", err)
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
		return "", stop, fmt.Errorf("pgtest: initdb: %w\n%s", err, out)
	}
	server := command("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=300", "-c",
		"shared_buffers=64MB")
	// Pdeathsig fires when the thread that started the server ends, so keep that thread.
	forked := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := server.Start()
		forked <- err
		if err == nil {
			_ = server.Wait()
		}
	}()
	if err := <-forked; err != nil {
		return "", stop, fmt.Errorf("pgtest: start: %w", err)
	}
	stop = func() {
		_ = server.Process.Signal(syscall.SIGQUIT)
		_ = os.RemoveAll(dir)
	}
	u := url.URL{
		Scheme: "postgres", User: url.User("postgres"), Path: "/postgres",
		RawQuery: url.Values{"host": {dir}}.Encode(),
	}
	return u.String(), stop, waitFor(u.String())
}

func waitFor(dsn string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
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
