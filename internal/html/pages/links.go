package pages

import (
	_ "embed"
	"strings"
)

// The pages behind links in mails that are about an account's address.
var (
	//go:embed prove.html
	proveBody string
	//go:embed prove.js
	proveScript string
	// verifyOther is for those who did not make the account.
	//
	//go:embed verify.html
	verifyOther string

	//go:embed once.html
	onceBody string
	//go:embed once.js
	onceScript string

	//go:embed invitation.html
	invitationBody string
	//go:embed invitation.js
	invitationScript string

	//go:embed signinlink.html
	signInLinkBody string
	//go:embed signinlink.js
	signInLinkScript string
)

// VerifyEmail returns the page on which users confirm their address with a link from a mail, and on which
// others learn what they can do. It is served at /verify-email.
func (s Site) VerifyEmail() (Page, error) { return s.prove("verify", "auth/email/verify", verifyOther) }

// ChangeEmail returns the page on which users confirm a new address with a link from a mail to it. It is
// served at /change-email.
func (s Site) ChangeEmail() (Page, error) { return s.prove("change", "auth/email/change/confirm", "") }

// Disown returns the page on which people shut an account that somebody made with their address. It is
// served at /disown.
func (s Site) Disown() (Page, error) { return s.once("disown", "auth/email/disown") }

// RevertEmail returns the page on which users take a change of their address back. It is served at
// /revert-email.
func (s Site) RevertEmail() (Page, error) { return s.once("revert", "auth/email/change/revert") }

// NotMe returns the page on which users remove a second factor that somebody else switched on. It is served at
// /not-me.
func (s Site) NotMe() (Page, error) { return s.once("notMe", "auth/second-factor/not-me") }

// KeepFactor returns the page on which users stop the removal of their second factor that operators planned. It is
// served at /keep-second-factor.
func (s Site) KeepFactor() (Page, error) {
	return s.once("keepFactor", "auth/second-factor/reset/cancel")
}

// KeepAccount returns the page on which users call the planned deletion of their account off. It is served at
// /keep-account.
func (s Site) KeepAccount() (Page, error) {
	return s.once("keepAccount", "auth/account/deletion/cancel")
}

// Invitation returns the page on which people accept an invitation to the staff, in their account or with a new one. It
// is served at /invitation.
func (s Site) Invitation() (Page, error) {
	return s.render("invitation.open", invitationBody, signInScript+invitationScript, "invitation", "account", "link",
		"step")
}

// SignInLink returns the page on which users sign in with a link from a mail, in the browser in which they asked for
// it. It is served at /sign-in/link.
func (s Site) SignInLink() (Page, error) {
	return s.render("signInLink.title", signInLinkBody, signInScript+signInLinkScript, "signInLink", "link", "step")
}

// prove returns a page with the texts of a section, whose link works in a session only. path is the route
// that it calls.
func (s Site) prove(section, path, other string) (Page, error) {
	body := strings.ReplaceAll(strings.Replace(proveBody, "<!-- other -->\n", other, 1), `"prove.`, `"`+section+".")
	return s.render(section+".title", body, calls(section, path, "prove", signInScript+proveScript), section, "link",
		"step")
}

// once returns a page with the texts of a section, and one button.
func (s Site) once(section, path string) (Page, error) {
	body := strings.ReplaceAll(onceBody, `"once.`, `"`+section+".")
	return s.render(section+".title", body, calls(section, path, "once", onceScript), section, "link")
}

// calls returns a script with the texts of a section in place of those of another, and the route it calls.
func calls(section, path, other, script string) string {
	return `const path = "` + path + "\";\n" + strings.ReplaceAll(script, `"`+other+".", `"`+section+".")
}
