package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stoa/api"
	"stoa/internal/account/apikey"
	"stoa/internal/api/guard"
	"stoa/internal/api/keyed"
	"stoa/internal/api/limit"
	"stoa/internal/base/permission"
	"stoa/internal/market/terms"
)

// anyMethod are the methods that the API document lists for a route that takes any.
var anyMethod = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// everyRoute returns the list of a stoa without services.
func everyRoute() []route {
	s := new(Server)
	return s.list(s.handlers(limit.Counter{}, keyed.Requests{}))
}

// The API document and the routes are the same (contract 1.10): every route is
// documented, and every documented operation is served.
func TestRoutesAndTheAPIDocumentAgree(t *testing.T) {
	t.Parallel()

	documented := operations(t)
	for _, r := range everyRoute() {
		for _, op := range operationsOf(r) {
			if _, ok := documented[op]; !ok {
				t.Errorf("%s is a route and not in api/openapi.yaml", op)
			}
			delete(documented, op)
		}
	}
	for op := range documented {
		t.Errorf("%s is in api/openapi.yaml and no route", op)
	}
}

// What the API document says of an operation's callers, its rate limit and Idempotency-Key is what its
// row in the list makes it do.
func TestRowsAndTheAPIDocumentAgree(t *testing.T) {
	t.Parallel()

	secured := map[caller][]string{
		anyone:         {},
		guestsToo:      {"", "accessToken", "serviceToken"},
		users:          {"accessToken"},
		usersByHandler: {"accessToken"},
		staffMembers:   {"accessToken", "serviceToken"},
		plugins:        {"pluginToken"},
		processes:      {},
	}
	documented := operations(t)
	for _, r := range everyRoute() {
		for _, name := range operationsOf(r) {
			op := documented[name]
			if got, want := op.callers(), secured[r.by]; !slices.Equal(got, want) && !isException(name, "callers", got) {
				t.Errorf("%s is documented for %q, and its row is for %q", name, got, want)
			}
			_, limited := op.Responses["429"]
			if want := r.by == plugins || r.by == processes || len(r.limits) > 0; limited != want && !isException(name, "429", limited) {
				t.Errorf("%s documents 429: %v, and its row has a limit: %v", name, limited, want)
			}
			if !slices.Equal(op.Permission, r.permits) {
				t.Errorf("%s is documented for x-permission %q, and its row is for %q", name, op.Permission, r.permits)
			}
			if got, want := op.takesKey(), r.keyed != notKeyed; got != want {
				t.Errorf("%s documents Idempotency-Key: %v, and its row honors it: %v", name, got, want)
			}
		}
	}
}

// isException reports whether an operation is documented otherwise than its row says, for a reason.
func isException(op, what string, documented any) bool {
	return map[string]string{
		// The handler ends the token's session; of an invalid token nothing is left to end.
		"POST /auth/logout callers": `["" "accessToken"]`,
		// Services do not buy: to the handler they are guests.
		"POST /api/marketplace/products/{slug}/purchase callers": `["" "accessToken"]`,
		// A license that moves too often is refused by package license.
		"POST /api/marketplace/products/{slug}/activate 429": "true",
	}[op+" "+what] == fmt.Sprintf(map[string]string{"callers": "%q", "429": "%v"}[what], documented)
}

