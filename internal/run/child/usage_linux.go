package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stoa/internal/run/sandbox"
)

// scratch is the temporary folder of a child.
type scratch struct{ fd int }

// openScratch opens the temporary folder of a child. Without one, it holds nothing.
func openScratch(pid int) scratch {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/root%s", pid, sandbox.TempDir), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return scratch{-1}
	}
	return scratch{fd}
}

// used returns how many bytes the files in it take.
func (t scratch) used() int64 {
	var st unix.Statfs_t
	if t.fd < 0 || unix.Fstatfs(t.fd, &st) != nil || st.Type != unix.TMPFS_MAGIC {
		return 0
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize //nolint:gosec // some MiB
}

func (t scratch) close() {
	if t.fd >= 0 {
		_ = unix.Close(t.fd)
	}
}

// processorTime returns how long a process has computed, in all its threads.
func processorTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const user, system, hertz = 11, 12, 100
	if len(fields) <= system {
		return 0, fmt.Errorf("node: unreadable /proc/%d/stat", pid)
	}
	u, err1 := strconv.ParseInt(string(fields[user]), 10, 64)
	s, err2 := strconv.ParseInt(string(fields[system]), 10, 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("node: unreadable /proc/%d/stat", pid)
	}
	return time.Duration(u+s) * time.Second / hertz, nil
}

// confine restricts all threads of a process to the last processor that stoa may
// use, or lets them use all of those. It reports whether there is a difference.
func confine(pid int, confined bool) bool {
	var all unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil || all.Count() < 2 {
		return false
	}
	set := all
	if confined {
		set = unix.CPUSet{}
		for cpu := len(all)*64 - 1; cpu >= 0; cpu-- {
			if all.IsSet(cpu) {
				set.Set(cpu)
				break
			}
		}
	}
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return false
	}
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.SchedSetaffinity(id, &set) // it may be gone
		}
	}
	return true
}
