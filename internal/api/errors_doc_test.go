package httpapi

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stoa/api"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
)

// docs/errors.md lists every code that the source declares, with its status,
// and no other.
func TestErrorsAreDocumented(t *testing.T) {
	t.Parallel()

	declared, documented := declaredErrors(t), documentedErrors(t)
	for _, e := range declared {
		if !slices.Contains(documented, e) {
			t.Errorf("%s is declared and not in docs/errors.md", e)
		}
	}
	for _, e := range documented {
		if !slices.Contains(declared, e) {
			t.Errorf("%s is in docs/errors.md and nowhere declared", e)
		}
	}
}

// The API document promises only codes that exist, with the status they have.
func TestTheAPIDocumentPromisesDeclaredErrors(t *testing.T) {
	t.Parallel()

	declared := declaredErrors(t)
	for _, e := range promisedErrors(t) {
		if !slices.Contains(declared, e) {
			t.Errorf("%s is in api/openapi.yaml and nowhere declared", e)
		}
	}
}

var errorRow = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| (\\d{3}) \\|")

func documentedErrors(tb testing.TB) []string {
	tb.Helper()
	text, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		tb.Fatal(err)
	}
	var documented []string
	for _, m := range errorRow.FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1]+" "+m[2])
	}
	return documented
}

// declaredErrors returns "CODE status" for each errs.New and errs.WithIssues in
// the module. Codes are literals or constants of the module.
func declaredErrors(tb testing.TB) []string {
	tb.Helper()
	files := parseModule(tb)
	constants := make(map[string]string) // package.Name → value
	for _, f := range files {
		ast.Inspect(f.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						if text, ok := literal(spec.Values[i]); ok {
							constants[f.pkg+"."+name.Name] = text
						}
					}
				}
			}
			return true
		})
	}
	var declared []string
	for _, f := range files {
		ast.Inspect(f.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 || !makesError(f.pkg, call.Fun) {
				return true
			}
			kind := constants[qualified(f.pkg, call.Args[0])]
			code, ok := literal(call.Args[1])
			if !ok {
				code = constants[qualified(f.pkg, call.Args[1])]
			}
			status := web.Status(errs.Kind(kind))
			if code == "" || status == 0 {
				tb.Errorf("%s: kind %q or code %q cannot be read off the source", f.name, kind, code)
				return true
			}
			if e := fmt.Sprintf("%s %d", code, status); !slices.Contains(declared, e) {
				declared = append(declared, e)
			}
			return true
		})
	}
	return declared
}

type sourceFile struct {
	name, pkg string
	file      *ast.File
}

func parseModule(tb testing.TB) []sourceFile {
	tb.Helper()
	var files []sourceFile
	for _, root := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
				strings.Contains(name, "internal/testkit") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			files = append(files, sourceFile{name: name, pkg: path.Base(path.Dir(filepath.ToSlash(name))), file: f})
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return files
}

// makesError reports whether fun is errs.New or errs.WithIssues, also when
// called within errs, where the two pass on their arguments.
func makesError(pkg string, fun ast.Expr) bool {
	name := qualified(pkg, fun)
	return name == "errs.New" || name == "errs.WithIssues"
}

// qualified names an identifier with its package.
func qualified(pkg string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return pkg + "." + e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// promisedErrors returns "CODE status" for each error response of the API document.
func promisedErrors(tb testing.TB) []string {
	tb.Helper()
	promised := slices.Concat(slices.Collect(maps.Values(promisedOf(tb)))...)
	slices.Sort(promised)
	return slices.Compact(promised)
}

// promisedOf returns "CODE status" for each error of an operation, by "METHOD path".
func promisedOf(tb testing.TB) map[string][]string {
	tb.Helper()
	type response struct {
		Ref   string   `json:"$ref"`
		Codes []string `json:"x-codes"`
	}
	var doc struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Responses map[string]response `json:"responses"`
		} `json:"components"`
	}
	data, err := api.JSON()
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		tb.Fatal(err)
	}
	promised := make(map[string][]string)
	for path, item := range doc.Paths {
		for method, raw := range item {
			operation := strings.ToUpper(method) + " " + path
			var op struct {
				Responses map[string]response `json:"responses"`
			}
			if json.Unmarshal(raw, &op) != nil { // the path's parameters, an array
				continue
			}
			for status, r := range op.Responses {
				if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
					r = doc.Components.Responses[name]
				}
				for _, code := range r.Codes {
					promised[operation] = append(promised[operation], code+" "+status)
				}
			}
		}
	}
	return promised
}
