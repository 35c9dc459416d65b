// Package pages has the few pages that stoa itself shows to people, apart from the
// console. Each is one document with its style sheet and script inside, and with a
// policy that allows nothing else but the shop's look. They need no file of web/ to work,
// and no theme app replaces them.
package pages

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"

	"stoa/internal/html/locale"
	"stoa/internal/html/webapp"
	"stoa/web"
)

// Page is a document and its policy.
type Page struct {
	HTML []byte
	// Policy is the Content-Security-Policy. It allows the page's own style sheet and
	// script, by their hashes, style sheets and fonts of its origin, and requests to it. It forbids plain form
	// submission: if the script does not run, a typed secret must not end up in a URL.
	Policy string
}

// Site is what the pages of one stoa say of it. The zero value is good.
type Site struct {
	// Name is the shop's. Without one the pages speak of the shop.
	Name string
	// Language is the one of the page; empty: English.
	Language string
	// Languages are the tags of all that pages are in, with spaces between them.
	Languages string
	// Test says that no payment is real.
	Test bool
	// Web has the files of console and storefront; nil: they are not built.
	Web *webapp.Bundle
	// PasswordLength is how many characters a new password must have; 0: pages do not tell.
	PasswordLength int
	// NoCommonPassword says that a new password must not be one that is easy to guess, either.
	NoCommonPassword bool
	// Registration says who may create an account: open (or empty), mail-first or closed.
	Registration string
}

var (
	//go:embed layout.html
	layout string
	//go:embed page.css
	pageStyle string
	// css is the look of the storefront, inside of each page.
	css = web.Tokens + pageStyle

	// shared is the beginning of every script.
	//
	//go:embed shared.js
	shared string

	//go:embed reset.html
	resetBody string
	//go:embed reset.js
	resetScript string

	//go:embed claim.html
	claimBody string
	//go:embed claim.js
	claimScript string
	// joinScript is the part of claimScript for guests' receipts.
	//
	//go:embed join.js
	joinScript string

	//go:embed missing.html
	missingBody string
	//go:embed away.html
	awayBody string
	//go:embed setupdone.html
	setupDoneBody string

	//go:embed paid.html
	paidBody string
	//go:embed notpaid.html
	notPaidBody string

	//go:embed setup.html
	setupBody string
	//go:embed setup.js
	setupScript string

	//go:embed register.html
	registerBody string
	//go:embed register.js
	registerScript string
	// askBody stands in for registerBody where accounts begin with a mail, closedBody where there are none.
	//
	//go:embed ask.html
	askBody string
	//go:embed ask.js
	askScript string
	//go:embed closed.html
	closedBody string

	// credentials is the part of forms in which people choose a name and a password.
	//
	//go:embed credentials.html
	credentials string

	// codeField is the part of forms in which people sign in, for accounts that ask for a second step, and
	// signInScript what their scripts share.
	//
	//go:embed code.html
	codeField string
	//go:embed signin.js
	signInScript string

	//go:embed signup.html
	signUpBody string
	//go:embed signup.js
	signUpScript string

	// account is what the scripts of pages with a new account share.
	//
	//go:embed account.js
	account string
)

// Reset returns the page on which users choose a new password with a link from a mail,
// or request that mail. It is served at /reset-password.
func (s Site) Reset() (Page, error) { return s.render("reset.title", resetBody, resetScript, "reset") }

// Claim returns the page on which guests make an account with the link in a receipt, and
// users claim guest orders with a link from another mail, or request that mail. It is
// served at /claim-orders.
func (s Site) Claim() (Page, error) {
	return s.render("claim.title", claimBody, signInScript+joinScript+claimScript, "account", "claim", "join", "step")
}

// Setup returns the page on which the operator creates the first administrator with the
// set-up link. It is served at /setup.
func (s Site) Setup() (Page, error) {
	return s.render("setup.title", setupBody, account+setupScript, "account", "setup")
}

