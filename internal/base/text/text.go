// Package text checks texts that people enter, and folds them for comparison.
//
// It does not know what a text is for: callers set the limits.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Short is the maximum length of a short text in characters: a name, a category, a title.
const Short = 200

// Printable reports whether s is UTF-8 of at most limit characters without control characters and
// line separators. PostgreSQL cannot store a NUL, and encoding/json always escapes U+2028 to six bytes.
func Printable(s string, limit int) bool {
	if len(s) <= limit && plainASCII(s) { // the usual case, and the fast one
		return true
	}
	control := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }
	return fits(s, limit) && !strings.ContainsFunc(s, control)
}

// PrintableLines is like Printable, but allows line breaks and tabs.
func PrintableLines(s string, limit int) bool {
	control := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }
	return fits(s, limit) && !strings.ContainsFunc(s, control)
}

func fits(s string, limit int) bool { return utf8.ValidString(s) && utf8.RuneCountInString(s) <= limit }

// plainASCII reports whether s consists of printable ASCII only.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Visible reports whether a character is visible: neither white space nor formatting. The Hangul
// fillers and the Braille pattern without dots count as letters in Unicode, but are blank.
func Visible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsControl(r) && r != '\u2800' &&
		!unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Misleading reports whether a character can change how the text around it looks: a control
// character, a line break, or a mark that changes the writing direction.
func Misleading(r rune) bool {
	return unicode.IsControl(r) || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Clip shortens s to 60 characters, for messages that quote it.
func Clip(s string) string {
	const limit = 60
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// Fold returns a text in the form that is searched, sorted and compared without regard to case
// (Unicode's full case folding): ΟΔΟΣ equals οδος, and STRASSE equals Straße. The database stores
// folded texts, because the two engines lower-case differently: changing Fold needs a migration.
func Fold(s string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(s))) }
