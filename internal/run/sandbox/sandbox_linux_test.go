package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stoa/internal/testkit/waittest"
)

// inside, in the environment, makes the test binary act as the contained program: native code that
// makes all attempts. It prints the results as JSON.
const inside = "STOA_TEST_INSIDE"

func TestMain(m *testing.M) {
	switch os.Getenv(inside) {
	case "":
		os.Exit(m.Run())
	case "sleep":
		time.Sleep(time.Minute)
	case "try":
		json.NewEncoder(os.Stdout).Encode(tryAll(strings.Split(os.Getenv("ATTEMPTS"), ",")...))
	}
}

// boxWithout returns a Box that was probed by running this very binary.
func boxWithout(t *testing.T, off ...Part) *Box {
	t.Helper()
	return New(func(b *Box) error {
		_, err := run(t, b, Spec{}, "nothing")
		return err
	}, off...)
}

func fullBox(t *testing.T) *Box {
	t.Helper()
	b := boxWithout(t)
	if b.Level() != Full {
		t.Skipf("this machine cannot contain: %s", b.Missing())
	}
	return b
}

// start starts this binary in b, in the given role.
func start(t *testing.T, b *Box, spec Spec, role string, names []string,
	out io.Writer,
) (*exec.Cmd, *Contained, *os.File) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reportWrite.Close()
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Dir = "/"
	cmd.Env = append(targets(t), inside+"="+role, "ATTEMPTS="+strings.Join(names, ","))
	cmd.Stdout = out
	cmd.ExtraFiles = []*os.File{reportWrite, reportWrite}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	spec.Execute = append(spec.Execute, self, "/lib", "/lib64", "/usr/lib")
	c, err := b.Contain(cmd, spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Close()
		t.Fatal(err)
	}
	return cmd, c, reportRead
}

