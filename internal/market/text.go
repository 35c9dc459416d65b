package market

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"stoa/internal/errs"
)

// maxText is the length of the longest short text: names, methods, categories.
const maxText = 200

// issues collects what is wrong with what a caller sent.
type issues []errs.Issue

func (is *issues) add(path, code, format string, args ...any) {
	*is = append(*is, errs.Issue{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}

// printable reports whether s is at most limit characters of UTF-8 without
// control characters and line separators. PostgreSQL can not store the NUL, and
// encoding/json makes six bytes of a separator (U+2028), whatever it is told.
func printable(s string, limit int) bool {
	if len(s) <= limit && plainASCII(s) { // as nearly all are that every verification brings
		return true
	}
	control := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= limit && strings.IndexFunc(s, control) < 0
}

// plainASCII reports whether s consists of ASCII without control characters.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Fold returns the form of a text in which it is searched and sorted, without
// case: ΟΔΟΣ is οδος and STRASSE is Straße (Unicode's full case folding). It is the
// same on both engines, whose own ideas of lower case differ. Products are stored
// with it and have a newer one once they are saved again.
func Fold(s string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(s))) }

// SearchText returns what a search for the product looks at.
func (p *Product) SearchText() string {
	return Fold(strings.Join(append([]string{p.Name, p.Slug, p.Category, p.ShortDescription, p.Description}, p.Highlights...), "\n"))
}

// Terms returns the words of a search, each of which must occur, and each once.
func (q ListQuery) Terms() []string {
	terms := strings.Fields(Fold(q.Search))
	slices.Sort(terms)
	return slices.Compact(terms)
}