// Each limit belongs to a route. Routes of administrators and plugins are for nobody else.
func TestRowsAreComplete(t *testing.T) {
	t.Parallel()

	used := map[string]bool{limit.Platform.Name: true, limit.APIKey.Name: true} // of callers, whatever they call
	for _, r := range everyRoute() {
		for _, l := range r.limits {
			used[l.rule.Name] = true
		}
		if admin := strings.Contains(r.pattern, "/api/v1/admin/"); admin != (r.by == staffMembers) {
			t.Errorf("%s is below the administrators' address: %v, and for them: %v", r.pattern, admin, r.by == staffMembers)
		}
		if r.by == staffMembers && (len(r.permits) == 0 || !slices.ContainsFunc(r.permits, isPermission)) {
			t.Errorf("%s names no permission", r.pattern)
		}
		if platform := strings.Contains(r.pattern, "/api/v1/platform/"); platform != (r.by == plugins || r.by == processes) {
			t.Errorf("%s is below the platform's address: %v, and for plugins: %v", r.pattern, platform, r.by == plugins)
		}
		open := r.pattern == "GET /api/v1/platform/config" || r.pattern == "GET /api/v1/platform/license"
		if r.by == plugins && (len(r.needs) == 0) != open {
			t.Errorf("%s needs the permissions %q", r.pattern, r.needs)
		}
	}
	for _, rule := range limit.Rules() {
		if !used[rule.Name] {
			t.Errorf("no route has the limit %s", rule.Name)
		}
		delete(used, rule.Name)
	}
	if len(used) > 0 {
		t.Errorf("limit.Rules lacks %v", used)
	}
}

func isPermission(name permission.Name) bool { return name == permission.Any || permission.Known(name) }

// Where the platform may ask administrators whether they are still there. A row that is missing here, or is there
// without being meant, would be found by nobody else.
func TestChangesThatAskAdministratorsAgainAreTheseOnly(t *testing.T) {
	t.Parallel()

	want := []string{
		"DELETE /api/v1/admin/extensions/{kind}/{slug}",
		"DELETE /api/v1/admin/plugins/{slug}",
		"GET /api/v1/admin/plugins/{slug}/secret",
		"PATCH /api/v1/admin/settings",
		"PATCH /api/v1/admin/users/{id}",
		"POST /api/v1/admin/extensions/{kind}/install",
		"POST /api/v1/admin/keys/rotate",
		"POST /api/v1/admin/licenses/{id}/revoke",
		"POST /api/v1/admin/market/{slug}/install",
		"POST /api/v1/admin/markets/{market}/products/{slug}/install",
		"POST /api/v1/admin/markets/{market}/purchases",
		"POST /api/v1/admin/markets/{market}/trials",
		"POST /api/v1/admin/orders/{id}/cancel",
		"POST /api/v1/admin/orders/{id}/refund",
		"POST /api/v1/admin/plugins/{slug}/secret/rotate",
		"POST /api/v1/admin/webhooks",
		"POST /api/v1/admin/webhooks/{id}/secret/rotate",
	}
	var got, documented []string
	operations := operations(t)
	for _, r := range everyRoute() {
		if r.recent == forChanges {
			got = append(got, r.pattern)
		}
		refusal := fmt.Sprint(operations[r.pattern].Responses["403"])
		if r.by == staffMembers && r.recent != always && (strings.Contains(refusal, "ForbiddenOrNotRecent") || strings.Contains(refusal, "REAUTHENTICATION_REQUIRED")) {
			documented = append(documented, r.pattern)
		}
	}
	slices.Sort(got)
	slices.Sort(documented)
	if !slices.Equal(got, want) {
		t.Errorf("asked are %q", got)
	}
	if !slices.Equal(documented, want) {
		t.Errorf("documented are %q", documented)
	}
}

// What staff may do who act as a user (contract 2.32). A row that is missing here was opened to them by oversight, or
// closed.
func TestWhatStaffMayDoAsAUserStandsInTheRows(t *testing.T) {
	t.Parallel()

	byUserOnly := map[string]bool{
		"POST /api/marketplace/orders/{id}/end-subscription": true,
		"POST /api/marketplace/orders/{id}/portal":           true,
		"POST /api/marketplace/orders/{id}/refund":           true,
		"POST /api/marketplace/licenses/{id}/change":         true,
		"POST /api/marketplace/licenses/{id}/renew":          true,
		"POST /api/marketplace/orders/claim-request":         true,
		"POST /api/marketplace/orders/claim":                 true,
		"POST /api/marketplace/products/{slug}/reviews":      true,
		"DELETE /api/marketplace/products/{slug}/reviews":    true,
	}
	for _, r := range everyRoute() {
		want := guard.ReadsAndWrites
		switch {
		case strings.Contains(r.pattern, "/api/v1/admin/") || strings.HasSuffix(r.pattern, "/archive"):
			want = guard.Nothing
		case strings.Contains(r.pattern, " /auth/") || byUserOnly[r.pattern]:
			want = guard.ReadsOnly
		}
		if got := r.standIn(); got != want {
			t.Errorf("%s: %d, want %d", r.pattern, got, want)
		}
		delete(byUserOnly, r.pattern)
	}
	for pattern := range byUserOnly {
		t.Errorf("%s is no route", pattern)
	}
}