// targets are the objects that the attempts aim at: things of this process that work outside.
func targets(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	abstract := fmt.Sprintf("stoa-test-%d-%s", os.Getpid(), rand.Text())
	env := []string{"SECRET=" + secret, "ABSTRACT=" + abstract, "STOA_PID=" + strconv.Itoa(os.Getpid())}
	for _, at := range []struct{ name, network, addr string }{
		{"STOA", "tcp", "127.0.0.1:0"}, {"ABSTRACT", "unix", "@" + abstract}, {"SOCKET", "unix", filepath.Join(dir, "s")},
	} {
		ln, err := net.Listen(at.network, at.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		if at.name != "ABSTRACT" {
			env = append(env, at.name+"="+ln.Addr().String())
		}
	}
	return env
}

func run(t *testing.T, b *Box, spec Spec, role string, names ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd, c, report := start(t, b, spec, role, names, &out)
	defer c.Close()
	defer report.Close()
	err := cmd.Wait()
	if err != nil {
		why, _ := io.ReadAll(report)
		return "", fmt.Errorf("%w: %s", err, why)
	}
	return out.String(), nil
}

// attempts are made by native code inside. The key names what is tried.
var attempts = map[string]func() error{
	"read /etc/shadow":       func() error { _, err := os.ReadFile("/etc/shadow"); return err },
	"list /":                 func() error { _, err := os.ReadDir("/home"); return err },
	"read the secret":        func() error { _, err := os.ReadFile(os.Getenv("SECRET")); return err },
	"write /tmp":             func() error { return create("/tmp/stoa-escape-" + os.Getenv("ABSTRACT")) },
	"write own library":      func() error { return create("/usr/lib/stoa-escape-" + os.Getenv("ABSTRACT")) },
	"read /proc/1 of stoa":   func() error { return mustDiffer("/proc/1/cmdline") },
	"read /proc/kcore":       func() error { _, err := os.Open("/proc/kcore"); return err },
	"write a sysctl":         opensForWriting("/proc/sys/kernel/core_pattern"),
	"write sysrq":            opensForWriting("/proc/sysrq-trigger"),
	"run a shell":            func() error { return exec.Command("/bin/sh", "-c", "true").Run() },
	"fork":                   func() error { return exec.Command("/proc/self/exe").Run() },
	"become another program": func() error { return syscall.Exec("/usr/lib/x", []string{"x"}, nil) },
	"become itself anew":     func() error { return syscall.Exec(os.Args[0], os.Args, []string{}) },
	"signal all others":      func() error { return unix.Kill(-1, 0) },
	"signal stoa":            func() error { return unix.Kill(number("STOA_PID"), 0) },
	"ptrace":                 raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME),
	"process_vm_readv":       raw(unix.SYS_PROCESS_VM_READV, 1),
	"pidfd_open":             raw(unix.SYS_PIDFD_OPEN, 1),
	"unshare user":           raw(unix.SYS_UNSHARE, unix.CLONE_NEWUSER),
	"unshare network":        raw(unix.SYS_UNSHARE, unix.CLONE_NEWNET),
	"setns":                  raw(unix.SYS_SETNS, 0),
	"clone with namespaces":  raw(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD)),
	"clone3":                 raw(unix.SYS_CLONE3, 0),
	"mount":                  func() error { return unix.Mount("x", "/", "tmpfs", 0, "") },
	"remount writable":       func() error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"umount":                 func() error { return unix.Unmount("/proc", 0) },
	"fsopen":                 raw(unix.SYS_FSOPEN, 0),
	"open_tree":              raw(unix.SYS_OPEN_TREE, 0),
	"chroot":                 func() error { return unix.Chroot("/") },
	"pivot_root":             func() error { return unix.PivotRoot("/", "/") },
	"mknod":                  func() error { return unix.Mknod("/dev/mem", unix.S_IFCHR|0o600, 0x101) },
	"bpf":                    raw(unix.SYS_BPF, 0),
	"perf_event_open":        raw(unix.SYS_PERF_EVENT_OPEN, 0),
	"userfaultfd":            raw(unix.SYS_USERFAULTFD, 0),
	"keyctl":                 raw(unix.SYS_KEYCTL, 0),
	"add_key":                raw(unix.SYS_ADD_KEY, 0),
	"kexec_load":             raw(unix.SYS_KEXEC_LOAD, 0),
	"init_module":            raw(unix.SYS_INIT_MODULE, 0),
	"io_uring":               raw(unix.SYS_IO_URING_SETUP, 8),
	"reboot":                 raw(unix.SYS_REBOOT, 0),
	"sethostname":            raw(unix.SYS_SETHOSTNAME, 0),
	"settimeofday":           raw(unix.SYS_SETTIMEOFDAY, 0),
	"syslog":                 raw(unix.SYS_SYSLOG, 3),
	"personality":            raw(unix.SYS_PERSONALITY, 0x0040000),
	"fanotify":               raw(unix.SYS_FANOTIFY_INIT, 0),
	"inotify":                raw(unix.SYS_INOTIFY_INIT1, 0),
	"shared memory":          raw(unix.SYS_SHMGET, 1, 4096, 0o1600),
	"message queue":          raw(unix.SYS_MSGGET, 1, 0o1600),
	"memfd":                  func() error { _, err := unix.MemfdCreate("x", 0); return err },
	"priority":               func() error { return unix.Setpriority(unix.PRIO_PROCESS, 0, -5) },
	"processors":             func() error { var s unix.CPUSet; s.Set(0); return unix.SchedSetaffinity(0, &s) },
	"real-time":              raw(unix.SYS_SCHED_SETSCHEDULER, 0, 1),
	"setuid":                 raw(unix.SYS_SETUID, 0),
	"raw socket":             func() error { _, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, 1); return err },
	"packet socket":          func() error { _, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM, 0); return err },
	"netlink":                func() error { _, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM, 0); return err },
	"vsock":                  func() error { _, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0); return err },
	"alg socket":             func() error { _, err := unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0); return err },
	"tcp to the outside":     dial("tcp", "192.0.2.1:80"),
	"tcp to stoa":            dial("tcp", os.Getenv("STOA")),
	"tcp to the metadata":    dial("tcp", "169.254.169.254:80"),
	"udp to a name server":   func() error { return send("192.0.2.1:53") },
	"a name":                 func() error { _, err := net.LookupHost("example.com"); return err },
	"abstract socket":        dial("unix", "@"+os.Getenv("ABSTRACT")),
	"unix socket":            dial("unix", os.Getenv("SOCKET")),
	"a new unix socket":      func() error { _, err := net.Listen("unix", "/tmp/s"); return err },
	"core dump":              func() error { return raise(unix.RLIMIT_CORE) },
	"more files":             func() error { return raise(unix.RLIMIT_NOFILE) },
	"x32 call":               raw(1<<30+39, 0),
	"a call of the future":   raw(900, 0),

	"link in the temporary folder":   func() error { return os.Symlink("/proc/self", TempDir+"/link") },
	"socket in the temporary folder": func() error { _, err := net.Listen("unix", TempDir+"/s"); return err },
	"pipe in the temporary folder":   func() error { return unix.Mkfifo(TempDir+"/pipe", 0o600) },
	"run from the temporary folder":  mapTemporary,
	"unmount the temporary folder":   func() error { return unix.Unmount(TempDir, 0) },
}

