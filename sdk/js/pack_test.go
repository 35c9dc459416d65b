package js_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/npmtest"
)

var pkg = npmtest.Package{Name: "sdk/js", Tarball: "stoa-license-1.0.0.tgz", Needs: "typescript"}

func TestMain(m *testing.M) {
	code := m.Run()
	pkg.Close()
	os.Exit(code)
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
	unzipped, err := gzip.NewReader(bytes.NewReader(pkg.Pack(t)))
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
	dir := pkg.Project(t, "commonjs")
	copyTestdata(t, dir, map[string]string{"check.cjs": "check.cjs", "app.cjs": "app.cjs", "app.mjs": "app.mjs"})
	for _, app := range []string{"app.cjs", "app.mjs"} {
		out, warnings := npmtest.Run(t, dir, []string{"VECTORS=" + vectors}, node, app)
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
		npmtest.Write(t, dir, to, string(data))
	}
}

// In every way in which TypeScript finds a package, with no library but that of
// the language, with Node.js, and with the DOM.
func TestThePackageCompilesInTypeScript(t *testing.T) {
	needtest.Long(t, "TypeScript compiles it several times")
	t.Parallel()

	node := needtest.Program(t, "node", "")
	dir := pkg.Project(t, "module")
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
		npmtest.Write(t, dir, config, options)
		npmtest.Run(t, dir, nil, node, compiler, "--project", config, "--strict", "--target", "es2022",
			"--noUnusedLocals", "--exactOptionalPropertyTypes", "--typeRoots", types)
	}
	for _, compiled := range []string{"out/consumer.mjs", "out/consumer.cjs"} {
		out, warnings := npmtest.Run(t, dir, nil, node, compiled)
		if want := "keys,invalid,invalid,unsigned Error 400\n"; out != want || warnings != "" {
			t.Errorf("%s prints\n%s%s, want\n%s", compiled, out, warnings, want)
		}
	}
}
