package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// controllers are the cgroup controllers that the limits need.
var controllers = []string{"memory", "pids"}

const (
	groupPattern = "stoa-plugins-*" // the folder of all groups of one stoa
	ownGroup     = "stoa-self"      // where stoa itself goes if it is in the way
)

// Groups makes control groups (cgroup v2), one for each program, with which the kernel limits the
// program's memory and threads as a whole. It is safe for concurrent use.
type Groups struct {
	dir  string
	lock *os.File // the folder itself, locked while this process lives
	last atomic.Int64
}

// OwnGroups returns the Groups below the control group of this process. It returns an error if
// cgroup v2 is missing, not writable or lacks a controller.
func OwnGroups() (*Groups, error) {
	base, err := ownGroupDir()
	if err != nil {
		return nil, err
	}
	return newGroups(base, controllers)
}

// ownGroupDir returns the folder of this process's control group.
func ownGroupDir() (string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	return groupDirIn(string(mounts), string(own))
}

// groupDirIn is ownGroupDir for the text of mountinfo and of cgroup in /proc/self.
func groupDirIn(mounts, own string) (string, error) {
	path := ""
	for line := range strings.Lines(own) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			path = rest
		}
	}
	if path == "" || strings.HasPrefix(path, "/..") {
		return "", errors.New("this process has no cgroup v2 that it can see")
	}
	scanner := bufio.NewScanner(strings.NewReader(mounts))
	for scanner.Scan() {
		// … mount point at the fifth place … - type source options (proc_pid_mountinfo(5))
		before, after, ok := strings.Cut(scanner.Text(), " - ")
		fields := strings.Fields(before)
		if ok && strings.HasPrefix(after, "cgroup2 ") && len(fields) > 4 {
			return filepath.Join(fields[4], path), nil
		}
	}
	return "", errors.New("cgroup v2 is not mounted")
}

// newGroups returns Groups below base with these controllers.
func newGroups(base string, controllers []string) (*Groups, error) {
	sweepGroups(base)
	if err := enable(base, controllers, true); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(base, groupPattern)
	if err != nil {
		return nil, err
	}
	g := &Groups{dir: dir}
	if g.lock, err = os.Open(dir); err == nil {
		err = errors.Join(unix.Flock(int(g.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB), enable(dir, controllers, false))
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// enable enables the controllers for the groups below dir. The kernel refuses that while dir itself
// holds processes: with move, this process and its children move to a group below if there are no others.
func enable(dir string, controllers []string, move bool) error {
	there, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	enabled, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	if err != nil {
		return err
	}
	var wanted []string
	for _, c := range controllers {
		if !slices.Contains(strings.Fields(string(there)), c) {
			return fmt.Errorf("%s has no %s controller", dir, c)
		}
		if !slices.Contains(strings.Fields(string(enabled)), c) {
			wanted = append(wanted, "+"+c)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	set := func() error { return write(dir, "cgroup.subtree_control", strings.Join(wanted, " ")) }
	if err = set(); errors.Is(err, unix.EBUSY) && move {
		if err = moveAway(dir); err == nil {
			err = set()
		}
	}
	return err
}

// moveAway moves this process and its children to a group below dir, if no other process is in dir.
func moveAway(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return err
	}
	self := strconv.Itoa(os.Getpid())
	all := strings.Fields(string(text))
	for _, process := range all {
		if process != self && !isChildOf(self, process) {
			return fmt.Errorf("%s has other processes than stoa", dir)
		}
	}
	own := filepath.Join(dir, ownGroup)
	if err := os.Mkdir(own, 0o755); err != nil && !errors.Is(err, os.ErrExist) { // as the kernel does
		return err
	}
	for _, process := range all {
		if err := write(own, "cgroup.procs", process); err != nil && !errors.Is(err, unix.ESRCH) { // it may have ended
			return err
		}
	}
	return nil
}

// isChildOf reports whether a process was started by parent, or has ended meanwhile. It returns false
// for a process outside of this PID namespace, whose id reads as 0, and for one that it cannot inspect.
func isChildOf(parent, process string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", process, "stat"))
	if err != nil {
		pid, _ := strconv.Atoi(process)
		return pid > 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	}
	// The name, in parentheses, may have anything in it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return len(fields) > 1 && fields[1] == parent
}

func write(dir, name, value string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(value), 0o600)
}

// sweepGroups removes the groups of stoas that have ended. A group with a process in it stays: the
// kernel refuses to remove it.
func sweepGroups(base string) {
	left, _ := filepath.Glob(filepath.Join(base, groupPattern)) // the pattern is ours
	for _, dir := range left {
		f, err := os.Open(dir) // below our own group
		if err != nil {
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			removeGroups(dir)
		}
		_ = f.Close()
	}
}

func removeGroups(dir string) {
	below, _ := filepath.Glob(filepath.Join(dir, "[0-9]*"))
	for _, group := range append(below, dir) {
		_ = unix.Rmdir(group)
	}
}

// Close removes the groups. Their programs must have ended.
func (g *Groups) Close() {
	removeGroups(g.dir)
	if g.lock != nil {
		_ = g.lock.Close()
	}
}

// group is the control group of one program.
type group struct {
	dir string
	fd  *os.File
}

// add makes a group with these limits.
func (g *Groups) add(l Limits) (*group, error) {
	made := &group{dir: filepath.Join(g.dir, strconv.FormatInt(g.last.Add(1), 10))}
	err := os.Mkdir(made.dir, 0o755) // as the kernel does
	if err != nil {
		return nil, err
	}
	if l.GroupBytes > 0 {
		err = write(made.dir, "memory.max", strconv.FormatUint(l.GroupBytes, 10))
		_ = write(made.dir, "memory.swap.max", "0") // there may be no swap to bound
		_ = write(made.dir, "memory.oom.group", "1")
	}
	if l.Threads > 0 && err == nil {
		err = write(made.dir, "pids.max", strconv.FormatUint(l.Threads, 10))
	}
	if err == nil {
		made.fd, err = os.Open(made.dir)
	}
	if err != nil {
		made.close()
		return nil, err
	}
	return made, nil
}

// join makes cmd start in the group.
func (g *group) join(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.fd.Fd())
}

// outOfMemory reports whether the kernel killed a process for exceeding the group's limit.
func (g *group) outOfMemory() bool {
	events, err := os.ReadFile(filepath.Join(g.dir, "memory.events"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(events)) {
		if count, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
			return count != "0"
		}
	}
	return false
}

// close kills what is left in the group and removes it.
func (g *group) close() {
	_ = write(g.dir, "cgroup.kill", "1") // from Linux 5.14 on
	if g.fd != nil {
		_ = g.fd.Close()
	}
	_ = unix.Rmdir(g.dir) // if processes are still exiting, Groups.Close removes it
}
