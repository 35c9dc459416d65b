package httpapi

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	issueCode = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	issueRow  = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|")
)

// docs/errors.md lists every code of an issue that errs declares, and no other.
func TestIssueCodesAreDocumented(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Codes of issues\n")
	var documented []string
	for _, m := range issueRow.FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1])
	}
	declared := declaredIssueCodes(t)
	slices.Sort(documented)
	slices.Sort(declared)
	if len(declared) == 0 {
		t.Error("errs declares no codes of issues")
	}
	if diff := cmp.Diff(declared, documented); diff != "" {
		t.Errorf("codes (-errs +docs/errors.md):\n%s", diff)
	}
}

// declaredIssueCodes returns the values of the constants errs.CodeX that are
// written as codes of issues are.
func declaredIssueCodes(tb testing.TB) []string {
	tb.Helper()
	var declared []string
	for _, f := range parseModule(tb) {
		if f.pkg != "errs" {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, name := range spec.Names {
				if !strings.HasPrefix(name.Name, "Code") || i >= len(spec.Values) {
					continue
				}
				if code, ok := literal(spec.Values[i]); ok && issueCode.MatchString(code) {
					declared = append(declared, code)
				}
			}
			return true
		})
	}
	return declared
}

// A code that a room writes by itself would be one that no other room knows.
func TestIssueCodesComeFromErrs(t *testing.T) {
	t.Parallel()

	for _, f := range parseModule(t) {
		ast.Inspect(f.file, func(n ast.Node) bool {
			for _, e := range codeOfIssue(f.pkg, n) {
				if code, ok := literal(e); ok && issueCode.MatchString(code) {
					t.Errorf("%s writes the code %q; declare and use a constant of errs", f.name, code)
				}
			}
			return true
		})
	}
}

// codeOfIssue returns the expressions in n that may be the code of an issue: the
// arguments of Issues.Add and of the methods fault after the first, the first of
// errs.Malformed, and the field Code.
func codeOfIssue(pkg string, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		if qualified(pkg, n.Fun) == "errs.Malformed" {
			return n.Args[:1]
		}
		method, ok := n.Fun.(*ast.SelectorExpr)
		if ok && (method.Sel.Name == "Add" || method.Sel.Name == "fault") && len(n.Args) > 2 {
			return n.Args[1:]
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
			return []ast.Expr{n.Value}
		}
	}
	return nil
}