// mapTemporary maps a file of the temporary folder as code.
func mapTemporary() error {
	f, err := os.Create(TempDir + "/code")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(4096); err != nil {
		return err
	}
	_, err = unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	return err
}

// fill writes into the temporary folder until it is full, and says how much was in it.
func fill() error {
	if err := errors.Join(os.Mkdir(TempDir+"/a", 0o700), os.WriteFile(TempDir+"/a/x", []byte("x"), 0o600),
		os.Rename(TempDir+"/a/x", TempDir+"/x"), os.Truncate(TempDir+"/x", 0), os.RemoveAll(TempDir+"/a")); err != nil {
		return err
	}
	written, made := 0, 0
	for {
		f, err := os.Create(fmt.Sprintf("%s/%d", TempDir, made))
		if err != nil {
			return fmt.Errorf("%d bytes, %d files: %w", written, made, err)
		}
		made++
		for err == nil && made < 4 { // the others stay empty
			var n int
			n, err = f.Write(make([]byte, 64<<10))
			written += n
		}
		f.Close()
	}
}

func raw(nr uintptr, args ...uintptr) func() error {
	return func() error {
		var a [3]uintptr
		copy(a[:], args)
		if _, _, errno := unix.RawSyscall(nr, a[0], a[1], a[2]); errno != 0 {
			return errno
		}
		return nil
	}
}

// create makes a file and removes it, because with a part switched off it may succeed.
func create(path string) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Remove(path)
}

// opensForWriting writes nothing, so that a failing test does not harm the machine.
func opensForWriting(path string) func() error {
	return func() error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			f.Close()
		}
		return err
	}
}

func dial(network, addr string) func() error {
	return func() error {
		conn, err := net.DialTimeout(network, addr, time.Second)
		if err == nil {
			conn.Close()
		}
		return err
	}
}

func send(addr string) error {
	conn, err := net.Dial("udp", addr)
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte("x"))
	return err
}

