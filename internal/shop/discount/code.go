package discount

import "strings"

// The length of a code in characters.
const (
	minCode = 3
	maxCode = 40
)

// ParseCode returns the form in which a code is stored and compared: the letters a to z in upper case. It
// returns false for a text that is no code.
func ParseCode(s string) (string, bool) {
	if len(s) < minCode || len(s) > maxCode {
		return "", false
	}
	upper := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' { // not unicode.ToUpper: the long s would become an S
			return r - 'a' + 'A'
		}
		return r
	}, s)
	if !onlyCode(upper) {
		return "", false
	}
	return upper, true
}

// onlyCode reports whether every byte may be part of a code.
func onlyCode(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
