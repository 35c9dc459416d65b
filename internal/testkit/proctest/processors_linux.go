package proctest

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Processors returns the processors that this process may use, and the last of them.
func Processors(tb testing.TB) (all, last unix.CPUSet) {
	tb.Helper()
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		tb.Fatal(err)
	}
	for cpu := range len(all) * 64 {
		if all.IsSet(cpu) {
			last = unix.CPUSet{}
			last.Set(cpu)
		}
	}
	return all, last
}

// Threads returns the processors that each thread of a process may use.
func Threads(tb testing.TB, pid int) map[int]unix.CPUSet {
	tb.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		tb.Fatal(err)
	}
	sets := map[int]unix.CPUSet{}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			tb.Fatal(err)
		}
		var set unix.CPUSet
		if unix.SchedGetaffinity(id, &set) == nil { // else the thread is gone
			sets[id] = set
		}
	}
	return sets
}

// MayUse reports whether all threads of a process may use exactly those processors.
func MayUse(tb testing.TB, pid int, want unix.CPUSet) bool {
	tb.Helper()
	for _, set := range Threads(tb, pid) {
		if set != want {
			return false
		}
	}
	return true
}
