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

// mayImport is the dependency rule of ARCHITECTURE.md: the packages of this
// module that each package may import, in files that are not tests. To add an
// arrow, change the drawing there first.
var mayImport = map[string][]string{
	"cmd/stoa":     {"*"},
	"internal/app": {"*"},

	"bench/accounts": {"*"},
	"bench/market":   {"*"},
	"bench/measure":  {},

	"api":             {},
	"internal/errs":   {},
	"internal/caller": {},
	"internal/reqid":  {},
	"internal/cuid2":  {},
	"internal/seal":   {},

	"internal/text":      {},
	"internal/picture":   {"internal/text"},
	"internal/jsontext":  {},
	"internal/httpsig":   {},
	"internal/keyring":   {"internal/audit", "internal/errs", "internal/seal"},
	"internal/audit":     {"internal/caller", "internal/cuid2", "internal/errs", "internal/reqid"},
	"internal/cache":     {},
	"internal/clientip":  {},
	"internal/framing":   {},
	"internal/linktoken": {},
	"internal/mail":      {},
	"internal/masterkey": {"internal/seal"},
	"internal/ops":       {},
	"internal/pages":     {},
	"internal/periodic":  {},
	"internal/ratelimit": {},

	"internal/account":          {"internal/account/password", "internal/account/token", "internal/audit", "internal/cache", "internal/caller", "internal/cuid2", "internal/errs", "internal/keyring", "internal/linktoken", "internal/mail", "internal/periodic"},
	"internal/account/password": {"internal/errs"},
	"internal/account/token":    {"internal/keyring"},

	"internal/extension":         {"internal/errs", "internal/extension/archive"},
	"internal/extension/archive": {"internal/errs"},
	"internal/extension/install": {"internal/errs", "internal/extension", "internal/extension/archive"},

	"internal/blob":                  {},
	"internal/market":                {"internal/audit", "internal/cache", "internal/caller", "internal/cuid2", "internal/errs", "internal/jsontext", "internal/keyring", "internal/linktoken", "internal/mail", "internal/market/lease", "internal/market/payment", "internal/periodic", "internal/picture", "internal/seal", "internal/text"},
	"internal/database":              {"internal/errs"},
	"internal/market/lease":          {"internal/keyring"},
	"internal/market/payment":        {},
	"internal/market/payment/stripe": {"internal/market/payment"},
	"internal/demo":                  {"examples/plugins", "internal/demo/catalog", "internal/errs", "internal/market"},
	"internal/demo/catalog":          {},
	"internal/reference":             {},

	"internal/idempotency":  {"internal/cuid2", "internal/errs", "internal/periodic", "internal/seal"},
	"internal/plugin":       {"internal/audit", "internal/cuid2", "internal/errs", "internal/extension", "internal/extension/archive", "internal/seal"},
	"internal/runtime":      {"internal/errs", "internal/plugin"},
	"internal/runtime/node": {"internal/plugin", "internal/runtime", "internal/runtime/relay"},

	"internal/signing":          {},
	"internal/runtime/external": {"internal/plugin", "internal/runtime", "internal/runtime/relay"},
	"internal/gateway":          {"internal/cache", "internal/caller", "internal/errs", "internal/plugin", "internal/reqid", "internal/runtime", "internal/runtime/relay", "internal/signing"},

	"nodehost/bundle":  {},
	"examples/plugins": {},
	"internal/store":   {"internal/account", "internal/audit", "internal/caller", "internal/database", "internal/errs", "internal/idempotency", "internal/keyring", "internal/market", "internal/market/payment", "internal/plugin", "internal/text"},
	"internal/httpapi": {"api", "internal/account", "internal/audit", "internal/clientip", "internal/errs", "internal/extension/install", "internal/gateway", "internal/httpapi/admin", "internal/httpapi/auth", "internal/httpapi/extension", "internal/httpapi/guard", "internal/httpapi/keyed", "internal/httpapi/limit", "internal/httpapi/relay", "internal/httpapi/shop", "internal/httpapi/web", "internal/idempotency", "internal/keyring", "internal/market", "internal/plugin", "internal/ratelimit", "internal/reference", "internal/reqid"},

	// For tests only: nothing above may list these.
	"internal/store/storetest":    {"*"},
	"internal/proof":              {},
	"internal/testkit":            {"*"},
	"internal/testkit/clocktest":  {},
	"internal/testkit/dbtest":     {"internal/database", "internal/store", "internal/testkit/pgtest"},
	"internal/testkit/needtest":   {},
	"internal/testkit/pgtest":     {"internal/testkit/needtest"},
	"internal/testkit/logtest":    {"internal/reqid"},
	"internal/testkit/redistest":  {"internal/testkit/needtest"},
	"internal/testkit/smtptest":   {"internal/testkit/needtest"},
	"internal/testkit/stripetest": {"internal/testkit/needtest"},
	"internal/testkit/ziptest":    {},
	"internal/market/producttest": {"internal/market"},
	"internal/runtime/relay":      {"internal/runtime"},
	"sdk/tests":                   {},
	"internal/httpapi/admin":      {"internal/account", "internal/audit", "internal/caller", "internal/errs", "internal/httpapi/web", "internal/httpapi/wire", "internal/market", "internal/picture"},
	"internal/httpapi/auth":       {"internal/account", "internal/caller", "internal/httpapi/guard", "internal/httpapi/limit", "internal/httpapi/web", "internal/httpapi/wire", "internal/pages"},
	"internal/httpapi/extension":  {"internal/errs", "internal/extension", "internal/extension/install", "internal/httpapi/keyed", "internal/httpapi/web", "internal/idempotency", "internal/plugin"},
	"internal/httpapi/guard":      {"internal/caller", "internal/errs", "internal/httpapi/web"},
	"internal/httpapi/keyed":      {"internal/caller", "internal/clientip", "internal/errs", "internal/httpapi/web", "internal/idempotency"},
	"internal/httpapi/limit":      {"internal/caller", "internal/clientip", "internal/errs", "internal/httpapi/web", "internal/ratelimit"},
	"internal/httpapi/relay":      {"internal/account", "internal/caller", "internal/errs", "internal/gateway", "internal/httpapi/guard", "internal/httpapi/web", "internal/plugin"},
	"internal/httpapi/shop":       {"internal/errs", "internal/httpapi/web", "internal/httpapi/wire", "internal/httpsig", "internal/idempotency", "internal/jsontext", "internal/keyring", "internal/market", "internal/pages"},
	"internal/httpapi/web":        {"internal/errs", "internal/jsontext", "internal/pages"},
	"internal/httpapi/wire":       {"internal/account", "internal/errs", "internal/httpapi/web", "internal/keyring", "internal/market"},
}

func TestLayering(t *testing.T) {
	t.Parallel()

	const module = "stoa/"
	sdk := sdkModule(t)
	seen := make(map[string]bool)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(name))
		allowed, listed := mayImport[pkg]
		if !listed {
			t.Errorf("%s: package %s is not in mayImport", name, pkg)
			return nil
		}
		seen[pkg] = true
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			dep, ours := strings.CutPrefix(imported, module)
			if name, ok := strings.CutPrefix(imported, sdk+"/"); ok {
				dep, ours = "sdk/go/"+name, true
			}
			if ours && !slices.Contains(allowed, "*") && !slices.Contains(allowed, dep) {
				t.Errorf("%s: %s may not import %s", name, pkg, dep)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("mayImport lists %s, which does not exist", pkg)
		}
	}
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
