package template

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"stoa/internal/base/errs"
)

// Form is what a shop writes for a mail.
type Form struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// text is a Form that can be rendered.
type text struct{ subject, text Parsed }

// parse reads what a shop has written for a kind of mail of a shop at publicURL.
func (f Form) parse(kind Kind, publicURL string) (text, errs.Issues) {
	var is errs.Issues
	var t text
	t.subject = parsePart(f.Subject, "subject", kind, &is)
	f.checkSubject(&is)
	t.text = parsePart(f.Text, "text", kind, &is)
	if len(f.Text) > MaxText {
		is.Add("text", errs.CodeOutOfRange, "text must have at most %d bytes.", MaxText)
	}
	if !clean(strings.ReplaceAll(f.Text, "\n", "")) {
		is.Add("text", errs.CodeInvalid, "text must be UTF-8 without control characters; its lines end with a line feed.")
	}
	crowded := map[int]bool{}
	for number, line := range strings.Split(f.Text, "\n") {
		crowded[number+1] = checkLine(line, number+1, &is)
		if foreign := foreignAddress(plain(line, publicURL), publicURL); foreign != "" {
			is.Add("text", errs.CodeInvalid, "text, line %d: %.80q is not an address of this shop.", number+1, foreign)
		}
	}
	for _, secret := range joinable(t.text.nodes) {
		if !crowded[secret.line] {
			is.Add("text", errs.CodeInvalid,
				"text, line %d: {{%s}} would not stand alone on its line without a section that begins or ends beside it.",
				secret.line, secret.text)
		}
	}
	if need := required[kind]; need != "" && strings.TrimSpace(f.Text) != "" && !uses(t.text.nodes, need) {
		is.Add("text", errs.CodeRequired, "text needs {{%s}}, on a line of its own.", need)
	}
	return t, is
}

func parsePart(part, path string, kind Kind, is *errs.Issues) Parsed {
	if strings.TrimSpace(part) == "" {
		is.Add(path, errs.CodeRequired, "%s is required.", path)
		return Parsed{}
	}
	parsed, faults := Parse(part, kind.has)
	for _, f := range faults {
		is.Add(path, f.Code, "%s, line %d: %s.", path, f.Line, f.Message)
	}
	return parsed
}

func (f Form) checkSubject(is *errs.Issues) {
	switch {
	case strings.ContainsAny(f.Subject, "\r\n"):
		is.Add("subject", errs.CodeInvalid, "subject must be one line.")
	case !clean(f.Subject):
		is.Add("subject", errs.CodeInvalid, "subject must be UTF-8 without control characters.")
	case utf8.RuneCountInString(f.Subject) > MaxSubject:
		is.Add("subject", errs.CodeOutOfRange, "subject must have at most %d characters.", MaxSubject)
	}
	tokens, _ := scanLine(f.Subject, 1)
	for _, t := range tokens {
		if t.kind == variable && secret(t.text) {
			is.Add("subject", errs.CodeInvalid, "subject cannot have {{%s}}: servers log subjects.", t.text)
		}
	}
}

// clean reports whether a line is text, and has nothing that changes how its characters are read.
func clean(line string) bool {
	return utf8.ValidString(line) && !strings.ContainsFunc(line, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
	})
}

// checkLine adds the secrets that do not stand alone on a line of the text, and reports whether there are any.
func checkLine(line string, number int, is *errs.Issues) (crowded bool) {
	tokens, _ := scanLine(line, number)
	if _, ok := alone(tokens); ok {
		return false
	}
	for _, t := range tokens {
		if t.kind == variable && secret(t.text) {
			is.Add("text", errs.CodeInvalid, "text, line %d: {{%s}} must stand alone on its line.", number, t.text)
			crowded = true
		}
	}
	return crowded
}

// plain returns a line as it would be sent by a shop at publicURL, with a sign in place of what is not known yet.
func plain(line, publicURL string) string {
	tokens, _ := scanLine(line, 1)
	var b strings.Builder
	for _, t := range tokens {
		switch {
		case t.kind == literal:
			b.WriteString(t.text)
		case t.kind == variable && t.text == ShopURL:
			b.WriteString(publicURL)
		case t.kind == variable:
			b.WriteRune(unicode.ReplacementChar)
		}
	}
	return b.String()
}

// address matches what mail programs make a link of: an address of any scheme, also without one or after "//", up to
// what cannot be part of it. Whether a name with a dot is one, foreignAddress decides.
var address = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*:[/\\]{2}[^\s<>"']*` +
	`|mailto:[^\s<>"']*` +
	`|[/\\]{2}[\pL\pN-]+\.[^\s<>"']+` +
	`|www\.[^\s<>"']+` +
	`|([\pL\pN-]+(?:\.[\pL\pN-]+)+)(?::[0-9]|[/\\]|[?#][^\s<>"'])[^\s<>"']*`)

// foreignAddress returns the first address of a line that is not the shop's, or "".
func foreignAddress(line, publicURL string) string {
	own, err := url.Parse(publicURL)
	if err != nil {
		return ""
	}
	for _, found := range address.FindAllStringSubmatch(line, -1) {
		if name := found[1]; name != "" && !topLevel(name) {
			continue // "Node.js/Fastify"
		}
		trimmed := strings.TrimRight(found[0], ".,;:!?)]}")
		u, err := url.Parse(withScheme(trimmed, own.Scheme))
		if err != nil || u.Scheme != own.Scheme || u.Host != own.Host || u.User != nil ||
			strings.ContainsRune(trimmed, '\\') {
			return found[0]
		}
	}
	return ""
}

// topLevel reports whether a name ends like the names of hosts do.
func topLevel(name string) bool {
	_, icann := publicsuffix.PublicSuffix(strings.ToLower(name))
	return icann
}

// withScheme returns an address with a scheme: its own, or the one that a reader's program may take for it.
func withScheme(address, scheme string) string {
	if strings.Contains(address, "://") || strings.HasPrefix(strings.ToLower(address), "mailto:") {
		return address
	}
	return scheme + "://" + strings.TrimLeft(address, "/")
}
