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

	for name, make := range map[string]func() (Page, error){"reset": Reset, "setup": Setup, "claim": Claim} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			page, err := make()
			if err != nil {
				t.Fatal(err)
			}
			checkPolicy(t, page)
		})
	}
}

// A link with a token may be opened where the page is shown already: the browser
// loads nothing then, and the token must leave the address bar all the same.
func TestPagesTakeATokenThatComesLater(t *testing.T) {
	t.Parallel()

	for name, make := range map[string]func() (Page, error){"reset": Reset, "setup": Setup, "claim": Claim} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		_, listener, found := bytes.Cut(page.HTML, []byte(`addEventListener("hashchange"`))
		if !found || !bytes.Contains(listener[:min(len(listener), 100)], []byte("takeToken()")) || bytes.Count(page.HTML, []byte("location.hash")) != 1 ||
			bytes.Count(page.HTML, []byte("\nonLink(")) != 1 {
			t.Errorf("%s does not take the token of a link that is opened in its tab", name)
		}
	}
}

// What buyers come back to shows a text, and runs nothing.
func TestPagesWithoutAScriptAllowNone(t *testing.T) {
	t.Parallel()

	for name, make := range map[string]func() (Page, error){"paid": Paid, "not paid": NotPaid} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.Policy, "script-src 'none'") || bytes.Contains(page.HTML, []byte("script")) || bytes.Contains(page.HTML, []byte("{{")) {
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
		if want := string(p[1]) + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(page.Policy, want) {
			t.Errorf("policy %q has no %q", page.Policy, want)
		}
	}
	for _, want := range []string{"default-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'", "connect-src 'self'"} {
		if !strings.Contains(page.Policy, want) {
			t.Errorf("policy %q has no %q", page.Policy, want)
		}
	}
	for _, never := range []string{"unsafe-", "*", "http:", "https:"} {
		if strings.Contains(page.Policy, never) {
			t.Errorf("policy %q has %q", page.Policy, never)
		}
	}
	for _, never := range []string{" style=", " onclick=", " onsubmit=", "src=", "href=", "http://", "https://", "innerHTML"} {
		if bytes.Contains(page.HTML, []byte(never)) {
			t.Errorf("the page has %q", never)
		}
	}
}

// Each field has a label, and each message is announced.
func TestResetPageIsAccessible(t *testing.T) {
	t.Parallel()

	page, err := Reset()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="en">`, `<title>Choose a new password</title>`, `for="password"`, `for="email"`, `role="alert"`, `role="status"`,
		`autocomplete="new-password"`, `<noscript>`, `name="viewport"`,
	} {
		if !bytes.Contains(page.HTML, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestSetupPageIsAccessible(t *testing.T) {
	t.Parallel()

	page, err := Setup()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="en">`, `<title>Set up stoa</title>`, `for="password"`, `for="email"`, `for="username"`, `role="alert"`, `role="status"`,
		`autocomplete="new-password"`, `<noscript>`, `name="viewport"`,
	} {
		if !bytes.Contains(page.HTML, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestClaimPageIsAccessible(t *testing.T) {
	t.Parallel()

	page, err := Claim()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="en">`, `<title>Claim your orders</title>`, `for="password"`, `for="email"`, `role="alert"`, `role="status"`,
		`autocomplete="current-password"`, `<noscript>`, `name="viewport"`,
	} {
		if !bytes.Contains(page.HTML, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
}
