package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/masterkey"
	"stoa/internal/testkit/pgtest"
)

// stoa keys rewrap is killed with SIGKILL again and again beside a stoa that serves throughout.
// In the end both files have changed places, and stoa refuses the old key.
func TestRewrapOfTheRealProgramIsKilled(t *testing.T) {
	t.Parallel()

	for name, url := range map[string]func(testing.TB) string{
		"SQLite": func(testing.TB) string { return "" }, "PostgreSQL": pgtest.URL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := filepath.Join(t.TempDir(), "d")
			env := []string{
				"STOA_DATA=" + dir, "STOA_ADMIN_EMAIL=root@example.com", "STOA_ADMIN_PASSWORD=correct horse battery",
				"STOA_RATE_LIMITS=off", "STOA_REWRAP_SETTLE=300ms", "STOA_REWRAP_WAIT=5m",
			}
			if at := url(t); at != "" {
				env = append(env, "STOA_DATABASE_URL="+at)
			}
			s := serve(t, env)
			old := readFile(t, filepath.Join(dir, masterkey.File))
			ctx, cancel := context.WithCancel(t.Context())
			var clients sync.WaitGroup
			var signedIn int
			clients.Go(func() {
				for ; ctx.Err() == nil; signedIn++ {
					status, body := do(t, http.MethodPost, s.URL+"/auth/login", "",
						`{"email":"root@example.com","password":"correct horse battery"}`)
					if status != http.StatusOK {
						t.Errorf("sign-in = %d %s", status, body)
					}
				}
			})
			out, killed := killAgainAndAgain(t, env, 12, "keys", "rewrap")
			cancel()
			clients.Wait()
			if signedIn == 0 {
				t.Error("nobody signed in meanwhile")
			}
			t.Logf("killed %d times, %d signed in", killed, signedIn)
			now := readFile(t, filepath.Join(dir, masterkey.File))
			previous := readFile(t, filepath.Join(dir, masterkey.PreviousFile))
			if now == old || previous != old {
				t.Error("the files have not changed places")
			}
			for _, secret := range []string{strings.TrimSpace(old), strings.TrimSpace(now)} {
				if strings.Contains(out+s.Log(), secret) {
					t.Error("a master key is printed or logged")
				}
			}
			s.stop(t)
			again := serve(t, env)
			if status, body := do(t, http.MethodPost, again.URL+"/auth/login", "",
				`{"email":"root@example.com","password":"correct horse battery"}`); status != http.StatusOK {
				t.Errorf("sign-in with the new key only = %d %s", status, body)
			}
			again.stop(t)
			refused := program(t, append(env, "STOA_MASTER_KEY="+strings.TrimSpace(old)), "keys", "list")
			if text, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(text), "another master key") {
				t.Errorf("with the old key: %v %s", err, text)
			}
		})
	}
}

// killAgainAndAgain runs a command, kills it at random moments up to so many times, and lets it
// end then. It returns what it printed at last, and how often it was killed.
func killAgainAndAgain(t *testing.T, env []string, times int, args ...string) (out string, killed int) {
	t.Helper()
	for range times {
		if killOnce(t, program(t, env, args...)) {
			killed++
		}
	}
	text, err := program(t, env, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("stoa %v: %v\n%s", args, err, text)
	}
	return string(text), killed
}

// killOnce starts a command, kills it at a random moment, and reports whether it was still
// running.
func killOnce(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Duration(20+rand.IntN(400)) * time.Millisecond)
	_ = cmd.Process.Kill()
	return cmd.Wait() != nil
}

func program(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	stoa, err := exec.LookPath("stoa") // testscript.Main put it there
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), stoa, args...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
