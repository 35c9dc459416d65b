package stoa

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The lines that a Go file, a file of tests and a function may have. Most have far fewer: CONTRIBUTING.md.
const (
	maxFile     = 500
	maxTestFile = 600
	maxFunction = 80
)

// What is longer than this is no longer understood in one piece. There are no exceptions: split it by
// subject, so that each piece has a name that says what it is.
func TestNoFileAndNoFunctionIsTooLong(t *testing.T) {
	t.Parallel()

	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		files++
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		long, err := tooLong(name, src)
		for _, text := range long {
			t.Error(text)
		}
		return err
	})
	if err != nil || files < 1000 {
		t.Errorf("%d Go files were read, and then: %v", files, err)
	}
}

// tooLong names what is too long in a Go file. A function literal counts with the function that it is
// written in.
func tooLong(name string, src []byte) (long []string, err error) {
	most := maxFile
	if strings.HasSuffix(name, "_test.go") {
		most = maxTestFile
	}
	if n := bytes.Count(src, []byte("\n")); n > most {
		long = append(long, fmt.Sprintf("%s has %d lines, more than %d", name, n, most))
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		what := "the function literal"
		switch fn := n.(type) {
		case *ast.FuncDecl:
			what = fn.Name.Name
		case *ast.FuncLit: // of a variable of the package
		default:
			return true
		}
		first, last := set.Position(n.Pos()).Line, set.Position(n.End()).Line
		if lines := last - first + 1; lines > maxFunction {
			long = append(long, fmt.Sprintf("%s:%d: %s has %d lines, more than %d", name, first, what, lines, maxFunction))
		}
		return false
	})
	return long, nil
}

func TestWhatIsTooLongIsNamed(t *testing.T) {
	t.Parallel()

	lines := func(n int) string { return strings.Repeat("\n", n) }
	function := func(n int) string { return "package a\nfunc f() {" + lines(n-1) + "}\n" }
	literal := func(n int) string { return "package a\nvar f = func() {" + lines(n-1) + "}\n" }
	method := func(n int) string { return "package a\ntype t int\nfunc (t) m() { _ = func() {" + lines(n-1) + "} }\n" }
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{"a.go", "package a" + lines(500), nil},
		{"a.go", "package a" + lines(501), []string{"a.go has 501 lines, more than 500"}},
		{"a_test.go", "package a" + lines(600), nil},
		{"a_test.go", "package a" + lines(601), []string{"a_test.go has 601 lines, more than 600"}},
		{"a.go", function(80), nil},
		{"a.go", function(81), []string{"a.go:2: f has 81 lines, more than 80"}},
		{"a_test.go", function(81), []string{"a_test.go:2: f has 81 lines, more than 80"}},
		{"a.go", literal(81), []string{"a.go:2: the function literal has 81 lines, more than 80"}},
		{"a.go", method(81), []string{"a.go:3: m has 81 lines, more than 80"}},
		{
			"a.go", function(500),
			[]string{"a.go has 501 lines, more than 500", "a.go:2: f has 500 lines, more than 80"},
		},
	} {
		if got, err := tooLong(tt.name, []byte(tt.src)); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("tooLong(%s) = %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}
