package browser_test

import (
	"net/http"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

func TestRegisterCreatesAnAccountAndKeepsNobodySignedIn(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	b := newTab(t, a)
	b.open(t, "/payment/success")
	b.click(t, "link", "Create an account")
	b.fill(t, "E-mail address", "ada@example.com")
	b.fill(t, "Username", "ada")
	b.fill(t, "Password", "short")
	b.click(t, "button", "Create account")
	b.sees(t, `
		title "Create an account"
		heading "Create an account"
		paragraph "For your orders and licenses."
		textbox "E-mail address" = "ada@example.com"
		textbox "Username" = "ada"
		paragraph "At least 6 characters."
		textbox "Password" = "•••••" invalid focused, described by "At least 6 characters. The password must have 6 characters or more."
		checkbox "Show password"
		alert "The password must have 6 characters or more."
		button "Create account"`)
	b.fill(t, "Password", testkit.Password)
	b.click(t, "button", "Create account")
	b.sees(t, `
		title "Your account is ready"
		heading "Your account is ready" focused
		status "Sign in as ada@example.com, with the password you chose."`)
	ada := a.Login(t, "ada")
	res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/auth/sessions", Token: ada.Access})
	if sessions, _ := res.Get(t, "data.items").([]any); len(sessions) != 1 {
		t.Errorf("sessions = %s, want only the one of this test", res.Body)
	}
}

func TestPagesShowTheShopsName(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Name = "Müller & Söhne" })
	b := newTab(t, a)
	b.open(t, "/reset-password")
	b.fill(t, "E-mail address", "ada@example.com")
	b.click(t, "button", "Send the mail")
	b.shows(t, `
		title "Check your mailbox · Müller & Söhne"
		paragraph "Test mode: no payment is taken. How to go live"
		paragraph "Müller & Söhne"
		heading "Check your mailbox" focused
		status "If there is an account with this e-mail address, a mail with a link is on its way. The link works for 30 minutes."
		link "Create an account"
		link "Forgotten your password?"
		link "Claim your orders"
		link "Continue to Müller & Söhne"`+languages)
}
