package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const sdkDir = "../go"

// publish makes a module proxy in a folder, which offers sdk/go as version v1.0.0.
func publish(t *testing.T) (proxy string) {
	t.Helper()
	goMod, err := os.ReadFile(filepath.Join(sdkDir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := module.Version{Path: modfile.ModulePath(goMod), Version: "v1.0.0"}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, version, sdkDir); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]any{"Version": version.Version, "Time": time.Unix(t0, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	proxy = t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(version.Path), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string][]byte{
		"list": []byte("v1.0.0\n"), "v1.0.0.info": info, "v1.0.0.mod": goMod, "v1.0.0.zip": archive.Bytes(),
	})
	return proxy
}

func writeFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// fence returns the first block of a README in this language.
func fence(t *testing.T, readme, language string) string {
	t.Helper()
	_, block, _ := strings.Cut(readme, "```"+language+"\n")
	block, _, ok := strings.Cut(block, "```")
	if !ok {
		t.Fatalf("the README has no block of %s", language)
	}
	return block
}

// go get adds the LICENSE of a repository to modules in its folders. Beside the
// folder license it would make the archive invalid, and go get would fail.
func TestNoFileCollidesWithTheFolderLicense(t *testing.T) {
	t.Parallel()

	for _, dir := range []string{"../..", sdkDir} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.EqualFold(e.Name(), "license") && !e.IsDir() {
				t.Errorf("%s/%s makes the module sdk/go impossible to download; name it LICENSE.txt", dir, e.Name())
			}
		}
	}
}

// The README's commands and program, in a new module that downloads the SDK.
func TestTheREADMEWorksForANewUser(t *testing.T) {
	t.Parallel()

	readme, err := os.ReadFile(filepath.Join(sdkDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	a, dir := vendor(t), t.TempDir()
	writeFiles(t, dir, map[string][]byte{
		"go.mod":            []byte("module example.com/yourapp\n\ngo 1.22\n"),
		"main.go":           []byte(fence(t, string(readme), "go")),
		"license-keys.json": publicKeys(t, a),
	})
	env := append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(publish(t)), "GOMODCACHE="+t.TempDir(),
		"GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=", "GOWORK=off", "GOFLAGS=-modcacherw",
		"SHOP_URL="+a.URL, "LICENSE_KEY="+a.BuyMailPack(t))
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		var errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s%s", args, err, out, &errs)
		}
		return string(out), errs.String()
	}
	get := strings.Fields(fence(t, string(readme), "sh"))
	if len(get) != 3 || get[0] != "go" || get[1] != "get" {
		t.Fatalf("the README installs with %q, not with one go get", get)
	}
	run(get...)
	if out, _ := run("go", "list", "-m", "all"); strings.Count(out, "\n") != 2 {
		t.Errorf("the app's modules are\n%swant the app and the SDK alone", out)
	}
	if out, warnings := run("go", "run", "."); out != "valid true [templates]\n" || warnings != "" {
		t.Errorf("the program prints\n%s%s", out, warnings)
	}
	if _, err := os.Stat(filepath.Join(dir, "lease.json")); err != nil {
		t.Error(err)
	}
}
