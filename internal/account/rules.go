package account

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"stoa/internal/account/password"
	"stoa/internal/base/errs"
)

// Limits of what a user may enter. Lengths are characters, except the e-mail
// address's, which RFC 5321 counts in bytes.
const (
	maxEmail       = 254
	maxEmailLocal  = 64
	maxPassword    = 1024
	minPassword    = 6
	minPasswordASV = 8
	maxReferral    = 128
)

// Policy is a set of rules for new passwords. Existing passwords keep working.
type Policy string

// The policies (contract 2.2).
const (
	PolicyStandard Policy = "standard" // 6 characters or more
	PolicyASVS     Policy = "asvs"     // 8 characters or more, not easy to guess
)

// ParsePolicy reads a policy's name; the empty name is PolicyStandard.
func ParsePolicy(name string) (Policy, error) {
	switch p := Policy(name); p {
	case "":
		return PolicyStandard, nil
	case PolicyStandard, PolicyASVS:
		return p, nil
	}
	return "", fmt.Errorf("password policy %q is not known: use %s or %s", name, PolicyStandard, PolicyASVS)
}

// pattern returns a regular expression that is compiled when it is first used: the
// letters of all scripts take milliseconds, which no start of a command should wait.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	username = pattern(`^[\p{L}\p{N}._-]{3,64}$`)

	// The local part is RFC 5322's dot-atom, widened by RFC 6531 to letters and
	// digits of all scripts. Quoted local parts, comments and address literals
	// are not accepted: nobody registers with one.
	emailAtom  = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
	emailLocal = pattern(`^` + emailAtom + `(\.` + emailAtom + `)*$`)

	// Two labels at least, each of at most 63 characters, not beginning or ending
	// with a hyphen; international names may be written in their own script.
	emailLabel = `[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`
	domain     = pattern(`^(` + emailLabel + `\.)+` + emailLabel + `$`)
)

// validEmail reports whether s has the form of an e-mail address (RFC 5321 with
// RFC 6531). It has no more than 254 bytes and is a bare address: no name, no
// space around it.
func validEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > maxEmailLocal || len(s) > maxEmail || !utf8.ValidString(s) {
		return false
	}
	return emailLocal().MatchString(s[:at]) && domain().MatchString(s[at+1:])
}

// faults are errs.Issues that know the rules of the fields of an account.
type faults struct{ errs.Issues }

func (f *faults) email(value string) { f.emailAt("email", value) }

func (f *faults) emailAt(path, value string) {
	if !f.Require(path, value) || validEmail(value) {
		return
	}
	code := errs.CodeInvalid
	if len(value) > maxEmail {
		code = errs.CodeOutOfRange
	}
	f.Add(path, code, "%s must be an e-mail address of at most %d bytes, like name@example.com.", path, maxEmail)
}

func (f *faults) username(path, value string) {
	if !f.Require(path, value) {
		return
	}
	switch n := utf8.RuneCountInString(value); {
	case n < 3:
		f.Add(path, errs.CodeOutOfRange, "%s must have 3 characters or more.", path)
	case n > 64:
		f.Add(path, errs.CodeOutOfRange, "%s must have 64 characters or fewer.", path)
	case !username().MatchString(value):
		f.Add(path, errs.CodeInvalid, "%s may contain only letters, digits, dots, underscores and hyphens.", path)
	}
}

// line requires a text of one line.
func (f *faults) line(path, value string, most int) {
	switch {
	case !f.Require(path, strings.TrimSpace(value)):
	case utf8.RuneCountInString(value) > most:
		f.Add(path, errs.CodeOutOfRange, "%s must have %d characters or fewer.", path, most)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		f.Add(path, errs.CodeInvalid, "%s must not have control characters.", path)
	}
}

// MinLength returns how many characters a new password must have.
func (p Policy) MinLength() int {
	if p == PolicyASVS {
		return minPasswordASV
	}
	return minPassword
}

// PasswordRules tells people in a sentence what a new password must be.
func (p Policy) PasswordRules() string {
	if p == PolicyASVS {
		return fmt.Sprintf("At least %d characters. No common password, and nothing built from common words, "+
			"keyboard runs, years or your own name.", minPasswordASV)
	}
	return fmt.Sprintf("At least %d characters.", minPassword)
}

// newPassword checks a password that a user chose. Its characters are counted as
// received: nothing is trimmed or normalized. own are the user's names, as far as
// they are known.
func (f *faults) newPassword(s *Service, path, value string, own ...string) {
	if !f.Require(path, value) {
		return
	}
	rules := s.LastRules()
	least := rules.Policy.MinLength()
	switch n := utf8.RuneCountInString(value); {
	case n < least:
		f.Add(path, errs.CodeOutOfRange, "%s must have %d characters or more.", path, least)
	case n > maxPassword:
		f.Add(path, errs.CodeOutOfRange, "%s must have %d characters or fewer.", path, maxPassword)
	case rules.Policy == PolicyASVS && password.IsGuessable(value, own...):
		f.Add(path, errs.CodeTooCommon,
			"%s is too easy to guess: it is a common password, or built from common words, "+
				"keyboard runs, years or your own name. Choose another.", path)
	case rules.RefuseBreached && s.Breached.Has(value):
		f.Add(path, errs.CodeTooCommon,
			"%s is on a list of passwords that are common or have leaked, which attackers try first. "+
				"Choose another, such as four random words.", path)
	}
}

// notOwnName returns VALIDATION_ERROR for a new password that the policy refuses for
// this user.
func (s *Service) notOwnName(path, value string, u User) error {
	var f faults
	f.newPassword(s, path, value, u.Email, u.Username)
	return f.Err()
}

func (f *faults) referral(path, value string) {
	if utf8.RuneCountInString(value) > maxReferral || strings.ContainsFunc(value, unicode.IsControl) {
		f.Add(path, errs.CodeOutOfRange,
			"%s must have %d characters or fewer, without control characters.", path, maxReferral)
	}
}
