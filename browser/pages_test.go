package browser_test

import (
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// What buyers come back to has nothing to do but to be read.
func TestPagesAfterAPayment(t *testing.T) {
	t.Parallel()

	b := newTab(t, testkit.New(t))
	b.open(t, "/payment/success?order=1")
	b.sees(t, `
		title "Thank you"
		heading "Thank you"
		paragraph "Your payment is being confirmed. This usually takes a few seconds. Then your license key works."
		paragraph "The shop where you ordered has given you the key. You can close this page."
		paragraph "See your orders"`)
	b.open(t, "/payment/cancelled")
	b.sees(t, `
		title "Not paid"
		heading "Not paid"
		paragraph "The payment was not made, and nothing was charged."
		paragraph "Go back to the shop to try again. An unpaid order is cancelled automatically after a day."
		paragraph "See your orders"`)
}

// The root is the shop, and leads on.
func TestTheRootLeadsOn(t *testing.T) {
	t.Parallel()

	b := newTab(t, testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Name = "Acme" }))
	b.open(t, "/")
	b.waitsFor(t, "h1", "Products")
	b.click(t, "link", "API reference")
	b.waitsFor(t, "h1", "stoa API")
}

func TestAddressesWithoutAPageSaySo(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	b := newTab(t, a)
	b.open(t, "/nowhere")
	b.sees(t, `
		title "Page not found"
		heading "Page not found"
		paragraph "There is nothing at this address. Check its spelling, or go on from one of the pages below."
		paragraph "Are you a developer? The API reference lists every address."`)
	a.Admin(t, "root")
	b.open(t, "/setup")
	b.sees(t, `
		title "Set-up is complete"
		heading "Set-up is complete"
		paragraph "There is an administrator, so this page has nothing left to do. Its link works once."
		paragraph "Open the console"
		paragraph "If you have lost the password, choose a new one. Without mail, run stoa admin reset-password on the server."`)
	for _, width := range []int{360, 1280} {
		if wider := string(b.do(t, "viewport", width, 780)); wider != "0" {
			t.Errorf("at %d pixels, the page is %s pixels wider", width, wider)
		}
	}
}

// Nothing that was typed is lost while the server is away, and the button works
// again.
func TestPagesSayThatTheServerIsAway(t *testing.T) {
	t.Parallel()

	b := newTab(t, testkit.New(t))
	for _, page := range []struct {
		path, posts, button string
		fields              []string
		want                string
	}{
		{"/reset-password#x", "/auth/reset-password", "Save password", []string{"New password"}, `
		title "Choose a new password"
		heading "Choose a new password"
		paragraph "You will be signed out everywhere and can then sign in with the new password."
		paragraph "At least 6 characters."
		textbox "New password" = "••••••" invalid focused, described by "At least 6 characters. FAULT"
		checkbox "Show password"
		alert "FAULT"
		button "Save password"`},
		{"/setup#x", "/auth/setup", "Create administrator", []string{"E-mail address", "Username", "Password"}, `
		title "Set up stoa"
		heading "Set up stoa"
		paragraph "Create the first administrator. The link that brought you here works once."
		textbox "E-mail address" = "x@y.zz"
		textbox "Username" = "x@y.zz"
		paragraph "At least 6 characters."
		textbox "Password" = "••••••", described by "At least 6 characters."
		checkbox "Show password"
		alert "FAULT"
		button "Create administrator"`},
		{"/claim-orders#x", "/auth/login", "Claim orders", []string{"E-mail address", "Password"}, `
		title "Claim your orders"
		heading "Claim your orders"
		paragraph "Sign in to add the orders that were placed with your e-mail address, but without an account, to your account."
		textbox "E-mail address" = "x@y.zz"
		textbox "Password" = "••••••"
		checkbox "Show password"
		alert "FAULT"
		button "Claim orders"`},
	} {
		// While any address of a page is intercepted, Playwright reports the headers that the
		// page set, without those that Chromium adds on sending, such as Cache-Control. What
		// stoa receives is the same as without interception: no cookie, no referrer, no-cache.
		// The tests of /claim-orders intercept nothing and check that.
		b.do(t, "ignore", "/api/marketplace/orders/claim-link")
		b.open(t, page.path)
		for _, field := range page.fields {
			b.fill(t, field, "x@y.zz")
		}
		for _, away := range []struct {
			status int // 0: no answer
			fault  string
		}{
			{0, "The server cannot be reached. Check your connection and try again."},
			{500, "Something went wrong on our side. Try again in a moment. Request id: 4f1c0a7e"},
			{502, "Something went wrong on our side. Try again in a moment."},
		} {
			b.answer(t, page.posts, away.status)
			b.click(t, "button", page.button)
			b.sees(t, strings.ReplaceAll(page.want, "FAULT", away.fault))
		}
	}
}
