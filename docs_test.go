package stoa

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every cache, pool and concurrent map of a process is in docs/memory.md, with its bound and what
// keeps it true, and every one that the page names is in the code.
func TestEveryMemoryIsDocumented(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("docs/memory.md")
	if err != nil {
		t.Fatal(err)
	}
	named, form := make(map[string]bool), regexp.MustCompile("`([a-z0-9/]+\\.[A-Za-z.]+)`")
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for _, m := range form.FindAllStringSubmatch(cells[2], -1) {
				named[m[1]] = true
			}
		}
	}
	for name := range memories(t) {
		if !named[name] {
			t.Errorf("docs/memory.md does not name `%s`: say what it keeps, how much, and what keeps it true", name)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("docs/memory.md names `%s`, and there is no such cache, pool or map", name)
	}
}

// memories returns the package variables and fields whose type or value is a cache (base/cache), a
// sync.Pool or a sync.Map, as "package.variable" or "package.Type.field".
func memories(t *testing.T) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	err := filepath.WalkDir("internal", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testkit" || d.Name() == "cache" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := short(path.Dir(filepath.ToSlash(name))) + "."
		for _, decl := range f.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				for _, name := range kept(spec) {
					found[pkg+name] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// kept returns the names that a declaration gives to memories.
func kept(spec ast.Spec) (names []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for i, name := range s.Names {
			if keeps(s.Type) || i < len(s.Values) && keeps(s.Values[i]) {
				names = append(names, name.Name)
			}
		}
	case *ast.TypeSpec:
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			if keeps(s.Type) {
				names = append(names, s.Name.Name)
			}
			return names
		}
		for _, field := range fields.Fields.List {
			for _, name := range field.Names {
				if keeps(field.Type) {
					names = append(names, s.Name.Name+"."+name.Name)
				}
			}
		}
	}
	return names
}

// keeps reports whether a type or a value is made of a cache, a pool or a concurrent map.
func keeps(e ast.Expr) (yes bool) {
	if e == nil {
		return false
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if _, inside := n.(*ast.FuncLit); inside {
			return false
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if from, ok := sel.X.(*ast.Ident); ok {
			yes = yes || from.Name == "cache" || from.Name == "sync" && (sel.Sel.Name == "Pool" || sel.Sel.Name == "Map")
		}
		return true
	})
	return yes
}

// The packages that docs/guarantees.md names have tests.
func TestGuaranteesNamePackagesWithTests(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z0-9/]+)`").FindAllStringSubmatch(cells[2], -1) {
			named++
			inside, _ := filepath.Glob(filepath.Join("internal", m[1], "*_test.go"))
			root, _ := filepath.Glob(filepath.Join(m[1], "*_test.go"))
			if len(inside)+len(root) == 0 {
				t.Errorf("docs/guarantees.md names %s, where no tests are", m[1])
			}
		}
	}
	if named < 60 {
		t.Errorf("%d packages are named: the form has changed", named)
	}
}