// Register returns the page on which people create an account. It is served at /register.
func (s Site) Register() (Page, error) {
	switch s.Registration {
	case "mail-first":
		return s.render("register.title", askBody, account+askScript, "account", "signUp")
	case "closed":
		return s.render("register.title", closedBody, "")
	}
	return s.render("register.title", registerBody, account+registerScript, "account", "register")
}

// SignUp returns the page on which people create the account whose address a link from a mail proves. It is
// served at /sign-up.
func (s Site) SignUp() (Page, error) {
	return s.render("signUp.title", signUpBody, account+signUpScript, "account", "signUp", "link")
}

// Missing returns the page that browsers get at addresses without one.
func (s Site) Missing() (Page, error) { return s.render("missing.title", missingBody, "") }

// Away returns the page that browsers get while the shop's theme app does not answer.
func (s Site) Away() (Page, error) { return s.render("away.title", awayBody, "") }

// SetupDone returns the page that is served at /setup once there is an administrator.
func (s Site) SetupDone() (Page, error) { return s.render("setupDone.title", setupDoneBody, "") }

// Paid returns the page that buyers return to after paying. It is served at
// /payment/success.
func (s Site) Paid() (Page, error) { return s.render("paid.title", paidBody, "") }

// NotPaid returns the page that buyers return to without paying. It is served at
// /payment/cancelled.
func (s Site) NotPaid() (Page, error) { return s.render("notPaid.title", notPaidBody, "") }

// render builds a page. title is the key of its title, sections those whose texts its
// script needs. The policy of a page without a script forbids scripts.
func (s Site) render(title, body, script string, sections ...string) (Page, error) {
	words, err := texts(s.Language)
	if err != nil {
		return Page{}, err
	}
	t, err := template.New("page").Funcs(words.funcs()).Parse(layout)
	if err == nil {
		_, err = t.New("credentials").Parse(credentials)
	}
	if err == nil {
		_, err = t.New("code").Parse(codeField)
	}
	if err == nil {
		_, err = t.New("body").Parse(body)
	}
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	heading, err := words.Text(section + title)
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	// The style sheet and the script are inserted as they are, because the template would
	// change the text that the hashes are made of.
	var out bytes.Buffer
	parts := map[string]any{
		"Lang": words.Language(), "Dir": locale.Direction(words.Language()), "Title": heading, "Name": s.Name, "Test": s.Test,
		"Style": template.HTML("<style>" + css + "</style>"), //nolint:gosec // embedded files
	}
	if parts["Choices"], err = s.choices(words.Language()); err != nil {
		return Page{}, err
	}
	if parts["PasswordRules"], err = s.passwordRules(words); err != nil {
		return Page{}, err
	}
	scripts := "'none'"
	if script != "" {
		list, err := words.list(sections)
		if err != nil {
			return Page{}, err
		}
		script = "const words = " + list + ";\n" + shared + script
		scripts = source(script)
		parts["Code"] = template.HTML("<script>" + script + "</script>") //nolint:gosec // embedded files
	}
	err = t.Execute(&out, parts)
	if err != nil {
		return Page{}, fmt.Errorf("pages: %w", err)
	}
	// style-src 'self' is for the shop's color and its theme (/look/shop.css).
	policy := fmt.Sprintf("default-src 'none'; style-src %s 'self'; script-src %s; connect-src 'self'; img-src data:; "+
		"font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
		source(css), scripts)
	return Page{HTML: out.Bytes(), Policy: policy}, nil
}

// passwordRules tells people in a sentence what a new password must be.
func (s Site) passwordRules(words catalog) (string, error) {
	if s.PasswordLength == 0 {
		return "", nil
	}
	key := "shop.signIn.rules"
	if s.NoCommonPassword {
		key = "shop.signIn.rulesCommon"
	}
	return words.Text(key, "n", s.PasswordLength)
}

// source returns the source expression that allows an inline text in a policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
