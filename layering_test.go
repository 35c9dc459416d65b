package stoa

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// The table of arrows in ARCHITECTURE.md equals the imports: whoever reads the map knows the code,
// and a new arrow is seen in review.
func TestArrowsOfTheMapAreTheImports(t *testing.T) {
	t.Parallel()

	drawn, real := drawnArrows(t), imports(t)
	for pkg, deps := range real {
		want, listed := drawn[pkg]
		if !listed {
			t.Errorf("ARCHITECTURE.md has no row for package %s, which imports %v", pkg, deps)
			continue
		}
		if len(want) == 1 && want[0] == "everything" {
			continue
		}
		for _, dep := range deps {
			if !slices.Contains(want, dep) {
				t.Errorf("%s imports %s, and no arrow in ARCHITECTURE.md says so", pkg, dep)
			}
		}
		for _, dep := range want {
			if !slices.Contains(deps, dep) {
				t.Errorf("ARCHITECTURE.md draws an arrow from %s to %s, and there is no such import", pkg, dep)
			}
		}
	}
	for pkg := range drawn {
		if _, there := real[pkg]; !there {
			t.Errorf("ARCHITECTURE.md has a row for package %s, which does not exist", pkg)
		}
	}
}

// Test helpers are imported by tests only, and the composition root by the commands only.
func TestNobodyImportsTheTestHelpers(t *testing.T) {
	t.Parallel()

	helper := func(pkg string) bool {
		return pkg == "proof" || strings.HasPrefix(pkg, "testkit") || strings.HasSuffix(pkg, "test")
	}
	root := func(pkg string) bool { return strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "bench/") }
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

// drawnArrows returns the table of ARCHITECTURE.md: the packages that each package imports, both
// without internal/.
func drawnArrows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Arrows\n")
	if !found {
		t.Fatal("ARCHITECTURE.md has no section Arrows")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	arrows := make(map[string][]string)
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "`") {
			continue
		}
		pkg := strings.Trim(strings.TrimSpace(cells[0]), "`")
		if _, twice := arrows[pkg]; twice {
			t.Errorf("ARCHITECTURE.md has two rows for %s", pkg)
		}
		arrows[pkg] = strings.FieldsFunc(cells[1], func(r rune) bool { return r == ',' || r == ' ' || r == '`' })
	}
	return arrows
}

// imports returns the packages of this module that each package imports in files that are not
// tests.
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
		pkg := strings.TrimPrefix(path.Dir(filepath.ToSlash(name)), "internal/")
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
			if dep = strings.TrimPrefix(dep, "internal/"); ours && !slices.Contains(deps, dep) {
				deps = append(deps, dep)
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

// The SDK is a module of its own. Whoever imports it downloads nothing else, and
// its tests run wherever it is downloaded to.
func TestTheSDKImportsTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()

	module, files := sdkModule(t), 0
	err := filepath.WalkDir("sdk/go", func(name string, d fs.DirEntry, err error) error {
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
			if _, err := os.Stat(filepath.Join(build.Default.GOROOT, "src", imported)); err != nil &&
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
