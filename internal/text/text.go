// Package text says which texts stoa takes from people, and how it compares them.
//
// It knows nothing of what a text is for: limits are the caller's.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Short is the length of the longest short text in characters: a name, a method, a category.
const Short = 200

// Printable reports whether s is at most limit characters of UTF-8 without control characters and
// line separators. PostgreSQL cannot store a NUL, and encoding/json escapes a separator (U+2028) to
// six bytes whatever it is told.
func Printable(s string, limit int) bool {
	if len(s) <= limit && plainASCII(s) { // nearly every text that a verification brings
		return true
	}
	control := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }
	return fits(s, limit) && !strings.ContainsFunc(s, control)
}

// PrintableLines is Printable for texts of several lines: line breaks and tabs are allowed.
func PrintableLines(s string, limit int) bool {
	control := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }
	return fits(s, limit) && !strings.ContainsFunc(s, control)
}

func fits(s string, limit int) bool { return utf8.ValidString(s) && utf8.RuneCountInString(s) <= limit }

// plainASCII reports whether s consists of ASCII without control characters.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Visible reports whether a character is more than space or formatting. Some letters are blanks:
// the Hangul fillers, and Braille without a dot.
func Visible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsControl(r) && r != '\u2800' &&
		!unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Misleading reports whether a character controls how its neighbors look: control characters, line
// breaks, and the marks that turn the direction of writing, so that a text reads as another one.
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

// Fold returns the form in which texts are searched, sorted and compared without case: ΟΔΟΣ equals
// οδος, and STRASSE equals Straße (Unicode's full case folding). Both engines store it, whose own
// ideas of lower case differ: changing it needs a migration.
func Fold(s string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(s))) }
