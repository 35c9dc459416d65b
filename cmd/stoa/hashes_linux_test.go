package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"stoa/internal/account/password"
	"stoa/internal/testkit/waittest"
)

// Passwords are hashed in a process of their own, which is given no secret to lose and ends with its stoa,
// however that ends.
func TestTheProcessForPasswordsHasNoSettingsAndOutlivesNobody(t *testing.T) {
	t.Parallel()

	env := []string{
		"STOA_DATA=" + t.TempDir(), "STOA_RATE_LIMITS=off",
		"STOA_ADMIN_EMAIL=root@example.com", "STOA_ADMIN_PASSWORD=correct horse battery",
	}
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		s := serve(t, env)
		child, got := hashing(t, s)
		if rest, ok := strings.CutPrefix(got, "GOMAXPROCS="); !ok || strings.Count(rest, "=") > 0 {
			t.Errorf("the environment is %q", got)
		}
		if err := s.cmd.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		if code := s.wait(t); end == syscall.SIGTERM && code != exitOK {
			t.Errorf("stoa ended with %d", code)
		}
		waittest.True(t, "the end of the process", func() bool {
			state, _ := stateOf(child)
			return state == "" || state == "Z"
		})
	}
}

// hashing signs in until it finds the process that hashes, and returns that with its environment. It looks while the
// sign-in waits: on a machine full of other work a hash takes longer than stoa waits for it, which then ends the process.
func hashing(t *testing.T, s *server) (pid int, environ string) {
	t.Helper()
	signIn := func() <-chan struct{} {
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			if status, body := do(t, http.MethodPost, s.URL+"/auth/login", "",
				`{"email":"root@example.com","password":"correct horse battery"}`); status != http.StatusOK {
				t.Errorf("sign-in = %d %s", status, body)
			}
		}()
		return answered
	}
	done := signIn()
	waittest.True(t, "a process that hashes", func() bool {
		select {
		case <-done:
			done = signIn()
		default:
		}
		pid = childFor(t, s.cmd.Process.Pid, password.AsideCommand)
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		environ = string(text)
		return pid != 0 && err == nil && environ != ""
	})
	<-done
	return pid, environ
}

// childFor returns the child of a process that was started with one argument, or 0.
func childFor(t *testing.T, parent int, argument string) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if _, by := stateOf(pid); by == parent && err == nil && strings.HasSuffix(string(args), "\x00"+argument+"\x00") {
			return pid
		}
	}
	return 0
}

// stateOf returns the state of a process and its parent; "" if there is none.
func stateOf(pid int) (state string, parent int) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}
