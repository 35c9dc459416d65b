package deploy

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Two builds of a commit have the same bytes, from two clones in folders of different lengths, with
// other modes of files, languages and time zones, one after the other. Both share Go's cache of
// compiled packages, which is keyed by everything that goes into a package, its folder included if
// -trimpath were missing.
func TestReleasesAreReproducible(t *testing.T) {
	t.Parallel()
	heavy(t)

	here, there := t.TempDir(), filepath.Join(t.TempDir(), "a", "longer", "path")
	first := release(t, here, "022", "LANG=C", "TZ=UTC")
	second := release(t, there, "077", "LANG=de_DE.UTF-8", "TZ=Asia/Kathmandu", "GOFLAGS=-trimpath=false")
	if first != second {
		t.Errorf("the builds differ:\n%s\n%s", first, second)
	}
	if strings.Count(first, "\n") != 2 {
		t.Fatalf("want a binary and an SBOM, got\n%s", first)
	}
	binary, err := filepath.Glob(filepath.Join(here, "dist", "stoa_*_linux_amd64"))
	if err != nil || len(binary) != 1 {
		t.Fatalf("binaries: %v, %v", binary, err)
	}
	testStatic(t, binary[0])
	testBill(t, binary[0])
}

// release clones the repository, builds its last commit and returns SHA256SUMS.
func release(tb testing.TB, dir, umask string, env ...string) string {
	tb.Helper()
	script := `umask "$1" && git clone --quiet --no-hardlinks .. "$2/clone" && cd "$2/clone" && ./scripts/release "$2/dist"`
	cmd := exec.Command("bash", "-c", script, "release", umask, dir)
	cmd.Env = append(append(os.Environ(), "RELEASE_ARCHS=amd64", "TMPDIR="+tb.TempDir()), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("scripts/release: %v\n%s", err, out)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "dist", "SHA256SUMS"))
	if err != nil {
		tb.Fatal(err)
	}
	return string(sums)
}

// testStatic checks that a binary needs no library and has no symbols.
func testStatic(t *testing.T, path string) {
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, section := range []string{".interp", ".dynamic", ".symtab", ".debug_info", ".zdebug_info"} {
		if f.Section(section) != nil {
			t.Errorf("the binary has a section %s", section)
		}
	}
}

// testBill checks that the SBOM lists the Go modules that the binary names, and the npm packages of
// its pages and of its host of plugins.
func testBill(t *testing.T, binary string) {
	text, err := os.ReadFile(binary + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BOMFormat    string `json:"bomFormat"`
		Components   []struct{ PURL, Type string }
		Dependencies []struct {
			Ref       string
			DependsOn []string `json:"dependsOn"`
		}
	}
	if err := json.Unmarshal(text, &bill); err != nil || bill.BOMFormat != "CycloneDX" {
		t.Fatalf("the SBOM: %q, %v", bill.BOMFormat, err)
	}
	listed := make(map[string]bool)
	for _, c := range bill.Components {
		listed[c.PURL] = true
	}
	out, err := exec.Command("go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := 0
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 4 && f[0] == "dep" {
			modules++
			if purl := "pkg:golang/" + f[1] + "@" + strings.ReplaceAll(f[2], "+", "%2B"); !listed[purl] {
				t.Errorf("the SBOM does not list %s", purl)
			}
		}
	}
	if modules < 20 {
		t.Errorf("go version -m names %d modules", modules)
	}
	for _, want := range []string{"pkg:npm/react@", "pkg:npm/fastify@", "pkg:npm/%40mantine/core@", "pkg:golang/std@v1."} {
		if !strings.Contains(string(text), `"`+want) {
			t.Errorf("the SBOM lists no %s", want)
		}
	}
	for _, d := range bill.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !listed[ref] && !strings.HasPrefix(ref, "pkg:generic/stoa@") {
				t.Errorf("the SBOM refers to %s, and does not list it", ref)
			}
		}
	}
}
