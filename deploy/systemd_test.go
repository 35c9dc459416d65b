package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	plugins "stoa/examples/plugins"
	"stoa/internal/testkit/needtest"
)

const unit = "systemd/stoa.service"

// The bound that systemd itself calls "OK" ends at 5; most services are above 9.
func TestTheUnitIsExposedLessThanTwo(t *testing.T) {
	t.Parallel()
	needtest.Program(t, "systemd-analyze", "run scripts/test-deps")

	out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager", unit).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := regexp.MustCompile(`Overall exposure level for stoa\.service: ([0-9.]+)`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("there is no level in\n%s", out)
	}
	if level, err := strconv.ParseFloat(string(m[1]), 64); err != nil || level >= 2 {
		t.Errorf("the level is %s, want less than 2.0\n%s", m[1], out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, "ignoring") || strings.Contains(line, "Unknown") {
			t.Errorf("systemd does not know all of the unit: %s", line)
		}
	}
}

// crashes, in the environment, makes TestACrashIsNotTakenForWrongSettings crash.
const crashes = "STOA_TEST_CRASHES"

// A Go program that crashes ends with 2 by itself, as stoa does when its settings are wrong: systemd
// would not start it again.
func TestACrashIsNotTakenForWrongSettings(t *testing.T) {
	if os.Getenv(crashes) != "" {
		if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { panic("of a goroutine") }()
		<-ended
	}
	t.Parallel()
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\nRestart=on-failure\n") || !strings.Contains(string(text), "\nRestartPreventExitStatus=2\n") ||
		!strings.Contains(string(text), "\nLimitCORE=0\n") { // a dump would have the master key
		t.Fatal("the unit does not say what this test relies on")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), crashes+"=1")
	for _, m := range regexp.MustCompile(`(?m)^Environment=(.*)$`).FindAllStringSubmatch(string(text), -1) {
		cmd.Env = append(cmd.Env, strings.Fields(m[1])...)
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != -1 || !strings.Contains(string(out), "panic: of a goroutine") {
		t.Errorf("it ends with %v, want a signal\n%s", err, out)
	}
}

// systemd runs in namespaces of its own, over a copy of this machine's files that is thrown away.
// It starts stoa by the unit: as its user, with READY=1, with a plugin whose JavaScript runs fully
// contained, and ends it with exit code 0.
func TestSystemdRunsTheUnitAndPluginsInIt(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it boots systemd")
	if os.Getuid() != 0 {
		t.Skip("only root can start a systemd of its own")
	}
	needtest.Program(t, "systemd-sysusers", "run scripts/test-deps")
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	archive, err := plugins.Archive("gift-notes", nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(files, "gift-notes.zip"), string(archive))

	cmd := exec.Command("unshare", "--pid", "--mount", "--uts", "--ipc", "--net", "--fork", "--kill-child",
		"testdata/boot-systemd", path, t.TempDir(), files)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"user: stoa", "state: active", `isolation=full`, `"birthday"`, "stopped: success 0", "mode: 700 stoa",
		"secrets: 640 root stoa",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "/proc/sys/net is read-only") {
		t.Errorf("the buffers of plugins' sockets are not bounded:\n%s", out)
	}
}