func raise(which int) error {
	return unix.Setrlimit(which, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
}

// mustDiffer succeeds if the file describes another process than this one.
func mustDiffer(path string) error {
	theirs, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	own, _ := os.ReadFile("/proc/self/cmdline")
	if bytes.Equal(own, theirs) {
		return unix.ESRCH // there is no other
	}
	return nil
}

func number(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

// readIt and a path is the name of an attempt to read a file.
const readIt = "read the file "

func tryAll(names ...string) map[string]string {
	result := make(map[string]string)
	for _, name := range names {
		attempt := attempts[name]
		if name == "fill" {
			attempt = fill
		}
		if path, ok := strings.CutPrefix(name, readIt); ok {
			attempt = func() error {
				text, err := os.ReadFile(path)
				if err == nil && len(text) == 0 {
					err = errors.New("it is empty")
				}
				return err
			}
		}
		if err := attempt(); err != nil {
			result[name] = err.Error()
		} else {
			result[name] = "done"
		}
	}
	return result
}

func TestNativeCodeIsContained(t *testing.T) {
	t.Parallel()
	b := fullBox(t)
	spec := Spec{Limits: Limits{TempBytes: 1 << 20, TempFiles: 16}}
	out, err := run(t, b, spec, "try", slices.Collect(maps.Keys(attempts))...)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range slices.Sorted(maps.Keys(attempts)) {
		if got[name] == "" || got[name] == "done" {
			t.Errorf("%s: %q", name, got[name])
		} else {
			t.Logf("%s: %s", name, strings.TrimSpace(got[name]))
		}
	}
}

// Its bounds are the kernel's: of bytes and of files, also of empty ones.
func TestTheTemporaryFolderIsBoundedAndGoneAtTheEnd(t *testing.T) {
	t.Parallel()
	b := fullBox(t)
	spec := Spec{Limits: Limits{TempBytes: 1 << 20, TempFiles: 32}}
	for range 2 { // the second finds nothing of the first
		out, err := run(t, b, spec, "try", "fill")
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%d bytes, 30 files: open %s/30: no space left on device", 1<<20, TempDir)
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q", out, want)
		}
	}
}

// A file that the program may read can be replaced while the program starts, as ldconfig replaces
// /etc/ld.so.cache.
func TestAFileThatIsReplacedStopsNoStart(t *testing.T) {
	t.Parallel()
	b := fullBox(t)
	dir, err := os.MkdirTemp("/dev/shm", "stoa-test-") //nolint:usetesting // not below /tmp, which the program's own tree hides
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	file, next := filepath.Join(dir, "file"), filepath.Join(dir, "next")
	replace := func() error { return errors.Join(os.WriteFile(next, []byte("text"), 0o600), os.Rename(next, file)) }
	if err := replace(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	replaced := make(chan error)
	go func() {
		for ctx.Err() == nil {
			if err := replace(); err != nil {
				replaced <- err
				return
			}
			time.Sleep(time.Millisecond)
		}
		replaced <- nil
	}()
	for range 20 {
		out, err := run(t, b, Spec{Read: []string{file}}, "try", readIt+file)
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(out, `:"done"`) {
			t.Errorf("the program could not read the file: %s", out)
		}
	}
	stop()
	if err := <-replaced; err != nil {
		t.Error(err)
	}
}

func TestAProgramWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	cmd, c, report := start(t, fullBox(t), Spec{}, "sleep", nil, io.Discard)
	defer c.Close()
	defer report.Close()
	defer cmd.Wait()
	defer cmd.Process.Kill()
	waittest.Until(t, "SCHED_BATCH", func() error {
		attr, err := unix.SchedGetAttr(cmd.Process.Pid, 0)
		if err == nil && attr.Policy != unix.SCHED_BATCH {
			err = fmt.Errorf("the policy is %+v", attr)
		}
		return err
	})
}

// Each part works alone: with the others switched off, it still refuses what it is there for.
func TestEachPartContainsAlone(t *testing.T) {
	t.Parallel()
	fullBox(t)
	tests := []struct {
		// Nothing else is tried with these parts off: it might succeed.
		off     []Part
		refuses []string
	}{
		{off: []Part{Landlock, Seccomp}, refuses: []string{
			"read /etc/shadow", "read the secret", "write own library", "write a sysctl", "write sysrq", "run a shell",
			"signal all others", "signal stoa", "tcp to the outside", "tcp to stoa", "udp to a name server", "a name",
			"abstract socket", "unix socket", "a new unix socket", "raw socket", "mount", "setuid", "init_module",
		}},
		{off: []Part{Namespaces, Seccomp}, refuses: []string{
			"read /etc/shadow", "read the secret", "write /tmp", "write own library", "write a sysctl", "write sysrq",
			"run a shell", "a new unix socket", "abstract socket", "signal stoa",
		}},
		{off: []Part{Namespaces, Landlock}, refuses: []string{
			"run a shell", "fork", "become another program", "become itself anew", "ptrace", "unshare user", "mount",
			"bpf", "io_uring", "raw socket", "netlink", "priority", "processors", "memfd", "keyctl",
		}},
	}
	for _, tt := range tests {
		b := boxWithout(t, tt.off...)
		if b.Level() != Basic || b.Missing() == "" {
			t.Errorf("without %v: level %s, missing %q", tt.off, b.Level(), b.Missing())
		}
		out, err := run(t, b, Spec{Read: []string{"/proc"}}, "try", tt.refuses...)
		if err != nil {
			t.Errorf("without %v: %v", tt.off, err)
			continue
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		for _, name := range tt.refuses {
			if got[name] == "" || got[name] == "done" {
				t.Errorf("without %v: %s: %q", tt.off, name, got[name])
			}
		}
	}
}

// TestTheTargetsWorkOutside checks that the refused attempts would succeed without containment, so
// that the refusals mean something.
func TestTheTargetsWorkOutside(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	names := "read the secret,signal stoa,tcp to stoa,abstract socket,unix socket"
	cmd.Env, cmd.Stdout = append(targets(t), inside+"=try", "ATTEMPTS="+names), &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for name, result := range got {
		if result != "done" {
			t.Errorf("%s: %s", name, result)
		}
	}
}
