package auth_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// A mail about an account is in the language that the account chose, whoever causes it; else in that of the request,
// unless it is somebody else's; else in the shop's.
func TestMailsAboutAccountsAreInTheReadersLanguage(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		root := a.Admin(t, "root").Access
		// All requests are in French.
		send := func(token, method, path string, body any) testkit.Response {
			t.Helper()
			res := a.Do(t, testkit.Request{
				Method: method, Path: path, Token: token, Header: http.Header{"Accept-Language": {"fr"}}, Body: body,
			})
			if res.Status >= http.StatusBadRequest {
				t.Fatalf("%s %s: %d %s", method, path, res.Status, res.Body)
			}
			return res
		}
		wantMails := func(name string, want ...string) {
			t.Helper()
			var got []string
			for _, m := range a.AllMails(t) {
				if strings.Contains(m.Subject+m.Text, "{{") {
					t.Errorf("%s: %q\n%s", name, m.Subject, m.Text)
				}
				got = append(got, m.To+": "+m.Subject)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		register := func(name string) (token, id string) {
			t.Helper()
			res := send("", "POST", "/auth/register", map[string]string{
				"email": name + "@example.com", "username": name, "password": testkit.Password,
			})
			token = testkit.TokensOf(t, res, http.StatusCreated).Access
			return token, a.Do(t, testkit.Me(token)).Text(t, "data.id")
		}
		a.AllMails(t)

		ada, adaID := register("ada")
		_, bobID := register("bob")
		wantMails("of the request", "ada@example.com: Confirmez votre adresse e-mail", "bob@example.com: Confirmez votre adresse e-mail")

		send(ada, "PUT", "/auth/language", map[string]string{"language": "de"})
		send(ada, "POST", "/auth/email/change", map[string]string{"newEmail": "ada@new.example"})
		wantMails("the account's", "ada@example.com: Für Ihr Konto ist eine andere E-Mail-Adresse gewünscht",
			"ada@new.example: Bestätigen Sie Ihre neue E-Mail-Adresse")
		send("", "POST", "/auth/forgot-password", map[string]string{"email": "ada@example.com"})
		wantMails("asked by anybody", "ada@example.com: Neues Passwort wählen")

		admin := "/api/v1/admin/"
		a.Clock.Advance(2 * time.Minute) // mails to a mailbox are a minute apart
		send(root, "POST", admin+"users/"+adaID+"/password-reset", nil)
		send(root, "POST", admin+"users/"+bobID+"/password-reset", nil)
		wantMails("by staff", "ada@example.com: Neues Passwort wählen", "bob@example.com: Choose a new password")

		a.Clock.Advance(2 * time.Minute)
		a.Do(t, testkit.Patch(root, admin+"settings", `{"language":"es"}`))
		for _, to := range []string{"ada@example.com", "eve@example.com"} {
			send(root, "POST", admin+"invitations", map[string]string{"email": to, "role": "SUPPORT"})
		}
		host := strings.TrimPrefix(a.URL, "http://") // what a shop without a name is called
		wantMails("invitations", "ada@example.com: Einladung in das Team von "+host, "eve@example.com: Te han invitado a ayudar a gestionar "+host)
	})
}
