package js_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa/internal/testkit/needtest"
)

const tarball = "stoa-license-1.0.0.tgz"

// packed is what npm pack makes of a copy of this folder.
var packed = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "stoa-pack-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := copySources(dir); err != nil {
		return nil, err
	}
	cmd := exec.Command("npm", "pack", "--offline", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.New("npm pack: " + string(out))
	}
	return os.ReadFile(filepath.Join(dir, tarball))
})

// copySources copies this folder, with a link to the tools it is built with.
func copySources(dir string) error {
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "cjs"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, path), 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), data, 0o600)
	}); err != nil {
		return err
	}
	tools, err := filepath.Abs("node_modules")
	if err != nil {
		return err
	}
	return os.Symlink(tools, filepath.Join(dir, "node_modules"))
}

func pack(t *testing.T) []byte {
	t.Helper()
	needtest.Program(t, "npm", "")
	if _, err := os.Stat("node_modules/typescript"); err != nil {
		needtest.Lacks(t, "TypeScript is not installed (npm ci in sdk/js)")
	}
	data, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// project is a new project of this type, commonjs or module, with the package
// installed as its only dependency.
func project(t *testing.T, format string) (dir string) {
	t.Helper()
	data, cache := pack(t), t.TempDir()
	dir = t.TempDir()
	write(t, dir, "package.json", []byte(`{"private":true,"type":"`+format+`"}`))
	write(t, dir, tarball, data)
	run(t, dir, nil, "npm", "install", "./"+tarball, "--offline", "--no-audit", "--no-fund", "--cache="+cache)
	installed, err := filepath.Glob(filepath.Join(dir, "node_modules", "[a-z@]*"))
	if err != nil || len(installed) != 1 {
		t.Errorf("npm installed %q, %v; want the package alone", installed, err)
	}
	return dir
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string) {
	t.Helper()
	var warnings bytes.Buffer
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(append(os.Environ(), "NODE_NO_WARNINGS=1"), env...), &warnings
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, out, &warnings)
	}
	return string(out), warnings.String()
}

func TestThePackageHoldsTheseFilesOnly(t *testing.T) {
	t.Parallel()

	want := []string{"LICENSE", "README.md", "cjs/package.json", "package.json"}
	for _, name := range []string{
		"answer.js", "bytes.js", "client.js", "error.d.ts", "error.js", "index.d.ts", "index.js", "keys.js",
		"lease.js", "node.d.ts", "node.js", "store.js",
	} {
		want = append(want, "cjs/"+name, "src/"+name)
	}
	slices.Sort(want)
	unzipped, err := gzip.NewReader(bytes.NewReader(pack(t)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var manifest map[string]any
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(header.Name, "package/")
		got = append(got, name)
		if name != "package.json" {
			continue
		}
		if err := json.NewDecoder(archive).Decode(&manifest); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the package holds\n%q, want\n%q", got, want)
	}
	for _, field := range []string{"dependencies", "optionalDependencies", "peerDependencies", "bundleDependencies"} {
		if manifest[field] != nil {
			t.Errorf("package.json has %s: %v", field, manifest[field])
		}
	}
}

func TestThePackageLoadsInEveryFormat(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	vectors, err := filepath.Abs("../go/license/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := project(t, "commonjs")
	copyTestdata(t, dir, map[string]string{"check.cjs": "check.cjs", "app.cjs": "app.cjs", "app.mjs": "app.mjs"})
	for _, app := range []string{"app.cjs", "app.mjs"} {
		out, warnings := run(t, dir, []string{"VECTORS=" + vectors}, node, app)
		if out != "ok\n" || warnings != "" {
			t.Errorf("%s prints\n%s%s", app, out, warnings)
		}
	}
}

// copyTestdata copies files of testdata to a project, under these names.
func copyTestdata(t *testing.T, dir string, names map[string]string) {
	t.Helper()
	for to, from := range names {
		data, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, to, data)
	}
}

// In every way in which TypeScript finds a package, with no library but that of
// the language, with Node.js, and with the DOM.
func TestThePackageCompilesInTypeScript(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	dir := project(t, "module")
	copyTestdata(t, dir, map[string]string{
		"consumer.ts": "consumer.ts", "consumer.mts": "consumer.ts", "consumer.cts": "consumer.ts",
		"globals.ts": "globals.ts", "globals.mts": "globals.ts", "globals.cts": "globals.ts",
	})
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	compiler, types := filepath.Join(here, "node_modules/typescript/bin/tsc"), filepath.Join(here, "node_modules/@types")
	for name, options := range map[string]string{
		"node16": `{"compilerOptions": {"module": "node16", "moduleResolution": "node16", "outDir": "out",
			"lib": ["es2022"], "types": []}, "files": ["consumer.mts", "consumer.cts"]}`,
		"nodenext": `{"compilerOptions": {"module": "nodenext", "moduleResolution": "nodenext", "noEmit": true,
			"lib": ["es2022"], "types": ["node"]}, "files": ["consumer.mts", "globals.mts", "globals.cts"]}`,
		"bundler": `{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler", "noEmit": true,
			"lib": ["es2022", "dom"], "types": []}, "files": ["consumer.ts", "globals.ts"]}`,
	} {
		config := "tsconfig." + name + ".json"
		write(t, dir, config, []byte(options))
		run(t, dir, nil, node, compiler, "--project", config, "--strict", "--target", "es2022",
			"--noUnusedLocals", "--exactOptionalPropertyTypes", "--typeRoots", types)
	}
	for _, compiled := range []string{"out/consumer.mjs", "out/consumer.cjs"} {
		out, warnings := run(t, dir, nil, node, compiled)
		if want := "keys,invalid,invalid,unsigned Error 400\n"; out != want || warnings != "" {
			t.Errorf("%s prints\n%s%s, want\n%s", compiled, out, warnings, want)
		}
	}
}
