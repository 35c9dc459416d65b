package browser_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

const settingUp = `
		title "Set up stoa"
		heading "Set up stoa" focused
		paragraph "Create the first administrator. The link that brought you here works once."
		textbox "E-mail address"
		textbox "Username"
		paragraph "At least 6 characters."
		textbox "Password", described by "At least 6 characters."
		checkbox "Show password"
		button "Create administrator"`

// setupLink returns the address in the set-up link of a new start of a, without
// the server.
func setupLink(t *testing.T, a *testkit.App) string {
	t.Helper()
	token, err := a.Accounts.OpenSetup(t.Context())
	if err != nil || token == "" {
		t.Fatalf("OpenSetup = %q, %v", token, err)
	}
	return "/setup#" + token
}

func TestSetupMakesTheAdministrator(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	b := newTab(t, a)
	b.open(t, setupLink(t, a))
	b.sees(t, settingUp)
	b.wantHistory(t, "/setup") // and no token

	b.fill(t, "E-mail address", " root@example.com ")
	b.fill(t, "Username", " root ")
	b.fill(t, "Password", testkit.Password)
	b.click(t, "checkbox", "Show password")
	b.sees(t, `
		title "Set up stoa"
		heading "Set up stoa"
		paragraph "Create the first administrator. The link that brought you here works once."
		textbox "E-mail address" = " root@example.com "
		textbox "Username" = " root "
		paragraph "At least 6 characters."
		textbox "Password" = "correct horse battery", described by "At least 6 characters."
		checkbox "Show password" checked focused
		button "Create administrator"`)
	b.click(t, "button", "Create administrator")
	b.sees(t, `
		title "stoa is ready"
		heading "stoa is ready" focused
		status "root@example.com is the administrator. Sign in with the password you chose."
		link "Set up the shop in the console"`)
	b.wantHistory(t, "/setup")
	root := a.Login(t, "root")
	if res := a.Do(t, testkit.Request{
		Method: http.MethodGet, Path: "/api/v1/admin/users",
		Token: root.Access,
	}); res.Status != http.StatusOK {
		t.Errorf("as the administrator = %d, %s", res.Status, res.Body)
	}
}

func TestSetupShowsEachFaultBesideItsField(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	b := newTab(t, a)
	b.open(t, setupLink(t, a))
	b.fill(t, "Username", " ")
	b.click(t, "button", "Create administrator")
	b.sees(t, `
		title "Set up stoa"
		heading "Set up stoa"
		paragraph "Create the first administrator. The link that brought you here works once."
		textbox "E-mail address" invalid focused, described by "Enter your e-mail address."
		alert "Enter your e-mail address."
		textbox "Username" = " " invalid, described by "Choose a username."
		alert "Choose a username."
		paragraph "At least 6 characters."
		textbox "Password" invalid, described by "At least 6 characters. Choose a password."
		checkbox "Show password"
		alert "Choose a password."
		button "Create administrator"`)

	b.fill(t, "E-mail address", "root@example.com")
	b.fill(t, "Username", "ro")
	b.fill(t, "Password", "12345")
	b.key(t, "Enter")
	b.sees(t, `
		title "Set up stoa"
		heading "Set up stoa"
		paragraph "Create the first administrator. The link that brought you here works once."
		textbox "E-mail address" = "root@example.com"
		textbox "Username" = "ro" invalid focused, described by "The username must have 3 characters or more."
		alert "The username must have 3 characters or more."
		paragraph "At least 6 characters."
		textbox "Password" = "•••••" invalid, described by "At least 6 characters. The password must have 6 characters or more."
		checkbox "Show password"
		alert "The password must have 6 characters or more."
		button "Create administrator"`)

	b.fill(t, "E-mail address", "ada@example.com")
	b.fill(t, "Username", "root")
	b.fill(t, "Password", "123456")
	b.click(t, "button", "Create administrator")
	b.sees(t, `
		title "Set up stoa"
		heading "Set up stoa"
		paragraph "Create the first administrator. The link that brought you here works once."
		textbox "E-mail address" = "ada@example.com"
		textbox "Username" = "root"
		paragraph "At least 6 characters."
		textbox "Password" = "••••••", described by "At least 6 characters."
		checkbox "Show password"
		alert "This e-mail address or username is already taken."
		button "Create administrator"`)
}

func TestSetupLinkThatWasUsed(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	b := newTab(t, a)
	b.open(t, "/setup")
	b.sees(t, `
		title "Set up stoa"
		heading "This link does not work" focused
		alert "This shop has no administrator yet. Open the set-up link that stoa printed when it started: the whole link, including everything after the #."`)
	b.open(t, setupLink(t, a)) // in the same tab, where it loads nothing
	b.sees(t, settingUp)
	b.wantHistory(t, "/setup", "/setup")

	a.Admin(t, "root") // somebody else was faster
	b.fill(t, "E-mail address", "eve@example.com")
	b.fill(t, "Username", "eve")
	b.fill(t, "Password", testkit.Password)
	b.click(t, "button", "Create administrator")
	b.sees(t, `
		title "Set up stoa"
		heading "This link does not work" focused
		alert "This set-up link is wrong or no longer works. While there is no administrator, each start of stoa prints a new one."`)
}
