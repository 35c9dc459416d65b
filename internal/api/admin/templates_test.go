package admin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

const templates = "/api/v1/admin/mail-templates"

func TestTheWordsOfAMailAreManaged(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root").Access
		kinds := manage(t, a, root, "GET", templates, nil, 200)
		first := func(r testkit.Response) map[string]any {
			t.Helper()
			items, _ := r.Get(t, "data.items").([]any)
			if len(items) != 8 {
				t.Fatalf("kinds: %s", r.Body)
			}
			return items[0].(map[string]any)
		}
		if kind := first(kinds); kind["kind"] != "receipt" || len(kind["languages"].([]any)) != 0 || kind["broken"] != nil {
			t.Errorf("kinds: %s", kinds.Body)
		}
		path := templates + "/receipt/en"
		came := manage(t, a, root, "GET", path, nil, 200)
		if came.Get(t, "data.builtIn") != true || !strings.Contains(came.Text(t, "data.text"), "{{licenseKey}}") {
			t.Errorf("the words that it came with: %s", came.Body)
		}
		words := map[string]string{"subject": "Yours: {{productName}}", "text": "Hello!\n\n{{licenseKey}}\n"}
		preview := manage(t, a, root, "POST", path+"/preview", words, 200)
		if preview.Text(t, "data.subject") != "Yours: Weather Widget" || !strings.Contains(preview.Text(t, "data.html"), "Hello!") {
			t.Errorf("preview: %s", preview.Body)
		}
		if got := manage(t, a, root, "GET", path, nil, 200); got.Get(t, "data.builtIn") != true {
			t.Error("a preview was kept")
		}
		put := manage(t, a, root, "PUT", path, words, 200)
		if put.Get(t, "data.builtIn") != nil || put.Text(t, "data.updatedAt") == "" {
			t.Errorf("the shop's words: %s", put.Body)
		}
		if got := first(manage(t, a, root, "GET", templates, nil, 200)); !slices.Equal(got["languages"].([]any), []any{"en"}) {
			t.Errorf("the kind is %v", got)
		}
		manage(t, a, root, "POST", path+"/test", words, 202)
		if sent := a.Mails(t); len(sent) != 1 || sent[0].To != "root@example.com" || sent[0].Subject != "Yours: Weather Widget" || sent[0].HTML == "" {
			t.Errorf("sent %+v", sent)
		}
		want := []string{"template.update mail_template:receipt/en", "template.test mail_template:receipt/en"}
		if got := slices.Concat(audited(t, a, root, "template.update"), audited(t, a, root, "template.test")); !slices.Equal(got, want) {
			t.Errorf("audited %v", got)
		}
		manage(t, a, root, "DELETE", path, nil, 200)
		manage(t, a, root, "DELETE", path, nil, 404)
		for _, none := range []string{"/none/en", "/receipt/xx", "/receipt/EN"} {
			manage(t, a, root, "GET", templates+none, nil, 404)
			manage(t, a, root, "PUT", templates+none, map[string]string{}, 404)
		}
		bad := map[string]string{"subject": "a\nb", "text": "{{x}} https://evil.example"}
		refused := manage(t, a, root, "PUT", path, bad, 400)
		if got := faultsIn(t, refused); got != "subject invalid, text unknown_value, text invalid, text required" {
			t.Errorf("faults: %s", got)
		}
		bad["html"] = "x"
		refused = manage(t, a, root, "PUT", path, bad, 400)
		if got := faultsIn(t, refused); got != "html unknown_field, subject invalid, text unknown_value" {
			t.Errorf("faults: %s", got)
		}
	})
}

// faultsIn returns the faults that an answer names, as "path code".
func faultsIn(t *testing.T, refused testkit.Response) string {
	t.Helper()
	var faults []string
	for _, is := range refused.Get(t, "error.details.issues").([]any) {
		is := is.(map[string]any)
		faults = append(faults, fmt.Sprint(is["path"], " ", is["code"]))
	}
	return strings.Join(faults, ", ")
}

// Whoever words mails about accounts decides whom users trust with their passwords.
func TestMailsAboutAccountsAreForWhoeverMayChangeSettings(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	member := a.Register(t, "eve")
	if _, err := a.Accounts.UpdateUser(t.Context(), member.UserID, account.UserChange{Role: "CATALOG"}); err != nil {
		t.Fatal(err)
	}
	editor := member.Access
	words := map[string]string{"subject": "x", "text": "{{link}}\n"}
	for _, kind := range []string{"claim", "password_reset", "password_changed"} {
		path := templates + "/" + kind + "/en"
		manage(t, a, editor, "GET", path, nil, 200)
		for _, r := range []struct{ method, path string }{
			{"PUT", path}, {"DELETE", path}, {"POST", path + "/preview"}, {"POST", path + "/test"},
		} {
			refused := a.Do(t, testkit.Request{Method: r.method, Path: r.path, Token: editor, Body: words})
			if refused.Status != http.StatusForbidden || refused.Text(t, "error.details.permission") != "settings:write" {
				t.Errorf("%s %s as CATALOG: %d %s", r.method, r.path, refused.Status, refused.Body)
			}
		}
	}
	manage(t, a, editor, "PUT", templates+"/refund/en", words, 400)
	manage(t, a, editor, "PUT", templates+"/refund/en", map[string]string{"subject": "x", "text": "y"}, 200)
}
