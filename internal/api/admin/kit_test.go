package admin_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// sellOne imports the catalog and sells one license, which one instance uses.
// It returns an administrator, the license key and the license's id.
func sellOne(tb testing.TB, a *testkit.App, tier string) (root testkit.Tokens, key, id string) {
	tb.Helper()
	a.ImportCatalog(tb)
	root = a.Admin(tb, "root")
	key = a.BuyKey(tb, "", tier)
	return root, key, a.UseLicense(tb, key)
}

// audited returns the entries of the audit log about an action or a subject as
// "action type:id" of the target, oldest first.
func audited(tb testing.TB, a *testkit.App, token, action string) []string {
	tb.Helper()
	res := a.Do(tb, testkit.Get(token, "/api/v1/admin/audit?limit=100&action="+action))
	items, _ := res.Get(tb, "data.items").([]any)
	var list []string
	for _, it := range slices.Backward(items) {
		e := it.(map[string]any)
		target := e["target"].(map[string]any)
		list = append(list, fmt.Sprintf("%s %s:%s", e["action"], target["type"], target["id"]))
	}
	return list
}

const managed = "/api/v1/admin/products"

// draft is an unpublished product with nothing but what is required, and
// changes.
func draft(slug string, changes map[string]any) map[string]any {
	p := map[string]any{
		"slug": slug, "name": "Name", "category": "tools", "shortDescription": "Short.",
		"description": "Long.", "icon": "/icon.svg", "published": false,
		"pricingTiers": []any{
			map[string]any{
				"id": "pro", "name": "Pro", "price": 9.9,
				"currency": "EUR", "billingPeriod": "monthly", "maxInstances": 2,
			},
		},
	}
	maps.Copy(p, changes)
	return p
}

// manage sends a request, which must be answered with the status want.
func manage(tb testing.TB, a *testkit.App, token, method, path string, body any, want int,
	match ...string,
) testkit.Response {
	tb.Helper()
	req := testkit.Request{Method: method, Path: path, Body: body, Token: token}
	if match != nil {
		req.Header = http.Header{"If-Match": match}
	}
	res := a.Do(tb, req)
	if res.Status != want {
		tb.Fatalf("%s %s = %d, want %d\n%s", method, path, res.Status, want, res.Body)
	}
	return res
}

// named returns the issues of an answer as "path code".
func named(tb testing.TB, res testkit.Response) []string {
	tb.Helper()
	list, _ := res.Get(tb, "error.details.issues").([]any)
	var out []string
	for _, is := range list {
		is := is.(map[string]any)
		out = append(out, fmt.Sprintf("%s %s", is["path"], is["code"]))
		if strings.Contains(is["message"].(string), "line ") {
			tb.Errorf("a line is named: %s", is["message"])
		}
	}
	return out
}

// slugsOf returns the slugs of a list of products.
func slugsOf(tb testing.TB, res testkit.Response) string {
	tb.Helper()
	items, _ := res.Get(tb, "data.items").([]any)
	var out []string
	for _, it := range items {
		out = append(out, it.(map[string]any)["slug"].(string))
	}
	return strings.Join(out, " ")
}
