package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stoa/internal/testkit/needtest"
)

// A package installs the program, its user and the settings; an upgrade keeps changed settings, and
// not even a purge touches the data.
func TestTheDebianPackageKeepsSettingsAndData(t *testing.T) {
	t.Parallel()
	heavy(t)
	needtest.Program(t, "dpkg", "a Debian machine")
	if os.Getuid() != 0 {
		t.Skip("only root can install a package")
	}

	first, second := debianPackage(t, "1.0.0-rc.1"), debianPackage(t, "1.0.0")
	out, err := exec.Command("unshare", "--mount", "testdata/try-deb", t.TempDir(), first, second).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"stoa 0.1.0", "settings: 640 root stoa", "upgraded: 1.0.0\n", "kept: # mine, 640 root stoa",
		"removed: # mine, data", "purged: data",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestLintianFindsNoErrorInTheDebianPackage(t *testing.T) {
	t.Parallel()
	heavy(t)
	needtest.Program(t, "lintian", "run scripts/deploy-deps")

	cmd := exec.Command("lintian", "--allow-root", "--fail-on", "error", debianPackage(t, "1.0.0"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// debianPackage builds the package of a version and returns its path.
func debianPackage(tb testing.TB, version string) string {
	tb.Helper()
	path, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	binary, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	name := filepath.Join(dir, "stoa_"+version+"_linux_"+runtime.GOARCH)
	if err := os.WriteFile(name, binary, 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command("../scripts/deb", dir)
	cmd.Env = append(os.Environ(), "STOA_VERSION="+version)
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("scripts/deb: %v\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(found) != 1 {
		tb.Fatalf("scripts/deb made %v, %v\n%s", found, err, out)
	}
	if !strings.Contains(found[0], strings.Replace(version, "-", "~", 1)) {
		tb.Errorf("the package of %s is %s", version, found[0])
	}
	return found[0]
}
