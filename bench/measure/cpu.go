package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of times in /proc, on every Linux there is.
const tick = 10 * time.Millisecond

// CPUOf returns how much processor time a process has used, itself and the
// kernel on its behalf; zero where there is no /proc. Unlike a rate it hardly
// depends on what else the machine does.
func CPUOf(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(stat, []byte(") ")) // the name may hold spaces
	fields := bytes.Fields(rest)
	const user, system = 11, 12 // counted from the state
	if len(fields) <= system {
		return 0
	}
	var all time.Duration
	for _, f := range [][]byte{fields[user], fields[system]} {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0
		}
		all += time.Duration(n) * tick
	}
	return all
}

// TreeCPUOf is CPUOf for a process and everything that it started and that runs: nginx has
// workers, and stoa the processes of internal plugins.
func TreeCPUOf(pid int) time.Duration {
	used := CPUOf(pid)
	// The children of a process are listed by the thread that started them.
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return used
	}
	for _, list := range lists {
		text, err := os.ReadFile(list) //nolint:gosec // of /proc
		if err != nil {
			continue // the thread has ended
		}
		for field := range bytes.FieldsSeq(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				used += TreeCPUOf(child)
			}
		}
	}
	return used
}
