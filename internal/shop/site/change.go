package site

import (
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/shop/product"
)

// The longest texts: of a name in characters, of an e-mail address and a URL in bytes.
const (
	MaxName  = 64
	maxEmail = 254
	maxURL   = 2048
)

// Change is a change of settings. Fields that are nil stay; an empty text removes what was
// set.
type Change struct {
	Name, Accent, SupportEmail, SupportURL, TermsURL, PrivacyURL, Language, Logo *string

	// ArchiveTypes replaces the types of the kinds that it has; an empty list removes them.
	ArchiveTypes map[extension.Kind][]string
}

// field is a setting that a Change may name: its name in the API, its new text, which may
// be nil, and what is wrong with one.
type field struct {
	name  string
	text  *string
	fault func(text string) (code, message string)
	of    func(set *Settings) *string
}

func (ch Change) fields() []field {
	return []field{
		{"shopName", ch.Name, nameFault, func(s *Settings) *string { return &s.Name }},
		{"accent", ch.Accent, accentFault, func(s *Settings) *string { return &s.Accent }},
		{"supportEmail", ch.SupportEmail, emailFault, func(s *Settings) *string { return &s.SupportEmail }},
		{"supportUrl", ch.SupportURL, urlFault, func(s *Settings) *string { return &s.SupportURL }},
		{"termsUrl", ch.TermsURL, urlFault, func(s *Settings) *string { return &s.TermsURL }},
		{"privacyUrl", ch.PrivacyURL, urlFault, func(s *Settings) *string { return &s.PrivacyURL }},
		{"language", ch.Language, noFault, func(s *Settings) *string { return &s.Language }},
		{"logo", ch.Logo, logoFault, func(s *Settings) *string { return &s.Logo }},
	}
}

// Issues returns everything that is wrong with the change.
func (ch Change) Issues() (faults errs.Issues) {
	for _, f := range ch.fields() {
		if f.text == nil || *f.text == "" {
			continue
		}
		if code, message := f.fault(*f.text); code != "" {
			faults.Add(f.name, code, "%s %s", f.name, message)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(ch.ArchiveTypes)) {
		typeIssues(kind, ch.ArchiveTypes[kind], &faults)
	}
	return faults
}

// typeIssues adds what is wrong with the file types of a kind.
func typeIssues(kind extension.Kind, types []string, faults *errs.Issues) {
	at := "archiveTypes." + string(kind)
	if !kind.Known() {
		faults.Add(at, errs.CodeUnknownValue, "%s is no kind of extension.", at)
	}
	if archive.TooManyTypes(len(types)) {
		faults.Add(at, errs.CodeOutOfRange, "%s has too many types.", at)
		return
	}
	for i, t := range types {
		if _, err := archive.CheckType(t); err != nil {
			faults.Add(fmt.Sprintf("%s[%d]", at, i), errs.CodeInvalid, "%s cannot have %.40q: %s.", at, t, err)
		}
	}
}

// apply changes set and returns the names of the fields that differ now.
func (ch Change) apply(set *Settings) (changed []string) {
	if ch.Accent != nil {
		lower := strings.ToLower(*ch.Accent)
		ch.Accent = &lower
	}
	for _, f := range ch.fields() {
		if at := f.of(set); f.text != nil && *at != *f.text {
			*at = *f.text
			changed = append(changed, f.name)
		}
	}
	types := ch.types(set.ArchiveTypes)
	if !maps.EqualFunc(types, set.ArchiveTypes, slices.Equal[[]string]) {
		set.ArchiveTypes = types
		changed = append(changed, "archiveTypes")
	}
	return changed
}

// types returns the file types after the change.
func (ch Change) types(before extension.Types) extension.Types {
	after := maps.Clone(before)
	for kind, types := range ch.ArchiveTypes {
		var checked []string
		for _, t := range types {
			if t, err := archive.CheckType(t); err == nil { // Issues found the others
				checked = archive.MergeTypes(checked, t)
			}
		}
		if after == nil {
			after = make(extension.Types)
		}
		if after[kind] = checked; len(checked) == 0 {
			delete(after, kind)
		}
	}
	return after
}

// noFault is of a setting that Service.Issues checks.
func noFault(string) (code, message string) { return "", "" }

func nameFault(name string) (code, message string) {
	switch {
	case !text.Printable(name, MaxName):
		return errs.CodeOutOfRange, "must have at most 64 printable characters."
	case strings.TrimSpace(name) != name:
		return errs.CodeInvalid, "must not begin or end with a space."
	}
	return "", ""
}

var accent = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func accentFault(color string) (code, message string) {
	if !accent.MatchString(color) {
		return errs.CodeInvalid, "must be a color like #0f766e."
	}
	return "", ""
}

func emailFault(address string) (code, message string) {
	if len(address) > maxEmail {
		return errs.CodeOutOfRange, "must have at most 254 bytes."
	}
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || !text.Printable(address, maxEmail) {
		return errs.CodeInvalid, "must be an e-mail address like help@example.com."
	}
	return "", ""
}

// logoFault takes an address as urlFault does, or the path of an uploaded picture.
func logoFault(logo string) (code, message string) {
	if path, ok := strings.CutPrefix(logo, product.MediaPath); ok && len(logo) <= maxURL &&
		!strings.ContainsFunc(path, notInName) {
		return "", ""
	}
	if code, _ := urlFault(logo); code != "" {
		return code, "must be an address like https://example.com/logo.png, or the path of an uploaded picture (/media/…)."
	}
	return "", ""
}

// notInName reports whether a character is in no name of an uploaded picture.
func notInName(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-' && r != '_'
}

// urlFault refuses what a page must not link to: javascript: addresses, for one.
func urlFault(address string) (code, message string) {
	if len(address) > maxURL {
		return errs.CodeOutOfRange, "must have at most 2048 bytes."
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		!text.Printable(address, maxURL) || strings.ContainsAny(address, ` "<>\`) {
		return errs.CodeInvalid, "must be an address like https://example.com/terms."
	}
	return "", ""
}
