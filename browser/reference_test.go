package browser_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// texts returns what the visible elements of a selector say.
func (b tab) texts(t *testing.T, selector string) (list []string) {
	t.Helper()
	if err := json.Unmarshal(b.do(t, "texts", selector), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// waitsFor waits until the first visible element of a selector says want.
func (b tab) waitsFor(t *testing.T, selector, want string) {
	t.Helper()
	var got []string
	if err := json.Unmarshal(b.do(t, "first", selector, want), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 || got[0] != want {
		t.Fatalf("%s says %q, want %q first; %s", selector, got, want, b.do(t, "where"))
	}
}

func TestReferenceIsSearched(t *testing.T) {
	needtest.Long(t, "it opens the longest page")
	t.Parallel()

	b := newTab(t, testkit.New(t))
	b.open(t, "/docs")
	b.key(t, "/")
	for _, r := range []string{"v", "e", "r", "i", "f", "y"} {
		b.key(t, r)
	}
	b.waitsFor(t, "#results a", "Verify a license for an instance\nGET /api/marketplace/products/{slug}/license/verify")
	b.key(t, "Enter")
	b.do(t, "place", "#verifyLicense")
	b.waitsFor(t, "nav [aria-current]", "Verify a license for an instance")
	if got := b.texts(t, "#results a"); len(got) != 0 {
		t.Errorf("the results stay after one was opened: %q", got)
	}

	// By path, by code, and by a word of a description; then by nothing there is.
	for query, want := range map[string]string{
		"auth/login": "Sign in\nPOST /auth/login", "key_reused": "IDEMPOTENCY_KEY_REUSED\nError 422",
		"nobody can lock the owner out": "Sign in\nPOST /auth/login",
	} {
		b.fill(t, "Search the reference", query)
		b.waitsFor(t, "#results a", want)
	}
	b.fill(t, "Search the reference", "xyzzy")
	b.waitsFor(t, "#found", "No results")
	b.key(t, "Escape")
	b.waitsFor(t, ".group a", "Accounts")
}

func TestReferenceMarksTheSectionThatIsRead(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it opens the longest page four times")

	b := newTab(t, testkit.New(t))
	for path, want := range map[string]string{
		"/docs": "Introduction", "/docs#login": "Sign in", "/docs#errors": "Errors", "/docs#tag-gateway": "Gateway",
	} {
		b.open(t, "/payment/success")
		b.open(t, path)
		b.waitsFor(t, "nav [aria-current]", want)
		if got := b.texts(t, "nav [aria-current]"); len(got) != 1 {
			t.Errorf("%s marks %q", path, got)
		}
	}
}

// What is copied from "Try it" runs against the server that the page came from, by
// whatever name it was reached.
func TestReferenceCopiesCommandsForThisServer(t *testing.T) {
	needtest.Long(t, "it opens the longest page")
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.PublicURL = "https://elsewhere.example" })
	b := newTab(t, a)
	b.open(t, "/docs#login")
	b.do(t, "copied") // asks for the permission
	// The button says so for two seconds, which may be over before anybody looks.
	b.do(t, "run", `void (window.said = new Promise((said, never) => {
		const button = document.querySelector("#login .code button")
		new MutationObserver(() => button.textContent === "Copied" && said(true)).observe(button, { childList: true })
		setTimeout(never, 60_000, new Error("the button never said Copied"))
	}))`)
	b.do(t, "press", "#login .code button")
	b.do(t, "run", "window.said")
	var copied string
	if err := json.Unmarshal(b.do(t, "copied"), &copied); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(copied, "curl -X POST '"+a.URL+"/auth/login'") {
		t.Errorf("copied %q, want a command for %s", copied, a.URL)
	}
	var shown []string
	all := b.do(t, "run", `[...document.querySelectorAll("pre.curl")].map((el) => el.textContent)`)
	if err := json.Unmarshal(all, &shown); err != nil || len(shown) == 0 {
		t.Fatalf("commands: %v in %s", err, all)
	}
	foreign := slices.DeleteFunc(shown, func(text string) bool { return strings.Contains(text, "'"+a.URL+"/") })
	if len(foreign) > 0 {
		t.Errorf("commands for other servers: %q", foreign)
	}
}

func TestReferenceFitsNarrowWindows(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it draws the longest page in five sizes")

	b := newTab(t, testkit.New(t))
	b.open(t, "/docs")
	for _, width := range []int{360, 820, 1180, 1920} {
		if wider := string(b.do(t, "viewport", width, 780)); wider != "0" {
			t.Errorf("at %d pixels, the page is %s pixels wider", width, wider)
		}
	}
	b.do(t, "viewport", 360, 780)
	b.click(t, "button", "Contents")
	b.do(t, "press", `#contents a[href="#login"]`)
	b.do(t, "place", "#login")
	if got := b.texts(t, ".group a"); len(got) != 0 {
		t.Errorf("the contents stay open: %q", got)
	}
}
