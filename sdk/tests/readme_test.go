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

	"stoa/internal/testkit"
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

// newUser is a new module that downloads the SDK, with the program of the README.
type newUser struct {
	dir string
	env []string
}

func become(t *testing.T, a *testkit.App, readme string) newUser {
	t.Helper()
	u := newUser{dir: t.TempDir()}
	writeFiles(t, u.dir, map[string][]byte{
		"go.mod":            []byte("module example.com/yourapp\n\ngo 1.22\n"),
		"main.go":           []byte(fence(t, readme, "go")),
		"license-keys.json": publicKeys(t, a),
	})
	u.env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(publish(t)), "GOMODCACHE="+t.TempDir(),
		"GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=", "GOWORK=off", "GOFLAGS=-modcacherw", "SHOP_URL="+a.URL)
	get := strings.Fields(fence(t, readme, "sh"))
	if len(get) != 3 || get[0] != "go" || get[1] != "get" {
		t.Fatalf("the README installs with %q, not with one go get", get)
	}
	if out, errs, err := u.run(t, "", get...); err != nil {
		t.Fatalf("%q: %v\n%s%s", get, err, out, errs)
	}
	return u
}

// run runs a program with that license key.
func (u newUser) run(t *testing.T, key string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = u.dir, append(u.env, "LICENSE_KEY="+key), &errs
	out, err := cmd.Output()
	return string(out), errs.String(), err
}

func readREADME(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(sdkDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(readme)
}

// The README's commands and program, in a new module that downloads the SDK.
func TestTheREADMEWorksForANewUser(t *testing.T) {
	t.Parallel()

	a := vendor(t)
	u := become(t, a, readREADME(t))
	if out, _, err := u.run(t, "", "go", "list", "-m", "all"); err != nil || strings.Count(out, "\n") != 2 {
		t.Errorf("the app's modules are\n%swant the app and the SDK alone (%v)", out, err)
	}
	if out, warnings, err := u.run(t, a.BuyMailPack(t), "go", "run", "."); out != "valid true [templates]\n" ||
		warnings != "" || err != nil {
		t.Errorf("the program prints\n%s%s%v", out, warnings, err)
	}
	if _, err := os.Stat(filepath.Join(u.dir, "lease.json")); err != nil {
		t.Error(err)
	}
}

// The README's function for refusals, in its program.
func TestTheREADMEHandlesRefusals(t *testing.T) {
	t.Parallel()

	a, readme := vendor(t), readREADME(t)
	u := become(t, a, readme)
	_, refusals, _ := strings.Cut(readme, "## Handling refusals")
	main := fence(t, readme, "go")
	for _, call := range []string{"log.Fatal(err) // refused", "log.Print(err)\n"} {
		if !strings.Contains(main, call) {
			t.Fatalf("the program lacks %q", call)
		}
		main = strings.Replace(main, call, strings.Replace(call, "(err)", "(explain(err))", 1), 1)
	}
	writeFiles(t, u.dir, map[string][]byte{"main.go": []byte(main), "explain.go": []byte(fence(t, refusals, "go"))})
	if out, errs, err := u.run(t, "", "go", "build", "-o", "yourapp", "."); err != nil {
		t.Fatalf("go build: %v\n%s%s", err, out, errs)
	}

	for _, tt := range []struct{ name, key, want string }{
		{"unknown", "STOA-00000-00000-00000-00000-00000-00000", "There is no such license key."},
		{"revoked", revoked(t, a), "This license was withdrawn."},
		{"no seat is free", taken(t, a), "The shop says: "},
	} {
		_, errs, err := u.run(t, tt.key, filepath.Join(u.dir, "yourapp"))
		if err == nil || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: the program prints\n%swant %q", tt.name, errs, tt.want)
		}
	}
	u.env = append(u.env, "SHOP_URL=http://127.0.0.1:1")
	if err := os.Remove(filepath.Join(u.dir, "lease.json")); err != nil {
		t.Fatal(err)
	}
	if _, errs, err := u.run(t, a.BuyMailPack(t), filepath.Join(u.dir, "yourapp")); err == nil ||
		!strings.Contains(errs, "Connect to the network") {
		t.Errorf("without network: the program prints\n%s", errs)
	}
}

// revoked returns the key of a license that was revoked.
func revoked(t *testing.T, a *testkit.App) string {
	t.Helper()
	key := a.BuyMailPack(t)
	l, err := a.Licenses.GetByKey(t.Context(), key)
	if err == nil {
		_, err = a.Licenses.Revoke(t.Context(), l.License.ID, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// taken returns the key of a license whose only seat is taken.
func taken(t *testing.T, a *testkit.App) string {
	t.Helper()
	key := a.BuyMailPack(t)
	a.Activate(t, key, "other.example")
	return key
}
