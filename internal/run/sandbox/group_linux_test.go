package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stoa/internal/testkit/waittest"
)

// fakeGroup writes the files of a control group as the kernel would.
func fakeGroup(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func content(tb testing.TB, path ...string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		tb.Error(err)
	}
	return string(text)
}

func TestTheOwnGroupIsFound(t *testing.T) {
	t.Parallel()
	const v2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	const hybrid = "31 24 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n32 24 0:28 / " +
		"/sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	tests := []struct{ name, mounts, own, want string }{
		{"a service", v2, "0::/system.slice/stoa.service\n", "/sys/fs/cgroup/system.slice/stoa.service"},
		{"a container", v2, "0::/\n", "/sys/fs/cgroup"},
		{"both versions", hybrid, "4:memory:/x\n0::/y\n", "/sys/fs/cgroup/unified/y"},
		{"version 1 alone", "31 24 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "4:memory:/x\n", ""},
		{"not mounted", "", "0::/\n", ""},
		{"outside of the namespace", v2, "0::/../../x\n", ""},
	}
	for _, tt := range tests {
		got, err := groupDirIn(tt.mounts, tt.own)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestAGroupHasItsLimits(t *testing.T) {
	t.Parallel()
	base := fakeGroup(t, map[string]string{"cgroup.controllers": "cpu memory pids\n", "cgroup.subtree_control": ""})
	// The kernel would make these files in the new group.
	g := &Groups{dir: fakeGroup(t, nil)}
	if err := enable(base, controllers, false); err != nil {
		t.Fatal(err)
	}
	if got := content(t, base, "cgroup.subtree_control"); got != "+memory +pids" {
		t.Errorf("subtree_control: %q", got)
	}
	made, err := g.add(Limits{GroupBytes: 320 << 20, Threads: 64, OpenFiles: 10})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"memory.max": "335544320", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "64",
	} {
		if got := content(t, made.dir, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for events, want := range map[string]bool{
		"low 0\noom 0\noom_kill 0\n":            false,
		"oom 2\noom_kill 1\noom_group_kill 1\n": true,
	} {
		if err := write(made.dir, "memory.events", events); err != nil {
			t.Fatal(err)
		}
		if (&Contained{group: made}).OutOfMemory() != want {
			t.Errorf("%q: out of memory %t", events, !want)
		}
	}
	(&Contained{group: made}).Ended()
	if got := content(t, made.dir, "cgroup.kill"); got != "1" {
		t.Errorf("what is left in the group is not killed: %q", got)
	}
}

// stoa makes room in its group by moving away, together with what it has started before plugins.
func TestOnlyOwnProcessesMoveAway(t *testing.T) {
	t.Parallel()
	child := exec.CommandContext(t.Context(), "sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	self, childs, gone := strconv.Itoa(os.Getpid()), strconv.Itoa(child.Process.Pid), strconv.Itoa(math.MaxInt32)
	for procs, last := range map[string]string{
		self: self, self + "\n" + childs: childs, gone + "\n" + self: self, self + "\n1": "", "1": "", self + "\n0": "", "0": "",
	} {
		dir := fakeGroup(t, map[string]string{"cgroup.procs": procs + "\n"})
		err := moveAway(dir)
		moved, _ := os.ReadFile(filepath.Join(dir, ownGroup, "cgroup.procs")) // a file keeps the last one
		if string(moved) != last || (err == nil) != (last != "") {
			t.Errorf("%q: moved %q, %v; want %q", procs, moved, err, last)
		}
	}
}

func TestWithoutAControllerThereAreNoGroups(t *testing.T) {
	t.Parallel()
	for _, there := range []string{"", "cpu memory", "cpu pids"} {
		base := fakeGroup(t, map[string]string{"cgroup.controllers": there, "cgroup.subtree_control": ""})
		groups, err := newGroups(base, controllers)
		if err == nil || !strings.Contains(err.Error(), "controller") {
			t.Errorf("with %q: %v", there, err)
		}
		b := &Box{has: parts}
		b.UseGroups(groups, err, func(*Box) error { return nil })
		if b.Ungrouped() == nil || b.Level() != Full {
			t.Errorf("with %q: %v, level %s; the level does not depend on it", there, b.Ungrouped(), b.Level())
		}
	}
}

// realGroups returns Groups of the real kernel, with the controllers that it has.
func realGroups(t *testing.T) (g *Groups, base string) {
	t.Helper()
	base, err := ownGroupDir()
	if err != nil {
		t.Skip(err)
	}
	var wanted []string
	for _, c := range controllers {
		if enable(base, []string{c}, false) == nil {
			wanted = append(wanted, c)
		}
	}
	g, err = newGroups(base, wanted)
	if err != nil {
		t.Skipf("no control groups here: %v", err)
	}
	t.Logf("control groups with %v", wanted)
	t.Cleanup(g.Close)
	return g, base
}

func TestAProgramStartsInItsGroupAndLeavesNone(t *testing.T) {
	b := fullBox(t)
	g, base := realGroups(t)
	b.UseGroups(g, nil, func(b *Box) error {
		_, err := run(t, b, Spec{}, "nothing")
		return err
	})
	if err := b.Ungrouped(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd, c, report := start(t, b, Spec{}, "sleep", nil, &out)
	defer report.Close()
	defer c.Close()
	own := content(t, fmt.Sprintf("/proc/%d/cgroup", cmd.Process.Pid))
	if !strings.Contains(own, strings.TrimPrefix(c.group.dir, base)) {
		t.Errorf("the program is in %s, want %s", own, c.group.dir)
	}
	// Another stoa that starts now does not remove this one's groups.
	sweepGroups(base)
	if _, err := os.Stat(c.group.dir); err != nil {
		t.Errorf("swept although in use: %v", err)
	}
	if err := write(c.group.dir, "cgroup.kill", "1"); err != nil {
		t.Skip(err) // before Linux 5.14
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the program ended before it was killed")
	}
	waittest.True(t, "the group to be gone", func() bool {
		c.Ended()
		_, err := os.Stat(c.group.dir)
		return errors.Is(err, os.ErrNotExist)
	})
}

func TestGroupsOfAKilledStoaAreSwept(t *testing.T) {
	g, base := realGroups(t)
	if _, err := g.add(Limits{}); err != nil {
		t.Fatal(err)
	}
	sweepGroups(base)
	if _, err := os.Stat(g.dir); err != nil {
		t.Fatalf("swept although its stoa lives: %v", err)
	}
	if err := unix.Flock(int(g.lock.Fd()), unix.LOCK_UN); err != nil { // as when that is killed
		t.Fatal(err)
	}
	sweepGroups(base)
	if _, err := os.Stat(g.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", g.dir, err)
	}
}
