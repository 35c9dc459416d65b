package browser_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

const claiming = `
		title "Claim your orders"
		heading "Claim your orders" focused
		paragraph "Sign in to add the orders that were placed with your e-mail address, but without an account, to your account."
		textbox "E-mail address"
		textbox "Password"
		checkbox "Show password"
		button "Claim orders"`

const asking = `
		title "Claim your orders"
		heading "Claim your orders" focused
		paragraph "Did you buy without an account, or before you had one? Sign in to the account with the same e-mail address. You will get a mail with a link that adds your orders to it."
		textbox "E-mail address"
		textbox "Password"
		checkbox "Show password"
		button "Send the mail"`

// shop is a stoa where ada has an account, and placed n orders without it.
func shop(t *testing.T, n int) (*testkit.App, testkit.Tokens) {
	t.Helper()
	a := testkit.New(t)
	a.SellMailPack(t)
	for range n {
		post(t, a, http.StatusOK, "/api/marketplace/products/mail-pack/purchase", "", map[string]any{
			"tierId": "monthly", "paymentMethod": "card", "billingInfo": map[string]string{"email": "ada@example.com"},
		})
	}
	a.Mails(t) // the receipts
	ada := a.Register(t, "ada")
	return a, ada
}

// claimLink asks for a mail as ada, and returns the address in it.
func claimLink(t *testing.T, a *testkit.App, ada testkit.Tokens) string {
	t.Helper()
	post(t, a, http.StatusAccepted, "/api/marketplace/orders/claim-request", ada.Access, nil)
	return mailed(t, a, "Claim your orders")
}

// signIn fills the form in and sends it.
func signIn(t *testing.T, b tab, email, password, button string) {
	t.Helper()
	b.fill(t, "E-mail address", email)
	b.fill(t, "Password", password)
	b.click(t, "button", button)
}

// wantOrders checks how many orders ada's account has.
func wantOrders(t *testing.T, a *testkit.App, ada testkit.Tokens, want int) {
	t.Helper()
	res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/api/marketplace/orders", Token: ada.Access})
	if list, _ := res.Get(t, "orders").([]any); len(list) != want {
		t.Errorf("the account has %d orders, want %d\n%s", len(list), want, res.Body)
	}
}

func TestClaimBringsTheOrdersIntoTheAccount(t *testing.T) {
	t.Parallel()

	for n, title := range map[int]string{1: "One order claimed", 2: "2 orders claimed"} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()

			a, ada := shop(t, n)
			b := newTab(t, a)
			b.open(t, claimLink(t, a, ada))
			b.sees(t, claiming)
			b.wantHistory(t, "/claim-orders") // and no token
			signIn(t, b, " ada@example.com ", testkit.Password, "Claim orders")
			b.sees(t, strings.ReplaceAll(`
		title "TITLE"
		heading "TITLE" focused
		status "Your orders and licenses are now in your account."`, "TITLE", title))
			b.wantHistory(t, "/claim-orders")
			wantOrders(t, a, ada, n)
			wantSignedOut(t, a, ada)
		})
	}
}

// Without a token the page has a mail with one sent, and takes it in the same tab.
func TestClaimAsksForTheMail(t *testing.T) {
	t.Parallel()

	a, ada := shop(t, 1)
	b := newTab(t, a)
	b.open(t, "/claim-orders")
	b.sees(t, asking)
	signIn(t, b, "ada@example.com", testkit.Password, "Send the mail")
	b.sees(t, `
		title "Check your mailbox"
		heading "Check your mailbox" focused
		status "If orders were placed without an account with your e-mail address, a mail with a link is on its way. The link works for one hour."`)
	wantSignedOut(t, a, ada)
	link := mailed(t, a, "Claim your orders")

	b.open(t, link)
	b.sees(t, strings.Replace(claiming, `"E-mail address"`, `"E-mail address" = "ada@example.com"`, 1)) // and no password
	b.wantHistory(t, "/claim-orders", "/claim-orders")
	signIn(t, b, "ada@example.com", testkit.Password, "Claim orders")
	b.sees(t, `
		title "One order claimed"
		heading "One order claimed" focused
		status "Your orders and licenses are now in your account."`)
	wantOrders(t, a, ada, 1)

	b.open(t, link) // which was used
	b.sees(t, strings.Replace(claiming, `"E-mail address"`, `"E-mail address" = "ada@example.com"`, 1))
	signIn(t, b, "ada@example.com", testkit.Password, "Claim orders")
	b.sees(t, `
		title "Claim your orders"
		heading "Claim your orders"
		paragraph "Did you buy without an account, or before you had one? Sign in to the account with the same e-mail address. You will get a mail with a link that adds your orders to it."
		textbox "E-mail address" = "ada@example.com"
		textbox "Password" = "•••••••••••••••••••••"
		checkbox "Show password"
		alert "This link no longer works, or was sent to another account. A link works once, for one hour. Request a new mail here."
		button "Send the mail"`)
	wantSignedOut(t, a, ada)
}

func TestClaimSaysWhatIsWrong(t *testing.T) {
	t.Parallel()

	a, ada := shop(t, 1)
	b := newTab(t, a)
	b.open(t, claimLink(t, a, ada))
	signIn(t, b, " ", "", "Claim orders")
	b.sees(t, `
		title "Claim your orders"
		heading "Claim your orders"
		paragraph "Sign in to add the orders that were placed with your e-mail address, but without an account, to your account."
		textbox "E-mail address" = " " invalid focused, described by "Enter the e-mail address of your account."
		alert "Enter the e-mail address of your account."
		textbox "Password"
		checkbox "Show password"
		button "Claim orders"`)
	signIn(t, b, "ada@example.com", "", "Claim orders")
	b.sees(t, `
		title "Claim your orders"
		heading "Claim your orders"
		paragraph "Sign in to add the orders that were placed with your e-mail address, but without an account, to your account."
		textbox "E-mail address" = "ada@example.com"
		textbox "Password" invalid focused, described by "Enter your password."
		checkbox "Show password"
		alert "Enter your password."
		button "Claim orders"`)
	signIn(t, b, "ada@example.com", "wrong", "Claim orders")
	b.click(t, "checkbox", "Show password")
	b.sees(t, `
		title "Claim your orders"
		heading "Claim your orders"
		paragraph "Sign in to add the orders that were placed with your e-mail address, but without an account, to your account."
		textbox "E-mail address" = "ada@example.com"
		textbox "Password" = "wrong"
		checkbox "Show password" checked focused
		alert "The e-mail address or the password is wrong."
		button "Claim orders"`)
	wantOrders(t, a, ada, 0)
	b.open(t, "/claim-orders#another") // an error of the first link does not show for the second
	b.sees(t, `
		title "Claim your orders"
		heading "Claim your orders" focused
		paragraph "Sign in to add the orders that were placed with your e-mail address, but without an account, to your account."
		textbox "E-mail address" = "ada@example.com"
		textbox "Password" = "wrong"
		checkbox "Show password" checked
		button "Claim orders"`)
}

// wantSignedOut waits until the page has ended the session that it made: the
// test's own is left.
func wantSignedOut(t *testing.T, a *testkit.App, ada testkit.Tokens) {
	t.Helper()
	waittest.Until(t, "the end of the page's session", func() error {
		res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: "/auth/sessions", Token: ada.Access})
		if list, _ := res.Get(t, "data.items").([]any); len(list) != 1 {
			return fmt.Errorf("ada has %d sessions, want 1\n%s", len(list), res.Body)
		}
		return nil
	})
}
