package password

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit/waittest"
)

// serves, in the environment, makes the test binary the process of an Aside.
const serves = "STOA_TEST_ASIDE"

func TestMain(m *testing.M) {
	if os.Getenv(serves) == "" {
		os.Exit(m.Run())
	}
	if err := ServeAside(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// small costs little, and yet takes long enough that several are computed at a time.
var small = Params{MemoryKiB: 256, Time: 1, Threads: 1, SaltLen: 16, KeyLen: 32}

// aside is an Aside with what it logs.
type aside struct {
	*Aside
	hasher *Hasher

	mu  sync.Mutex
	log bytes.Buffer
}

// Write implements io.Writer.
func (a *aside) Write(line []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log.Write(line)
}

func (a *aside) logged() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log.String()
}

func newAside(t *testing.T, args ...string) *aside {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if len(args) == 0 {
		args = []string{self}
	}
	a := &aside{}
	a.Aside = NewAside(func() *exec.Cmd {
		cmd := exec.Command(args[0], args[1:]...) // Close ends it
		cmd.Env = []string{serves + "=1"}
		return cmd
	}, slog.New(slog.NewTextHandler(a, nil)))
	a.limit, a.again = time.Hour, time.Hour
	t.Cleanup(func() { a.Close(context.Background()) })
	a.hasher = NewHasher(small, Limits{Parallel: 4, Aside: a.Aside})
	return a
}

// running returns the process, or nil.
func (a *aside) running() *asideProcess {
	a.Aside.mu.Lock()
	defer a.Aside.mu.Unlock()
	return a.process
}

// wantHash wants a hash that is right wherever it was computed.
func (a *aside) wantHash(t *testing.T, password string) {
	t.Helper()
	hash, err := a.hasher.Hash(t.Context(), password)
	if err != nil {
		t.Error(err)
		return
	}
	for by, h := range map[string]*Hasher{"the same": a.hasher, "another": NewHasher(small, Limits{})} {
		for guess, want := range map[string]bool{password: true, password + "x": false} {
			if match, outdated, err := h.Verify(t.Context(), hash, guess); match != want || outdated || err != nil {
				t.Errorf("%s hasher, %q for %q: %v, outdated %v, %v", by, guess, password, match, outdated, err)
			}
		}
	}
}

func TestHashesOfAnotherProcessAreTheSame(t *testing.T) {
	t.Parallel()

	a := newAside(t)
	if a.running() != nil {
		t.Error("a process runs before the first hash")
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 5 {
				a.wantHash(t, fmt.Sprintf("%d.%d", i, n))
			}
		})
	}
	all.Wait()
	if a.running() == nil {
		t.Error("no process computed them")
	}
	if log := a.logged(); log != "" {
		t.Error(log)
	}
}

// However a process ends, what it was asked for is computed here, and another one is started later.
func TestAKilledProcessCostsNoHash(t *testing.T) {
	t.Parallel()

	a := newAside(t)
	a.wantHash(t, "first")
	first := a.running()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 50 {
			a.wantHash(t, "meanwhile")
		}
	}()
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-done
	waittest.True(t, "the end of the process to be noticed", func() bool {
		a.wantHash(t, "again")
		return a.running() != first
	})
	if log := a.logged(); strings.Count(log, "level=WARN") != 1 {
		t.Errorf("one warning wanted: %s", log)
	}
	if a.running() != nil {
		t.Error("another process was started at once")
	}
	a.Aside.mu.Lock()
	a.retryAt = a.retryAt.Add(-a.again)
	a.Aside.mu.Unlock()
	a.wantHash(t, "later")
	if a.running() == nil {
		t.Error("no other process was started later")
	}
}

// Every process that is too late has let somebody wait.
func TestAProcessThatFailsAgainAndAgainIsStartedLessAndLess(t *testing.T) {
	t.Parallel()

	a := newAside(t)
	a.again = asideAgain
	pause := func() time.Duration {
		a.Aside.mu.Lock()
		defer a.Aside.mu.Unlock()
		a.failed(errAsideStalled)
		return time.Until(a.retryAt).Round(asideAgain)
	}
	for _, want := range []time.Duration{asideAgain, 2 * asideAgain, 4 * asideAgain, 8 * asideAgain} {
		if got := pause(); got != want {
			t.Errorf("the pause is %s, want %s", got, want)
		}
	}
	for range 100 {
		pause()
	}
	if got := pause(); got != asideRarely {
		t.Errorf("the longest pause is %s, want %s", got, asideRarely)
	}
	a.Aside.mu.Lock()
	a.retryAt = time.Time{}
	a.Aside.mu.Unlock()
	a.wantHash(t, "at last")
	if got := pause(); got != asideAgain {
		t.Errorf("after a hash, the pause is %s, want %s", got, asideAgain)
	}
}

func TestWithoutAProcessHashesAreComputedHere(t *testing.T) {
	t.Parallel()

	for name, args := range map[string][]string{
		"no program": {"/nowhere/stoa"}, "it ends": {"/bin/true"}, "it prints something else": {"/bin/echo", "hello"},
		"it stands still": {"/bin/sleep", "infinity"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			a := newAside(t, args...)
			if name == "it stands still" {
				a.limit = time.Millisecond
			}
			a.wantHash(t, "secret")
			a.wantHash(t, "secret")
			if log := a.logged(); strings.Count(log, "level=WARN") != 1 || strings.Contains(log, "secret") {
				t.Errorf("one warning wanted: %s", log)
			}
		})
	}
}

func TestAProcessWithoutWorkEnds(t *testing.T) {
	t.Parallel()

	a := newAside(t)
	a.wantHash(t, "first")
	first := a.running()
	busy := a.acquire()
	a.endIdle()
	if busy != first || a.running() != first {
		t.Fatal("a process with work was ended")
	}
	a.release(busy, nil)
	a.endIdle()
	<-first.ended
	if err := first.cmd.ProcessState; !err.Success() || a.running() != nil {
		t.Errorf("the process ended with %v", err)
	}
	a.wantHash(t, "second")
	if p := a.running(); p == nil || p == first {
		t.Error("no other process was started")
	}
	if log := a.logged(); log != "" {
		t.Error(log)
	}
}

// What asks the whole program to end comes to the process, too. It serves to the end.
func TestTheProcessEndsWithItsOwner(t *testing.T) {
	t.Parallel()

	a := newAside(t)
	a.wantHash(t, "first")
	p := a.running()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if err := p.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	a.wantHash(t, "second")
	if a.running() != p {
		t.Error("a signal ended the process")
	}
	a.Close(t.Context())
	<-p.ended
	a.wantHash(t, "after the end")
	if a.running() != nil || a.logged() != "" {
		t.Errorf("a process was started after Close, or: %s", a.logged())
	}
}
