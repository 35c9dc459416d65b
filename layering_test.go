package stoa

import (
	"flag"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// packagesDoc says of each package what it owns and which others it imports.
const packagesDoc = "docs/packages.md"

var update = flag.Bool("update", false, "rewrite docs/packages.md and the drawing in ARCHITECTURE.md")

// No package is without a place, and a new arrow between packages shows in the diff of its change.
func TestTheListOfPackagesIsTrue(t *testing.T) {
	t.Parallel()

	var b strings.Builder
	b.WriteString("# Packages\n\nWhat each package owns, in the words of its package comment, and which packages of " +
		"stoa it imports, tests aside. `make golden` writes this page; `layering_test.go` compares it with the code. " +
		"Names are below `internal/`; those with a slash in front stand at the root.\n")
	all, area := packages(t), "none yet"
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a, _, _ := strings.Cut(name, "/"); a != area {
			area = a
			title := "`" + a + "`"
			if a == "" {
				title = "Outside of `internal/`"
			}
			fmt.Fprintf(&b, "\n## %s\n\n| Package | Owns | Imports |\n|---|---|---|\n", title)
		}
		p := all[name]
		if p.synopsis == "" {
			t.Errorf("package %s has no package comment", name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ReplaceAll(p.synopsis, "|", `\|`), quoted(p.imports))
	}
	compare(t, packagesDoc, b.String())
}

// compare fails unless a generated file has the text that the code yields. With -update it writes
// the file first.
func compare(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), text); diff != "" {
		t.Errorf("%s is out of date; make golden writes it (-written +code):\n%s", file, diff)
	}
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = "`" + name + "`"
	}
	return strings.Join(out, ", ")
}

// The areas of internal/ form floors: an area imports areas of lower floors only, so there is no
// circle. The drawing in ARCHITECTURE.md has every area on its floor with its arrows.
func TestTheDrawingOfAreasIsTrue(t *testing.T) {
	t.Parallel()

	arrows := areas(t)
	floors := make(map[string]int)
	var floor func(area string, above []string) int
	floor = func(area string, above []string) int {
		if slices.Contains(above, area) {
			t.Fatalf("the areas import one another in a circle: %s", strings.Join(append(above, area), " -> "))
		}
		if f, known := floors[area]; known {
			return f
		}
		f := 0
		for _, dep := range arrows[area] {
			f = max(f, floor(dep, append(above, area))+1)
		}
		floors[area] = f
		return f
	}
	top := 0
	for area := range arrows {
		top = max(top, floor(area, nil))
	}
	var b strings.Builder
	for f := top; f >= 0; f-- {
		for _, area := range slices.Sorted(maps.Keys(arrows)) {
			if floors[area] != f {
				continue
			}
			to := strings.Join(arrows[area], " ")
			if area == "app" || area == "testkit" {
				to = "everything"
			}
			b.WriteString(strings.TrimRight(fmt.Sprintf("%2d  %-10s %s", f, area, to), " ") + "\n")
		}
	}
	text, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	const open = "<!-- make golden draws this -->\n```\n"
	before, rest, found := strings.Cut(string(text), open)
	_, after, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatalf("%s has no drawing", architecture)
	}
	compare(t, architecture, before+open+b.String()+"```\n"+after)
}

const architecture = "ARCHITECTURE.md"

// areas returns the areas of internal/ that each area imports.
func areas(t *testing.T) map[string][]string {
	t.Helper()
	arrows := make(map[string][]string)
	for name, p := range packages(t) {
		from, _, _ := strings.Cut(name, "/")
		if from == "" {
			continue
		}
		arrows[from] = append(arrows[from], []string{}...)
		for _, dep := range p.imports {
			if to, _, _ := strings.Cut(dep, "/"); to != "" && to != from && !slices.Contains(arrows[from], to) {
				arrows[from] = append(arrows[from], to)
			}
		}
	}
	for _, to := range arrows {
		slices.Sort(to)
	}
	return arrows
}

// The map says what question each area answers, each once.
func TestTheMapNamesEveryArea(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 200 {
		t.Errorf("%s has %d lines; four screens are 200", architecture, lines)
	}
	rows := make(map[string]int)
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		rows[m[1]]++
	}
	for area := range areas(t) {
		if rows[area] != 1 {
			t.Errorf("%s has %d rows for the area %s, want 1", architecture, rows[area], area)
		}
		delete(rows, area)
	}
	for area := range rows {
		t.Errorf("%s has a row for %s, which is no area", architecture, area)
	}
}

// Test helpers are imported by tests only, and the composition root by the commands only.
func TestNobodyImportsTheTestHelpers(t *testing.T) {
	t.Parallel()

	helper := func(pkg string) bool {
		return pkg == "proof" || strings.HasSuffix(pkg, "test") ||
			strings.HasPrefix(pkg, "testkit") || strings.HasPrefix(pkg, "takeover")
	}
	root := func(pkg string) bool { return strings.HasPrefix(pkg, "/cmd/") || strings.HasPrefix(pkg, "/bench/") }
	for pkg, p := range packages(t) {
		for _, dep := range p.imports {
			if helper(dep) && !helper(pkg) {
				t.Errorf("%s imports %s, which is for tests", pkg, dep)
			}
			if dep == "app" && !helper(pkg) && !root(pkg) {
				t.Errorf("%s imports app, the composition root", pkg)
			}
		}
	}
}

// A pkg is what the source files of a package say of it, tests aside.
type pkg struct {
	synopsis string // the first sentence of the package comment, without its beginning
	imports  []string
}

// packages returns the packages of this repository by their short names.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	sdk, all := sdkModule(t), make(map[string]pkg)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := short(path.Dir(filepath.ToSlash(name)))
		p := all[dir]
		if text := new(doc.Package).Synopsis(f.Doc.Text()); text != "" {
			p.synopsis = strings.TrimSuffix(regexp.MustCompile(`^(Package|Command) \S+ `).ReplaceAllString(text, ""), ".")
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			dep, ours := strings.CutPrefix(imported, "stoa/")
			if rest, ok := strings.CutPrefix(imported, sdk+"/"); ok {
				dep, ours = "sdk/go/"+rest, true
			}
			if ours && !slices.Contains(p.imports, short(dep)) {
				p.imports = append(p.imports, short(dep))
				slices.Sort(p.imports)
			}
		}
		all[dir] = p
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

	std := standardLibrary(t)
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

// standardLibrary returns the folder of its sources.
func standardLibrary(t *testing.T) string {
	t.Helper()
	// Not build.Default.GOROOT: it is empty in a binary that was built with -trimpath.
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src")
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
