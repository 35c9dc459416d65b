package stoa

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
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

	"internal/jsontext":  {},
	"internal/httpsig":   {},
	"internal/keyring":   {"internal/errs", "internal/audit", "internal/seal"},
	"internal/audit":     {"internal/errs", "internal/caller", "internal/cuid2", "internal/reqid"},
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

	"internal/account":          {"internal/errs", "internal/audit", "internal/cache", "internal/caller", "internal/cuid2", "internal/keyring", "internal/linktoken", "internal/mail", "internal/periodic", "internal/account/password", "internal/account/token"},
	"internal/account/password": {"internal/errs"},
	"internal/account/token":    {"internal/keyring"},

	"internal/blob":                  {},
	"internal/market":                {"internal/errs", "internal/jsontext", "internal/audit", "internal/caller", "internal/seal", "internal/cuid2", "internal/keyring", "internal/mail", "internal/market/payment", "internal/market/lease"},
	"internal/market/lease":          {"internal/keyring"},
	"internal/market/payment":        {},
	"internal/market/payment/stripe": {"internal/market/payment"},
	"internal/demo":                  {"examples/plugins", "internal/demo/catalog", "internal/errs", "internal/market"},
	"internal/demo/catalog":          {},
	"internal/reference":             {},

	"internal/idempotency":    {"internal/errs", "internal/cuid2", "internal/periodic", "internal/seal"},
	"internal/plugin":         {"internal/errs", "internal/audit", "internal/seal", "internal/cuid2"},
	"internal/plugin/archive": {"internal/errs", "internal/plugin"},
	"internal/plugin/install": {"internal/errs", "internal/plugin", "internal/plugin/archive"},
	"internal/runtime":        {"internal/errs", "internal/plugin"},
	"internal/runtime/relay":  {"internal/runtime"},
	"internal/runtime/node":   {"internal/plugin", "internal/runtime", "internal/runtime/relay"},

	"internal/signing":          {},
	"internal/runtime/external": {"internal/plugin", "internal/runtime", "internal/runtime/relay"},
	"internal/gateway":          {"internal/errs", "internal/cache", "internal/caller", "internal/reqid", "internal/plugin", "internal/runtime", "internal/runtime/relay", "internal/signing"},

	"sdk/go/license":   {}, // for others: the standard library only
	"nodehost/bundle":  {},
	"examples/plugins": {},
	"internal/store":   {"internal/errs", "internal/audit", "internal/caller", "internal/keyring", "internal/account", "internal/idempotency", "internal/market", "internal/market/payment", "internal/plugin"},
	"internal/httpapi": {"api", "internal/reference", "internal/pages", "internal/errs", "internal/jsontext", "internal/audit", "internal/caller", "internal/reqid", "internal/account", "internal/keyring", "internal/httpsig", "internal/idempotency", "internal/plugin", "internal/plugin/install", "internal/market", "internal/gateway", "internal/clientip", "internal/ratelimit"},

	// For tests only: nothing above may list these.
	"internal/store/storetest":    {"*"},
	"internal/proof":              {},
	"internal/testkit":            {"*"},
	"internal/testkit/clocktest":  {},
	"internal/testkit/dbtest":     {"internal/store", "internal/testkit/pgtest"},
	"internal/testkit/needtest":   {},
	"internal/testkit/pgtest":     {"internal/testkit/needtest"},
	"internal/testkit/logtest":    {"internal/reqid"},
	"internal/testkit/redistest":  {"internal/testkit/needtest"},
	"internal/testkit/smtptest":   {"internal/testkit/needtest"},
	"internal/testkit/stripetest": {"internal/testkit/needtest"},
	"internal/testkit/ziptest":    {},
}

func TestLayering(t *testing.T) {
	t.Parallel()

	const module = "stoa/"
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
