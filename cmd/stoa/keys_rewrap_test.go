package main

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// stoa keys rewrap is killed with SIGKILL again and again beside a stoa that serves throughout.
// In the end both files have changed places, and stoa refuses the old key.
func TestRewrapOfTheRealProgramIsKilled(t *testing.T) {
	needtest.Long(t, "it starts the program some 20 times")
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
			clients.Go(func() { signedIn = signInUntil(ctx, t, s.URL) })
			took := whole(t, env, "keys", "rewrap")
			currents, killed, out := []string{old, readFile(t, filepath.Join(dir, masterkey.File))}, 0, ""
			const kills = 12
			for run := range kills + 1 { // one that ends by itself is complete, and the next begins another
				cmd := program(t, env, "keys", "rewrap")
				if run < kills && killOnce(t, cmd, took) {
					killed++
				} else if run == kills {
					text, err := cmd.CombinedOutput()
					if out = string(text); err != nil {
						t.Fatalf("stoa keys rewrap: %v\n%s", err, out)
					}
				}
				if now := readFile(t, filepath.Join(dir, masterkey.File)); now != currents[len(currents)-1] {
					currents = append(currents, now)
				}
			}
			cancel()
			clients.Wait()
			if signedIn == 0 {
				t.Error("nobody signed in meanwhile")
			}
			t.Logf("killed %d times, %d signed in", killed, signedIn)
			n := len(currents)
			if n < 2 || readFile(t, filepath.Join(dir, masterkey.PreviousFile)) != currents[n-2] {
				t.Errorf("the files have not changed places: the key changed %d times", n-1)
			}
			for _, secret := range currents {
				if strings.Contains(out+s.Log(), strings.TrimSpace(secret)) {
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

// signInUntil signs in again and again until ctx is done, and returns how often it did.
func signInUntil(ctx context.Context, t *testing.T, url string) (signedIn int) {
	t.Helper()
	often := time.NewTicker(100 * time.Millisecond) // without a pause, hashing takes a processor
	defer often.Stop()
	for ; ctx.Err() == nil; signedIn++ {
		<-often.C
		status, body := do(t, http.MethodPost, url+"/auth/login", "",
			`{"email":"root@example.com","password":"correct horse battery"}`)
		if status != http.StatusOK {
			t.Errorf("sign-in = %d %s", status, body)
		}
	}
	return signedIn
}

// A process whose master key was replaced without it ends. Else it would answer that every license
// is unknown. And the keys are not exchanged by accident.
func TestAProcessWithAReplacedMasterKeyEnds(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "d")
	old, next := seal.GenerateKey(), seal.GenerateKey()
	env := []string{"STOA_DATA=" + dir, "STOA_REWRAP_SETTLE=1ms", "STOA_MASTER_KEY=" + old}
	s := serve(t, env)
	// The others take it for gone, as if it had been halted for a minute.
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "stoa.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, trigger := range []string{"INSERT", "UPDATE"} {
		_, err := db.ExecContext(t.Context(), `CREATE TRIGGER gone_`+trigger+` AFTER `+trigger+` ON master_key_holders
			WHEN new.seen_at_ms > 0 BEGIN UPDATE master_key_holders SET seen_at_ms = 0; END`)
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE master_key_holders SET seen_at_ms = 0`); err != nil {
		t.Fatal(err)
	}
	if out, err := program(t, append(env, "STOA_MASTER_KEY_NEXT="+next), "keys", "rewrap").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if code := s.wait(t); code != 1 {
		t.Errorf("it ends with %d:\n%s", code, s.Log())
	}
	// The second if it looked while the rewrap was at work.
	if !strings.Contains(s.Log(), "this database belongs to another master key") &&
		!strings.Contains(s.Log(), "is replacing the master key of this database") {
		t.Errorf("it does not say why:\n%s", s.Log())
	}
	exchanged := []string{"STOA_DATA=" + dir, "STOA_REWRAP_SETTLE=1ms", "STOA_MASTER_KEY=" + next, "STOA_MASTER_KEY_NEXT=" + old}
	out, err := program(t, exchanged, "keys", "rewrap").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Are the two keys exchanged?") {
		t.Errorf("exchanged: %v %s", err, out)
	}
	if out, err := program(t, exchanged, "keys", "rewrap", "--reuse-old-key").CombinedOutput(); err != nil {
		t.Errorf("exchanged on purpose: %v %s", err, out)
	}
}

// killOnce starts a command, kills it at a random moment within a time, and reports whether it was
// still running.
func killOnce(t *testing.T, cmd *exec.Cmd, within time.Duration) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(rand.N(within))
	_ = cmd.Process.Kill()
	return cmd.Wait() != nil
}

func program(tb testing.TB, env []string, args ...string) *exec.Cmd {
	tb.Helper()
	stoa, err := exec.LookPath("stoa") // testscript.Main put it there
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), stoa, args...)
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
