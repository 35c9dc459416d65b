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

// launcherName as argv[0] makes stoa the launcher of a program. A caller who can set
// argv[0] can start any program anyway.
const launcherName = "stoa-sandbox"

// order is the launcher's only argument, in JSON. It holds no secrets: every user of the machine can
// read arguments.
type order struct {
	Program string
	Args    []string
	Dir     string
	Parts   []Part
	Spec    Spec
}

// init and not main, so that it runs before everything else, in stoa and in every test that starts
// plugins, and no program that uses this package can forget it.
func init() { //nolint:gochecknoinits // see above
	if len(os.Args) == 2 && os.Args[0] == launcherName {
		launch(os.Args[1])
	}
}

// launch never returns: this process becomes the program, or ends.
func launch(text string) {
	// Everything below applies to the calling thread. The other threads end when this one becomes
	// the program.
	runtime.LockOSThread()
	var o order
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		err = o.run()
	}
	report, _ := json.Marshal(map[string]any{"error": map[string]string{"phase": "sandbox", "message": err.Error()}})
	_, _ = unix.Write(reportFD, append(report, '\n')) // if this fails, there is no other way to report it
	os.Exit(1)
}

func (o *order) has(p Part) bool { return slices.Contains(o.Parts, p) }

// run contains this process and becomes the program. The order matters: each step takes away
// rights that the steps before it needed.
func (o *order) run() error {
	program, err := newProgram(o)
	if err != nil {
		return err
	}
	// Out of memory, the kernel must kill this process first.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
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

// stepBack gives this process, and the program it becomes, the batch scheduling policy. Otherwise
// the program preempts stoa whenever stoa writes a request to it, and stoa preempts it when it
// answers; with no more processors than busy processes, a call costs a seventh more. Safety does not
// depend on it, and systems may forbid it.
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

// become executes the program. It returns only if that fails. It does not use syscall.Exec, because
// the filter allows execve for this one pointer only.
func (p program) become() error {
	_, _, errno := syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(p.path)),
		uintptr(unsafe.Pointer(&p.argv[0])), uintptr(unsafe.Pointer(&p.envv[0])))
	return fmt.Errorf("exec: %w", errno)
}

// dropCapabilities gives up all capabilities for good, including those that the program's file could
// grant.
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

const (
	// addressSpace bounds page tables, which take 1/512 of what is mapped even where no memory
	// is behind it. V8 reserves 10 GiB for each memory of WebAssembly.
	addressSpace = 256 << 30

	// maxSignals is how many signals may wait for the program, and how many timers it may make.
	maxSignals = 128
)

// limit sets the kernel's limits for this process.
func limit(l Limits, namespaces bool) error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_MEMLOCK: 0, unix.RLIMIT_MSGQUEUE: 0,
		unix.RLIMIT_NICE: 0, unix.RLIMIT_RTPRIO: 0,
		unix.RLIMIT_FSIZE: 0, // there is no file it could write
		unix.RLIMIT_AS:    addressSpace,
	}
	if namespaces {
		limits[unix.RLIMIT_FSIZE] = l.TempBytes
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
		limits[unix.RLIMIT_SIGPENDING] = maxSignals
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
