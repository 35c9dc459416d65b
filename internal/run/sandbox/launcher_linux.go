package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launcherName, as its own name, makes stoa the launcher of a program. Nobody can
// give it that name from outside without being able to start anything anyway.
const launcherName = "stoa-sandbox"

// order is what a launcher is told, as its only argument. It is no secret: every
// user of the machine can read arguments.
type order struct {
	Program string
	Args    []string
	Dir     string
	Parts   []Part
	Spec    Spec
}

// init and not main: so it comes before everything else, in stoa and in every test
// that starts plugins, and no program that uses this package can forget it.
func init() { //nolint:gochecknoinits // see above
	if len(os.Args) == 2 && os.Args[0] == launcherName {
		launch(os.Args[1])
	}
}

// launch never returns: this process becomes the program, or ends.
func launch(text string) {
	// Everything below concerns the thread that asks. The others end when this one
	// becomes the program.
	runtime.LockOSThread()
	var o order
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = o.run()
	}
	report, _ := json.Marshal(map[string]any{"error": map[string]string{"phase": "sandbox", "message": err.Error()}})
	_, _ = unix.Write(reportFD, append(report, '\n')) // there is nobody else to tell
	os.Exit(1)
}

func (o *order) has(p Part) bool { return slices.Contains(o.Parts, p) }

// run contains this process and becomes the program. The order matters: each step
// takes away what the steps before needed.
func (o *order) run() error {
	program, err := newProgram(o)
	if err != nil {
		return err
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // short of memory, the kernel is to take this one
	stepBack()
	if o.has(Namespaces) {
		if err := network(o.Spec); err != nil {
			return fmt.Errorf("network: %w", err)
		}
		if err := fileTree(o.Spec); err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	if err := os.Chdir(o.Dir); err != nil {
		return err
	}
	if err := limit(o.Spec.Limits, o.has(Namespaces)); err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if o.has(Namespaces) {
		if err := dropCapabilities(); err != nil {
			return fmt.Errorf("capabilities: %w", err)
		}
	}
	if o.has(Landlock) {
		if err := landlock(o.Spec, o.has(Namespaces)); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	// Once more: the kernel forgets it when the process's credentials change.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("pdeathsig: %w", err)
	}
	if o.has(Seccomp) {
		if err := seccomp(program.path); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	return program.become()
}

// stepBack has this process, and what it becomes, wait for its turn. Otherwise each call that stoa
// writes to it takes the processor from stoa at once, and back with the answer; if there are no
// more processors than busy processes, a call costs a seventh more. It is not needed for safety,
// and systems may forbid it.
func stepBack() {
	if attr, err := unix.SchedGetAttr(0, 0); err == nil {
		attr.Policy = unix.SCHED_BATCH
		_ = unix.SchedSetAttr(0, attr, 0)
	}
}

// program is what a launcher becomes.
type program struct {
	path *byte
	argv []*byte
	envv []*byte
}

func newProgram(o *order) (program, error) {
	path, err1 := syscall.BytePtrFromString(o.Program)
	argv, err2 := syscall.SlicePtrFromStrings(o.Args)
	envv, err3 := syscall.SlicePtrFromStrings(os.Environ())
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return program{}, err
		}
	}
	return program{path, argv, envv}, nil
}

// become returns only if that fails. Not syscall.Exec: the filter lets execve pass
// for this one pointer only.
func (p program) become() error {
	_, _, errno := syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(p.path)),

		uintptr(unsafe.Pointer(&p.argv[0])), uintptr(unsafe.Pointer(&p.envv[0]))) // the same
	return fmt.Errorf("exec: %w", errno)
}

// dropCapabilities gives up all of them, for good: also those that a program could
// be given by its file.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil &&
			err != unix.EINVAL {
			return err
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// limit sets the limits that the kernel keeps for each process.
func limit(l Limits, namespaces bool) error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_MEMLOCK: 0, unix.RLIMIT_MSGQUEUE: 0,
		unix.RLIMIT_NICE: 0, unix.RLIMIT_RTPRIO: 0,
		unix.RLIMIT_FSIZE: 0, // there is no file it could write
	}
	if l.DataBytes > 0 {
		limits[unix.RLIMIT_DATA] = l.DataBytes
	}
	if l.OpenFiles > 0 {
		limits[unix.RLIMIT_NOFILE] = l.OpenFiles
	}
	// Since Linux 5.14 the kernel counts by user namespace; Landlock 2 came later.
	if l.Threads > 0 && namespaces && landlockVersion() >= 2 {
		limits[unix.RLIMIT_NPROC] = l.Threads
	}
	for which, most := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(which, &now); err != nil {
			return err
		}
		most = min(most, now.Max)
		if err := unix.Prlimit(0, which, &unix.Rlimit{Cur: most, Max: most}, nil); err != nil {
			return err
		}
	}
	return nil
}
