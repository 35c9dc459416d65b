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
	"internal/clientip":  {},
	"internal/framing":   {},
	"internal/mail":      {},
	"internal/masterkey": {"internal/seal"},
	"internal/ops":       {},
	"internal/pages":     {},
	"internal/ratelimit": {},

	"internal/account":          {"internal/errs", "internal/audit", "internal/caller", "internal/cuid2", "internal/keyring", "internal/mail", "internal/account/password", "internal/account/token"},
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

	"internal/idempotency":    {"internal/errs", "internal/cuid2", "internal/seal"},
	"internal/plugin":         {"internal/errs", "internal/audit", "internal/seal", "internal/cuid2"},
	"internal/plugin/archive": {"internal/errs", "internal/plugin"},
	"internal/plugin/install": {"internal/errs", "internal/plugin", "internal/plugin/archive"},
	"internal/runtime":        {"internal/errs", "internal/plugin"},
	"internal/runtime/node":   {"internal/errs", "internal/plugin", "internal/runtime"},

	"internal/signing":          {},
	"internal/runtime/external": {"internal/errs", "internal/plugin", "internal/runtime"},
	"internal/gateway":          {"internal/errs", "internal/caller", "internal/reqid", "internal/plugin", "internal/runtime", "internal/signing"},

	"sdk/go/license":   {}, // for others: the standard library only
	"nodehost/bundle":  {},
	"examples/plugins": {},
	"internal/store":   {"internal/errs", "internal/audit", "internal/caller", "internal/keyring", "internal/account", "internal/idempotency", "internal/market", "internal/market/payment", "internal/plugin"},

	// The API: routes and middleware, its rooms, and what the rooms share.
	"internal/httpapi": {
		"api", "internal/account", "internal/audit", "internal/clientip", "internal/errs", "internal/gateway",
		"internal/httpapi/admin", "internal/httpapi/auth", "internal/httpapi/extension", "internal/httpapi/guard",
		"internal/httpapi/keyed", "internal/httpapi/limit", "internal/httpapi/relay", "internal/httpapi/shop", "internal/httpapi/web",
		"internal/idempotency", "internal/keyring", "internal/market", "internal/plugin", "internal/plugin/install",
		"internal/ratelimit", "internal/reference", "internal/reqid",
	},
	"internal/httpapi/admin": {
		"internal/account", "internal/audit", "internal/caller", "internal/errs", "internal/market",
		"internal/httpapi/web", "internal/httpapi/wire",
	},
	"internal/httpapi/auth": {
		"internal/account", "internal/caller", "internal/pages",
		"internal/httpapi/guard", "internal/httpapi/limit", "internal/httpapi/web", "internal/httpapi/wire",
	},
	"internal/httpapi/extension": {
		"internal/errs", "internal/idempotency", "internal/plugin", "internal/plugin/install",
		"internal/httpapi/keyed", "internal/httpapi/web",
	},
	"internal/httpapi/relay": {
		"internal/account", "internal/caller", "internal/errs", "internal/gateway", "internal/plugin",
		"internal/httpapi/guard", "internal/httpapi/web",
	},
	"internal/httpapi/shop": {
		"internal/errs", "internal/httpsig", "internal/idempotency", "internal/jsontext", "internal/keyring", "internal/market", "internal/pages",
		"internal/httpapi/web", "internal/httpapi/wire",
	},
	"internal/httpapi/guard": {"internal/caller", "internal/errs", "internal/httpapi/web"},
	"internal/httpapi/keyed": {"internal/caller", "internal/clientip", "internal/errs", "internal/idempotency", "internal/httpapi/web"},
	"internal/httpapi/limit": {"internal/caller", "internal/clientip", "internal/errs", "internal/ratelimit", "internal/httpapi/web"},
	"internal/httpapi/web":   {"internal/errs", "internal/jsontext", "internal/pages"},
	"internal/httpapi/wire":  {"internal/account", "internal/errs", "internal/keyring", "internal/market", "internal/httpapi/web"},

	// For tests only: nothing above may list these.
	"internal/store/storetest":    {"*"},
	"internal/proof":              {},
	"internal/testkit":            {"*"},
	"internal/testkit/clocktest":  {},
	"internal/testkit/dbtest":     {"internal/store", "internal/testkit/pgtest"},
	"internal/testkit/goldentest": {},
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
