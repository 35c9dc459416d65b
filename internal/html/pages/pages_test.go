package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

var inline = regexp.MustCompile(`(?s)<(style|script)>(.*?)</(?:style|script)>`)

// A browser runs exactly what is inside, and nothing that somebody added.
func TestPolicyAllowsThePagesOwnPartsOnly(t *testing.T) {
	t.Parallel()

	for name, make := range map[string]func() (Page, error){
		"reset": Site{}.Reset, "setup": Site{}.Setup,
		"claim": Site{}.Claim, "verify": Site{}.VerifyEmail, "disown": Site{}.Disown,
		"change": Site{}.ChangeEmail, "revert": Site{}.RevertEmail, "not me": Site{}.NotMe, "sign in": Site{}.SignInLink,
		"invitation": Site{}.Invitation,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			page, err := make()
			if err != nil {
				t.Fatal(err)
			}
			checkPolicy(t, page)
		})
	}
	page, err := Site{Name: "Acme", PasswordLength: 6}.Register()
	if err != nil {
		t.Fatal(err)
	}
	checkPolicy(t, page)
}

var href = regexp.MustCompile(`href="([^"]*)"`)

// Every page ends with a way on, to pages of this stoa only.
func TestEachPageEndsWithAWayOn(t *testing.T) {
	t.Parallel()

	s := Site{Name: "Acme"}
	for name, make := range map[string]func() (Page, error){
		"reset": s.Reset, "setup": s.Setup, "claim": s.Claim, "register": s.Register, "paid": s.Paid, "not paid": s.NotPaid,
		"verify": s.VerifyEmail, "disown": s.Disown, "change": s.ChangeEmail, "revert": s.RevertEmail, "not me": s.NotMe, "sign in": s.SignInLink, "invitation": s.Invitation, "missing": s.Missing, "away": s.Away, "set up": s.SetupDone,
	} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		var ways []string
		for _, m := range href.FindAllSubmatch(page.HTML, -1) {
			ways = append(ways, string(m[1]))
		}
		if got := strings.Join(ways, " "); !strings.HasSuffix(got, "/register /reset-password /claim-orders /") {
			t.Errorf("%s leads to %q", name, got)
		}
	}
}

// Every page has the storefront's header: the way home, and that no payment is real.
func TestEachPageHasTheStorefrontsHeader(t *testing.T) {
	t.Parallel()

	for want, s := range map[string]Site{
		`<a class="brand" href="/">Shop</a>`:                   {},
		`<a class="brand" href="/" data-named>A&amp;B</a>`:     {Name: "A&B"},
		`<p class="test-mode">Test mode: no payment is taken.`: {Test: true},
	} {
		page, err := s.Claim()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page.HTML, []byte(want)) {
			t.Errorf("%+v has no %s", s, want)
		}
		if bytes.Contains(page.HTML, []byte("test-mode\"")) != s.Test {
			t.Errorf("%+v: wrong about test mode", s)
		}
	}
}

// The rules of passwords are there before anything is typed, and belong to the
// field.
func TestPasswordRulesAreShownBeforeTyping(t *testing.T) {
	t.Parallel()

	s := Site{PasswordLength: 6}
	for name, make := range map[string]func() (Page, error){
		"reset": s.Reset, "setup": s.Setup, "register": s.Register, "invitation": s.Invitation,
	} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		rules := []byte(`id="password-rules">At least 6 characters.</p>`)
		before, after, found := bytes.Cut(page.HTML, rules)
		if !found || bytes.Contains(before, []byte(`id="password" `)) ||
			!bytes.Contains(after, []byte(`aria-describedby="password-rules `)) {
			t.Errorf("%s does not show the rules before its field", name)
		}
	}
}

// A name is text, whatever an operator writes into it.
func TestTheShopsNameIsTextOnPages(t *testing.T) {
	t.Parallel()

	page, err := Site{Name: `<script>alert(1)</script>`}.Paid()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(page.HTML, []byte("<script")) || bytes.Count(page.HTML, []byte("&lt;script&gt;")) != 3 {
		t.Errorf("the name is not shown as text three times:\n%s", page.HTML)
	}
}

