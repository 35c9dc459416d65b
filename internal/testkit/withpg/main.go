// Command withpg runs a command with a temporary PostgreSQL server, which the tests of all
// packages then share:
//
//	go run ./internal/testkit/withpg go test ./...
//
// The command gets the server's URL in STOA_TEST_POSTGRES. The URL is the same in every run in
// a checkout, so that Go's test cache works. The server ends with this process, however that
// ends. If STOA_TEST_POSTGRES is set already, or PostgreSQL is not installed, there is no server.
//
// Temporary files of the command go to a folder in memory if TMPDIR is not set and there is room:
// thousands of small databases that are synced to a disk would wait for it.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"stoa/internal/testkit/pgtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpg command [argument...]")
		os.Exit(2)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpg:", err)
	}
	os.Exit(code)
}

func run(command []string) (code int, err error) {
	// The terminal interrupts the command as well. Wait for it, then stop the server.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
	dir, unlock, err := folder()
	if err != nil {
		return 1, err
	}
	defer unlock()
	removeTemp, err := tempInMemory(dir)
	if err != nil {
		return 1, err
	}
	defer removeTemp()
	if os.Getenv("STOA_TEST_POSTGRES") == "" {
		server, err := pgtest.StartShared(dir)
		switch {
		case errors.Is(err, pgtest.ErrNotInstalled): // tests skip themselves, or fail in CI
		case err != nil:
			return 1, err
		default:
			defer server.Crash()
			if err := os.Setenv("STOA_TEST_POSTGRES", server.URL); err != nil {
				return 1, err
			}
		}
	}
	cmd := exec.CommandContext(context.Background(), command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return max(1, exit.ExitCode()), nil
		}
		return 1, err
	}
	return 0, nil
}

// tempInMemory sets TMPDIR to a folder beside that of the server if that is in memory, has room for
// what is linked and unpacked meanwhile, and may hold programs. Its name is short, because a path
// of a socket has 107 bytes, and the same in each run, because Go's test cache compares TMPDIR.
func tempInMemory(server string) (remove func(), err error) {
	memory := filepath.Dir(server)
	var fs unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || memory == os.TempDir() || unix.Statfs(memory, &fs) != nil ||
		fs.Flags&unix.ST_NOEXEC != 0 || fs.Bavail*uint64(fs.Bsize) < 6<<30 {
		return func() {}, nil //nolint:nilerr // it is only faster
	}
	dir := filepath.Join(memory, "st-"+server[len(server)-6:])
	remove = func() { _ = os.RemoveAll(dir) }
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	// PostgreSQL's own user passes through it.
	if err := os.Mkdir(dir, 0o711); err != nil {
		return nil, err
	}
	return remove, os.Setenv("TMPDIR", dir)
}

// folder returns an empty folder for the server: the same one in each run in this checkout,
// unless another run is using it. What a killed run left there is removed.
func folder() (dir string, unlock func(), err error) {
	here, err := os.Getwd()
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(pgtest.Memory(), fmt.Sprintf("stoa-pg-%d-%x", os.Getuid(), sha256.Sum256([]byte(here)))[:32])
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return "", nil, err
	}
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		_ = lock.Close()
		dir, err = os.MkdirTemp(pgtest.Memory(), "stoa-pg-")
		return dir, func() { _ = os.RemoveAll(dir) }, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", nil, err
	}
	return dir, func() { _ = os.RemoveAll(dir); _ = lock.Close() }, nil
}
