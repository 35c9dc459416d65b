package browser_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/testkit"
)

const newPassword = "a completely new one"

const choosing = `
		title "Choose a new password"
		heading "Choose a new password" focused
		paragraph "You will be signed out everywhere and can then sign in with the new password."
		paragraph "At least 6 characters."
		textbox "New password", described by "At least 6 characters."
		checkbox "Show password"
		button "Save password"`

const changed = `
		title "Password changed"
		heading "Password changed" focused
		status "You can now sign in with your new password. You have been signed out everywhere."`

// resetLink asks for a mail for ada, and returns the address in it.
func resetLink(t *testing.T, a *testkit.App) string {
	t.Helper()
	post(t, a, http.StatusOK, "/auth/forgot-password", "", map[string]string{"email": "ada@example.com"})
	return mailed(t, a, "Choose a new password")
}

// wantPassword checks that ada signs in with a password.
func wantPassword(t *testing.T, a *testkit.App, password string) {
	t.Helper()
	post(t, a, http.StatusOK, "/auth/login", "", map[string]string{"email": "ada@example.com", "password": password})
}

func TestResetChangesThePassword(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	b := newTab(t, a)
	b.open(t, resetLink(t, a))
	b.wantHistory(t, "/reset-password") // and no token
	b.sees(t, choosing)

	b.fill(t, "New password", newPassword)
	b.click(t, "checkbox", "Show password")
	b.sees(t, `
		title "Choose a new password"
		heading "Choose a new password"
		paragraph "You will be signed out everywhere and can then sign in with the new password."
		paragraph "At least 6 characters."
		textbox "New password" = "a completely new one", described by "At least 6 characters."
		checkbox "Show password" checked focused
		button "Save password"`)
	b.click(t, "checkbox", "Show password")
	b.sees(t, `
		title "Choose a new password"
		heading "Choose a new password"
		paragraph "You will be signed out everywhere and can then sign in with the new password."
		paragraph "At least 6 characters."
		textbox "New password" = "••••••••••••••••••••", described by "At least 6 characters."
		checkbox "Show password" focused
		button "Save password"`)

	b.click(t, "button", "Save password")
	b.sees(t, changed)
	b.wantHistory(t, "/reset-password")
	wantPassword(t, a, newPassword)
	post(t, a, http.StatusUnauthorized, "/auth/login", "",
		map[string]string{"email": "ada@example.com", "password": testkit.Password})
}

// Who comes with a link that does not work any more is led to one that does.
func TestResetLinkThatExpired(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	b := newTab(t, a)
	b.open(t, resetLink(t, a))
	a.Clock.Advance(account.ResetLife + time.Millisecond)
	b.fill(t, "New password", newPassword)
	b.click(t, "button", "Save password")
	b.sees(t, `
		title "Forgot your password?"
		heading "Forgot your password?" focused
		paragraph "Enter the e-mail address of your account. You will get a mail with a link to choose a new password."
		textbox "E-mail address", described by "This link no longer works. A link works once, for 30 minutes. Request a new one here."
		alert "This link no longer works. A link works once, for 30 minutes. Request a new one here."
		button "Send the mail"`)

	b.fill(t, "E-mail address", " ada@example.com ")
	b.key(t, "Enter")
	b.sees(t, `
		title "Check your mailbox"
		heading "Check your mailbox" focused
		status "If there is an account with this e-mail address, a mail with a link is on its way. The link works for 30 minutes."`)

	b.open(t, mailed(t, a, "Choose a new password")) // in the same tab, where it loads nothing
	b.sees(t, choosing)
	b.wantHistory(t, "/reset-password", "/reset-password")
	b.fill(t, "New password", newPassword)
	b.key(t, "Enter")
	b.sees(t, changed)
	wantPassword(t, a, newPassword)
}

func TestResetSaysWhatIsWrong(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	b := newTab(t, a)
	b.open(t, resetLink(t, a))
	for _, tt := range []struct{ password, shown, want string }{
		{"", "", "Enter a new password."},
		{"12345", ` = "•••••"`, "The new password must have 6 characters or more."},
	} {
		b.fill(t, "New password", tt.password)
		b.click(t, "button", "Save password")
		b.sees(t, strings.NewReplacer("VALUE", tt.shown, "FAULT", tt.want).Replace(`
		title "Choose a new password"
		heading "Choose a new password"
		paragraph "You will be signed out everywhere and can then sign in with the new password."
		paragraph "At least 6 characters."
		textbox "New password"VALUE invalid focused, described by "At least 6 characters. FAULT"
		checkbox "Show password"
		alert "FAULT"
		button "Save password"`))
	}
	b.open(t, "/reset-password#another") // an error of the first link does not show for the second
	b.sees(t, strings.Replace(choosing, `"New password"`, `"New password" = "•••••"`, 1))

	b.open(t, "/reset-password?") // the question mark forces a reload
	for _, tt := range []struct{ email, shown, want string }{
		{" ", ` = " "`, "Enter your e-mail address."},
		{"ada", ` = "ada"`, "Enter an e-mail address, like name@example.com."},
	} {
		b.fill(t, "E-mail address", tt.email)
		b.click(t, "button", "Send the mail")
		b.sees(t, strings.NewReplacer("VALUE", tt.shown, "FAULT", tt.want).Replace(`
		title "Forgot your password?"
		heading "Forgot your password?"
		paragraph "Enter the e-mail address of your account. You will get a mail with a link to choose a new password."
		textbox "E-mail address"VALUE invalid focused, described by "FAULT"
		alert "FAULT"
		button "Send the mail"`))
	}
}