// A link with a token may be opened where the page is shown already: the browser
// loads nothing then, and the token must leave the address bar all the same.
func TestPagesTakeATokenThatComesLater(t *testing.T) {
	t.Parallel()

	for name, make := range map[string]func() (Page, error){
		"reset": Site{}.Reset, "setup": Site{}.Setup,
		"claim": Site{}.Claim, "invitation": Site{}.Invitation,
	} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		_, listener, found := bytes.Cut(page.HTML, []byte(`addEventListener("hashchange"`))
		if !found || !bytes.Contains(listener[:min(len(listener), 100)], []byte("takeToken()")) ||
			bytes.Count(page.HTML, []byte("location.hash")) != 1 ||
			bytes.Count(page.HTML, []byte("\nonLink(")) != 1 {
			t.Errorf("%s does not take the token of a link that is opened in its tab", name)
		}
	}
}

// What buyers come back to shows a text, and runs nothing.
func TestPagesWithoutAScriptAllowNone(t *testing.T) {
	t.Parallel()

	for name, make := range map[string]func() (Page, error){
		"paid": Site{}.Paid, "not paid": Site{}.NotPaid, "missing": Site{}.Missing, "away": Site{}.Away,
		"set up": Site{}.SetupDone,
	} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.Policy, "script-src 'none'") || bytes.Contains(page.HTML, []byte("script")) ||
			bytes.Contains(page.HTML, []byte("{{")) {
			t.Errorf("%s: policy %q of\n%s", name, page.Policy, page.HTML)
		}
	}
}

func checkPolicy(t *testing.T, page Page) {
	t.Helper()
	parts := inline.FindAllSubmatch(page.HTML, -1)
	if len(parts) != 2 {
		t.Fatalf("%d inline parts, want a style sheet and a script", len(parts))
	}
	for _, p := range parts {
		sum := sha256.Sum256(p[2])
		own := map[string]string{"style": " 'self'"}[string(p[1])] // the shop's look
		if want := string(p[1]) + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'" + own +
			";"; !strings.Contains(page.Policy, want) {
			t.Errorf("policy %q has no %q", page.Policy, want)
		}
	}
	for _, want := range []string{
		"default-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
		"connect-src 'self'",
	} {
		if !strings.Contains(page.Policy, want) {
			t.Errorf("policy %q has no %q", page.Policy, want)
		}
	}
	for _, never := range []string{"unsafe-", "*", "http:", "https:"} {
		if strings.Contains(page.Policy, never) {
			t.Errorf("policy %q has %q", page.Policy, never)
		}
	}
	for _, never := range []string{" style=", " onclick=", " onsubmit=", "src=", "http://", "https://", "innerHTML"} {
		if bytes.Contains(page.HTML, []byte(never)) {
			t.Errorf("the page has %q", never)
		}
	}
}

// Each field has a label, and each message is announced.
func TestResetPageIsAccessible(t *testing.T) {
	t.Parallel()

	page, err := Site{}.Reset()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="en" dir="ltr">`, `<title>Choose a new password</title>`, `for="password"`, `for="email"`, `role="alert"`,
		`role="status"`,
		`autocomplete="new-password"`, `<noscript>`, `name="viewport"`,
	} {
		if !bytes.Contains(page.HTML, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestSetupPageIsAccessible(t *testing.T) {
	t.Parallel()

	page, err := Site{}.Setup()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="en" dir="ltr">`, `<title>Set up stoa</title>`, `for="password"`, `for="email"`, `for="username"`, `role="alert"`,
		`role="status"`,
		`autocomplete="new-password"`, `<noscript>`, `name="viewport"`,
	} {
		if !bytes.Contains(page.HTML, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestClaimPageIsAccessible(t *testing.T) {
	t.Parallel()

	page, err := Site{}.Claim()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="en" dir="ltr">`, `<title>Claim your orders</title>`, `for="password"`, `for="email"`, `role="alert"`,
		`role="status"`,
		`autocomplete="current-password"`, `<noscript>`, `name="viewport"`,
	} {
		if !bytes.Contains(page.HTML, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
}
