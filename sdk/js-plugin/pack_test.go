// Package jsplugin_test tests the SDK for plugins in JavaScript: in test/ on its own,
// as the package that npm makes of it, and as plugins of a real stoa.
package jsplugin_test

import (
	"bytes"
	"errors"
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

// project is a new project with the package installed, and the packages of others that
// the SDK is tested with.
func project(t *testing.T, format string) (dir string) {
	t.Helper()
	needtest.Program(t, "npm", "")
	if _, err := os.Stat("node_modules/express"); err != nil {
		needtest.Lacks(t, "Express is not installed (npm ci in sdk/js-plugin)")
	}
	data, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	write(t, dir, "package.json", `{"private":true,"type":"`+format+`"}`)
	write(t, dir, tarball, string(data))
	run(t, dir, "npm", "install", "./"+tarball, "--offline", "--no-audit", "--no-fund", "--cache="+t.TempDir())
	installed, err := filepath.Glob(filepath.Join(dir, "node_modules", "[a-z@]*"))
	if err != nil || len(installed) != 1 {
		t.Errorf("npm installed %q, %v; want the package alone", installed, err)
	}
	ours, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"express", "fastify", "@types"} {
		if err := os.Symlink(filepath.Join(ours, name), filepath.Join(dir, "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
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
	project(t, "module") // or say what is not installed
	t.Logf("%s", run(t, ".", node, "--test", "--test-reporter=spec"))
}

// In every way in which TypeScript finds a package.
func TestThePackageCompilesInTypeScript(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	dir := project(t, "module")
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
