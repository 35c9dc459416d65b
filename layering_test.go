package stoa

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// importsDoc lists which packages of stoa each package imports. make golden writes it.
const importsDoc = "docs/imports.md"

var update = flag.Bool("update", false, "rewrite docs/imports.md")

// A new arrow between packages shows in the diff of its change.
func TestTheTableOfImportsIsTrue(t *testing.T) {
	t.Parallel()

	var b strings.Builder
	b.WriteString("# Imports\n\nWhich packages of stoa each package imports, tests aside. `make golden` writes this " +
		"page; `layering_test.go` compares it with the code. Names are below `internal/`; those " +
		"with a slash in front stand at the root.\n\n| Package | Imports |\n|---|---|\n")
	all := imports(t)
	for _, pkg := range slices.Sorted(maps.Keys(all)) {
		deps := slices.Sorted(slices.Values(all[pkg]))
		for i := range deps {
			deps[i] = "`" + deps[i] + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", pkg, strings.Join(deps, ", "))
	}
	if *update {
		if err := os.WriteFile(importsDoc, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(importsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), b.String()); diff != "" {
		t.Errorf("%s is out of date; make golden writes it (-written +imports):\n%s", importsDoc, diff)
	}
}

// The areas of internal/ form layers: the table in ARCHITECTURE.md lists every area after the
// areas it imports, and each arrow is drawn there before it is used.
func TestAreasImportOnlyWhatTheMapSays(t *testing.T) {
	t.Parallel()

	order, drawn := drawnAreas(t)
	real := make(map[string][]string)
	for pkg, deps := range imports(t) {
		from, _, _ := strings.Cut(pkg, "/")
		for _, dep := range append(deps, from) {
			to, _, _ := strings.Cut(dep, "/")
			if from != "" && to != "" && !slices.Contains(real[from], to) {
				real[from] = append(real[from], to)
			}
		}
	}
	for area, deps := range real {
		want, listed := drawn[area]
		if !listed {
			t.Errorf("ARCHITECTURE.md has no row for the area %s", area)
		}
		if slices.Equal(want, []string{"everything"}) {
			continue
		}
		for _, dep := range deps {
			if dep == area {
				continue
			}
			if !slices.Contains(want, dep) {
				t.Errorf("%s imports %s, and no arrow in ARCHITECTURE.md says so", area, dep)
			}
			if slices.Index(order, dep) > slices.Index(order, area) {
				t.Errorf("%s imports %s, which the table lists below it", area, dep)
			}
		}
		for _, dep := range want {
			if !slices.Contains(deps, dep) {
				t.Errorf("ARCHITECTURE.md draws an arrow from %s to %s, and there is no such import", area, dep)
			}
		}
	}
	for _, area := range order {
		if _, there := real[area]; !there {
			t.Errorf("ARCHITECTURE.md has a row for the area %s, which does not exist", area)
		}
	}
}

// Test helpers are imported by tests only, and the composition root by the commands only.
func TestNobodyImportsTheTestHelpers(t *testing.T) {
	t.Parallel()

	helper := func(pkg string) bool {
		return pkg == "proof" || strings.HasPrefix(pkg, "testkit") || strings.HasSuffix(pkg, "test")
	}
	root := func(pkg string) bool { return strings.HasPrefix(pkg, "/cmd/") || strings.HasPrefix(pkg, "/bench/") }
	for pkg, deps := range imports(t) {
		for _, dep := range deps {
			if helper(dep) && !helper(pkg) {
				t.Errorf("%s imports %s, which is for tests", pkg, dep)
			}
			if dep == "app" && !helper(pkg) && !root(pkg) {
				t.Errorf("%s imports app, the composition root", pkg)
			}
		}
	}
}

// drawnAreas returns the table of areas in ARCHITECTURE.md: their order, and the areas that each
// imports.
func drawnAreas(t *testing.T) (order []string, arrows map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n| Area |")
	if !found {
		t.Fatal("ARCHITECTURE.md has no table of areas")
	}
	arrows = make(map[string][]string)
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(strings.TrimSpace(line)) == 0 {
			break
		}
		area := strings.TrimSpace(cells[0])
		if !strings.HasPrefix(area, "`") {
			continue
		}
		area = strings.Trim(area, "`")
		if _, twice := arrows[area]; twice {
			t.Errorf("ARCHITECTURE.md has two rows for %s", area)
		}
		order = append(order, area)
		arrows[area] = strings.FieldsFunc(cells[len(cells)-1], func(r rune) bool { return r == ',' || r == ' ' || r == '`' })
	}
	return order, arrows
}

// imports returns the packages of this module that each package imports in files that are not
// tests, by their short names.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	sdk := sdkModule(t)
	all := make(map[string][]string)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		pkg := short(path.Dir(filepath.ToSlash(name)))
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		deps := all[pkg]
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			dep, ours := strings.CutPrefix(imported, "stoa/")
			if rest, ok := strings.CutPrefix(imported, sdk+"/"); ok {
				dep, ours = "sdk/go/"+rest, true
			}
			if ours && !slices.Contains(deps, short(dep)) {
				deps = append(deps, short(dep))
			}
		}
		all[pkg] = deps
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// short returns the name of a package as the tables have it: without internal/, or with a slash
// in front if it lies elsewhere.
func short(dir string) string {
	if inside, ok := strings.CutPrefix(dir, "internal/"); ok {
		return inside
	}
	return "/" + dir
}

// The SDK is a module of its own. Whoever imports it downloads nothing else, and
// its tests run wherever it is downloaded to.
func TestTheSDKImportsTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()

	// Not build.Default.GOROOT: it is empty in a binary that was built with -trimpath.
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	std := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	module, files := sdkModule(t), 0
	err = filepath.WalkDir("sdk/go", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if _, err := os.Stat(filepath.Join(std, imported)); err != nil &&
				!strings.HasPrefix(imported, module+"/") {
				t.Errorf("%s imports %s, which is not in the standard library", name, imported)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files in sdk/go, %v", files, err)
	}
}

// sdkModule returns the module path of the SDK, whose go.mod must name no other
// module.
func sdkModule(t *testing.T) string {
	t.Helper()
	goMod, err := os.ReadFile("sdk/go/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("sdk/go/go.mod", goMod, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Require)+len(f.Replace)+len(f.Tool) > 0 {
		t.Errorf("sdk/go/go.mod depends on another module:\n%s", goMod)
	}
	return f.Module.Mod.Path
}
