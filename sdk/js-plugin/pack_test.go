// Package jsplugin_test tests the SDK for plugins in JavaScript: in test/ on its own,
// as the package that npm makes of it, and as plugins of a real stoa.
package jsplugin_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/npmtest"
)

// pkg is tried with packages of others.
var pkg = npmtest.Package{
	Name: "sdk/js-plugin", Tarball: "stoa-plugin-1.0.0.tgz",
	Needs: "express", Beside: []string{"express", "fastify", "@types"},
}

func TestMain(m *testing.M) {
	code := m.Run()
	pkg.Close()
	os.Exit(code)
}

// run runs a program and returns what it prints.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, _ := npmtest.Run(t, dir, nil, args...)
	return out
}

func TestJavaScript(t *testing.T) {
	t.Parallel()

	node := needtest.Program(t, "node", "")
	pkg.Want(t)
	t.Logf("%s", run(t, ".", node, "--test", "--test-reporter=spec"))
}

// In every way in which TypeScript finds a package.
func TestThePackageCompilesInTypeScript(t *testing.T) {
	needtest.Long(t, "TypeScript compiles it several times")
	t.Parallel()

	node := needtest.Program(t, "node", "")
	dir := pkg.Project(t, "module")
	consumer, err := os.ReadFile("testdata/consumer.ts")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := filepath.Abs("testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	npmtest.Write(t, dir, "config.d.ts", run(t, dir, "npx", "--no", "stoa-plugin", "types", manifest))
	for _, name := range []string{"consumer.ts", "consumer.mts", "consumer.cts"} {
		npmtest.Write(t, dir, name, string(consumer))
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
		npmtest.Write(t, dir, config, options)
		run(t, dir, node, compiler, "--project", config, "--strict", "--target", "es2022", "--noUnusedLocals",
			"--exactOptionalPropertyTypes", "--skipLibCheck", "false")
	}
	for _, compiled := range []string{"out/consumer.mjs", "out/consumer.cjs"} {
		if out := run(t, dir, node, compiled); out != "mismatch 401\n" {
			t.Errorf("%s prints %q", compiled, out)
		}
	}
}