// Whatever takes a password, or the token of a mail, is counted: a limit that one of several ways to the same
// thing lacks is none.
func TestEveryWayToTryACredentialHasALimit(t *testing.T) {
	t.Parallel()

	seen := 0
	for _, r := range everyRoute() {
		if !strings.HasPrefix(r.pattern, "POST /auth/") || r.pattern == "POST /auth/logout" { // it tries nothing
			continue
		}
		if seen++; len(r.limits) == 0 {
			t.Errorf("%s has no limit", r.pattern)
		}
	}
	if seen < 14 {
		t.Errorf("%d routes", seen)
	}
}

// operationsOf returns a route as "METHOD /path/{name}", once for each of its methods.
func operationsOf(r route) []string {
	path := strings.ReplaceAll(strings.TrimSuffix(r.pattern, "{$}"), "...}", "}")
	if strings.Contains(path, " ") {
		return []string{path}
	}
	var ops []string
	for _, method := range anyMethod {
		ops = append(ops, method+" "+path)
	}
	return ops
}

// documented is what the API document says of a method at a path.
type documented struct {
	Security   []map[string]any  `json:"security"`
	Permission []permission.Name `json:"x-permission"`
	Responses  map[string]any    `json:"responses"`

	RequestBody struct {
		Content map[string]struct {
			Schema map[string]any `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`

	Parameters []struct {
		Ref string `json:"$ref"`
	} `json:"parameters"`
}

// callers returns the kinds of tokens that an operation takes, "" for none.
func (o documented) callers() []string {
	kinds := []string{}
	for _, one := range o.Security {
		kind := ""
		for kind = range one { // there is at most one
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

func (o documented) takesKey() bool {
	for _, p := range o.Parameters {
		if strings.HasSuffix(p.Ref, "/IdempotencyKey") {
			return true
		}
	}
	return false
}

// lenient are the operations of 0.1.0 that ignore unknown fields, as clients may rely on it. All others
// refuse them (contract 1.5): none is ever added here. What stoas of other ages ask a market ignores them by its
// rules (contract 9.1).
var lenient = strings.Fields(`
	POST/auth/register POST/auth/login POST/auth/refresh POST/auth/change-password POST/auth/forgot-password
	POST/auth/reset-password POST/auth/setup
	POST/api/marketplace/products/{slug}/purchase POST/api/marketplace/products/{slug}/activate
	POST/api/marketplace/products/{slug}/deactivate POST/api/marketplace/payments/stripe/webhook
	POST/api/marketplace/orders/{id}/lookup POST/api/marketplace/orders/claim POST/api/marketplace/orders/claim-link
	POST/api/marketplace/products/{slug}/reviews
	POST/api/v1/admin/search POST/api/v1/admin/keys/rotate PATCH/api/v1/admin/users/{id} PATCH/api/v1/admin/reviews/{id}
	POST/api/v1/admin/licenses POST/api/v1/admin/licenses/lookup PATCH/api/v1/admin/licenses/{id}
	POST/api/v1/admin/licenses/{id}/renew POST/api/v1/admin/products PATCH/api/v1/admin/products/{slug}
	POST/api/v1/admin/catalog POST/api/v1/admin/market/{slug}/install POST/api/v1/admin/plugins/{slug}/instances
	POST/api/v1/admin/plugins/{slug}/hooks/replay POST/api/v1/admin/hooks/replay POST/api/v1/admin/webhooks
	PATCH/api/v1/admin/webhooks/{id} POST/api/v1/admin/webhooks/{id}/replay POST/api/v1/platform/events
	POST/api/v1/admin/themes/{target}/activate`)

// Requests that are not among those of 0.1.0 allow no additional properties, and so say that they are
// read with web.ReadChange.
func TestNewRequestsRefuseUnknownFields(t *testing.T) {
	t.Parallel()
	closed := 0
	for name, op := range operations(t) {
		body, takes := op.RequestBody.Content["application/json"]
		isLenient := slices.Contains(lenient, strings.ReplaceAll(name, " ", "")) || strings.Contains(name, " "+terms.Prefix)
		if more, is := body.Schema["additionalProperties"].(bool); takes && !isLenient && (!is || more) {
			t.Errorf("%s allows unknown fields", name)
		} else if takes && !isLenient {
			closed++
		}
	}
	if closed < 3 {
		t.Errorf("%d requests refuse unknown fields, want at least the changes of package, instance and settings", closed)
	}
}

// operations returns those of api/openapi.yaml by "METHOD /path/{name}".
func operations(tb testing.TB) map[string]documented {
	tb.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	data, err := api.JSON()
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		tb.Fatal(err)
	}
	ops := make(map[string]documented)
	for path, item := range doc.Paths {
		for name, text := range item {
			method := strings.ToUpper(name)
			if !slices.Contains(anyMethod, method) {
				continue
			}
			var op documented
			if err := json.Unmarshal(text, &op); err != nil {
				tb.Fatalf("%s %s: %v", method, path, err)
			}
			ops[method+" "+path] = op
		}
	}
	return ops
}

// What an API key needs follows from the row: no row can forget to say it. Every row that reads a bearer token is here
// with its rule; new ones are found.
func TestWhatAKeyNeedsIsAPropertyOfRows(t *testing.T) {
	t.Parallel()

	seen := map[keyRule]int{}
	scoped := map[permission.Name]bool{}
	for _, r := range everyRoute() {
		rule := r.keys()
		seen[rule]++
		_, path, _ := strings.Cut(r.pattern, " ")
		reads := r.by == users || r.by == usersByHandler || r.by == guestsToo || r.by == staffMembers || r.pattern == "POST /auth/logout"
		switch {
		case reads == (rule == keysUnread):
			t.Errorf("%s reads a bearer token: %v, and its rule for keys is %v", r.pattern, reads, rule)
		case reads && (strings.HasPrefix(path, "/auth/") || r.recent == always) && rule != keysRefused:
			t.Errorf("keys open %s", r.pattern)
		case r.by == staffMembers && rule == keysOfSelf, rule == keysByScope && r.by != staffMembers:
			t.Errorf("%s has the rule %v", r.pattern, rule)
		}
		if rule == keysByScope {
			scoped[r.permits[0]] = true
		}
	}
	alone := []permission.Name{permission.TrustExtensions, permission.ReadEmails, permission.ReadCustomerAudit}
	for _, name := range permission.Catalog() {
		if slices.Contains(alone, name) {
			continue // it opens nothing by itself
		}
		if scoped[name] != apikey.IsScope(name) {
			t.Errorf("%s opens a route for keys: %v, and is a scope: %v", name, scoped[name], apikey.IsScope(name))
		}
	}
	if seen[keysRefused] < 55 || seen[keysByScope] < 80 || seen[keysOfSelf] < 12 {
		t.Errorf("rules: %v", seen)
	}
}

// Security: a table of a list, which may take minutes, ends when its caller loses access.
func TestTablesEndWithTheAccessOfTheirCallers(t *testing.T) {
	t.Parallel()

	tables := 0
	for _, r := range everyRoute() {
		if strings.HasSuffix(r.pattern, ".csv") {
			if tables++; !r.lasting {
				t.Errorf("%s goes on when its caller loses access", r.pattern)
			}
		}
	}
	if tables != 4 {
		t.Errorf("%d tables, want 4", tables)
	}
}
