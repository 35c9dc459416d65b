// Package jsplugin_test tests the SDK for plugins in JavaScript: in test/ on its own,
// as the package that npm makes of it, and as plugins of a real stoa.
package jsplugin_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"stoa/internal/testkit/needtest"
)

const tarball = "stoa-plugin-1.0.0.tgz"

// packed is what npm pack makes of a copy of this folder.
var packed = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "stoa-pack-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"src", "package.json", "README.md", "LICENSE", "build.js", "tsconfig.json"} {
		if err := copyTree(filepath.Join(dir, name), name); err != nil {
			return nil, err
		}
	}
	tools, err := filepath.Abs("node_modules")
	if err == nil {
		err = os.Symlink(tools, filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("npm", "pack", "--offline", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.New("npm pack: " + string(out))
	}
	return os.ReadFile(filepath.Join(dir, tarball))
})

// copyTree copies a file or a folder.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}

// installedOnce is a new project with the package installed, and the packages of others that the SDK is
// tested with. TestMain removes it.
var installedOnce struct {
	sync.Once

	dir string
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(installedOnce.dir)
	os.Exit(code)
}

// project returns a copy of installedOnce: npm takes a second for each.
func project(t *testing.T) (dir string) {
	t.Helper()
	wantTools(t)
	installedOnce.Do(func() { installedOnce.dir, installedOnce.err = install() })
	if installedOnce.err != nil {
		t.Fatal(installedOnce.err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(installedOnce.dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// wantTools skips the test where it cannot run, or fails it in CI.
func wantTools(t *testing.T) {
	t.Helper()
	needtest.Program(t, "npm", "")
	if _, err := os.Stat("node_modules/express"); err != nil {
		needtest.Lacks(t, "Express is not installed (npm ci in sdk/js-plugin)")
	}
}

func install() (dir string, err error) {
	data, err := packed()
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "stoa-project-"); err != nil {
		return "", err
	}
	for name, text := range map[string][]byte{"package.json": []byte(`{"private":true,"type":"module"}`), tarball: data} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return dir, err
		}
	}
	cmd := exec.Command("npm", "install", "./"+tarball, "--offline", "--no-audit", "--no-fund", "--cache="+filepath.Join(dir, ".cache"))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, errors.New("npm install: " + string(out))
	}
	if err := os.RemoveAll(filepath.Join(dir, ".cache")); err != nil {
		return dir, err
	}
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", "[a-z@]*"))
	if err != nil {
		return dir, err
	}
	if len(found) != 1 {
		return dir, fmt.Errorf("npm installed %q, want the package alone", found)
	}
	ours, err := filepath.Abs("node_modules")
	for _, name := range []string{"express", "fastify", "@types"} {
		err = errors.Join(err, os.Symlink(filepath.Join(ours, name), filepath.Join(dir, "node_modules", name)))
	}
	return dir, err
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var warnings bytes.Buffer
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "NODE_NO_WARNINGS=1"), &warnings
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, out, &warnings)
	}
	return string(out)
}

func TestJavaScript(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	wantTools(t)
	t.Logf("%s", run(t, ".", node, "--test", "--test-reporter=spec"))
}

// In every way in which TypeScript finds a package: for bundlers when proving, as each takes seconds.
func TestThePackageCompilesInTypeScript(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	dir := project(t)
	consumer, err := os.ReadFile("testdata/consumer.ts")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := filepath.Abs("testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "config.d.ts", run(t, dir, "npx", "--no", "stoa-plugin", "types", manifest))
	for _, name := range []string{"consumer.ts", "consumer.mts", "consumer.cts"} {
		write(t, dir, name, string(consumer))
	}
	compiler, err := filepath.Abs("node_modules/typescript/bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string]string{
		"nodenext": `{"compilerOptions": {"module": "nodenext", "moduleResolution": "nodenext", "outDir": "out",
			"lib": ["es2022"], "types": ["node"]}, "files": ["consumer.mts", "consumer.cts"]}`,
		"bundler": `{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler", "noEmit": true,
			"lib": ["es2022", "dom"], "types": ["node"]}, "files": ["consumer.ts"]}`,
	} {
		if name == "bundler" && !needtest.Proving() {
			continue
		}
		config := "tsconfig." + name + ".json"
		write(t, dir, config, options)
		run(t, dir, node, compiler, "--project", config, "--strict", "--target", "es2022", "--noUnusedLocals",
			"--exactOptionalPropertyTypes", "--skipLibCheck", "false")
	}
	for _, compiled := range []string{"out/consumer.mjs", "out/consumer.cjs"} {
		if out := run(t, dir, node, compiled); out != "mismatch 401\n" {
			t.Errorf("%s prints %q", compiled, out)
		}
	}
}
