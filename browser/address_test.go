package browser_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// linkTo returns the address of the last link to a page in the mails that were sent to somebody, without the server.
// Mails to different people come in any order.
func linkTo(t *testing.T, a *testkit.App, who, page string) (link string) {
	t.Helper()
	for _, m := range a.AllMails(t) {
		if m.To != who {
			continue
		}
		for _, found := range regexp.MustCompile(`(?m)^`+a.URL+`(/\S+#\S+)$`).FindAllStringSubmatch(m.Text, -1) {
			if strings.HasPrefix(found[1], page+"#") {
				link = found[1]
			}
		}
	}
	if link == "" {
		t.Fatalf("no link to %s was mailed to %s", page, who)
	}
	return link
}

// isProven checks whether ada's address is proven.
func isProven(t *testing.T, a *testkit.App, want bool) {
	t.Helper()
	res := a.Do(t, testkit.Get(a.Login(t, "ada").Access, "/auth/account"))
	if got := res.Get(t, "data.emailVerified"); got != want {
		t.Errorf("emailVerified = %v, want %v", got, want)
	}
}

func TestOnlyWhoeverSignsInConfirmsTheAddress(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	a.Register(t, "bob")
	link := linkTo(t, a, "bob@example.com", "/verify-email")
	b := newTab(t, a)
	b.open(t, link)
	b.wantHistory(t, "/verify-email")              // and no token
	b.fill(t, "E-mail address", "ada@example.com") // not the account that the link is for
	b.fill(t, "Password", testkit.Password)
	b.click(t, "button", "Confirm the address")
	b.do(t, "first", "#prove-error", "This link no longer works, or it is for another account. Sign in to the account that "+
		"it is for, or request a new link there.")
	isProven(t, a, false)
	b.fill(t, "E-mail address", "bob@example.com")
	b.click(t, "button", "Confirm the address")
	b.seesStatus(t, "You can close this page.")
	isProven(t, a, false)
	if n := len(a.Do(t, testkit.Get(a.Login(t, "bob").Access, "/auth/sessions")).Get(t, "data.items").([]any)); n != 2 {
		t.Errorf("bob has %d sessions, want those of registering and of this test", n)
	}
}

func TestSomebodyElsesAccountIsShutFromItsMail(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	b := newTab(t, a)
	b.open(t, linkTo(t, a, "ada@example.com", "/verify-email"))
	b.click(t, "link", "It was not me.")
	b.click(t, "button", "Shut the account")
	b.seesStatus(t, "Your address is free.")
	b.wantHistory(t, "/verify-email", "/disown")
	testkit.WantError(t, a.Do(t, testkit.SignIn("ada@example.com", testkit.Password)), http.StatusUnauthorized, "LOGIN_FAILED")
}

func TestANewAddressIsConfirmedAndTakenBack(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	ada := a.Register(t, "ada")
	post(t, a, http.StatusAccepted, "/auth/email/change", ada.Access, map[string]string{"newEmail": "new@example.org"})
	b := newTab(t, a)
	b.open(t, linkTo(t, a, "new@example.org", "/change-email"))
	b.fill(t, "E-mail address", "ada@example.com")
	b.fill(t, "Password", testkit.Password)
	b.click(t, "button", "Use this address")
	b.seesStatus(t, "Sign in with the new address from now on.")
	post(t, a, http.StatusOK, "/auth/login", "", map[string]string{"email": "new@example.org", "password": testkit.Password})

	b.open(t, linkTo(t, a, "ada@example.com", "/revert-email"))
	b.click(t, "button", "Take the change back")
	b.seesStatus(t, "Check your mailbox")
	b.open(t, linkTo(t, a, "ada@example.com", "/reset-password"))
	b.fill(t, "New password", newPassword)
	b.click(t, "button", "Save password")
	b.seesStatus(t, "You can now sign in")
	wantPassword(t, a, newPassword)
}
