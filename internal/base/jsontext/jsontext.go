// Package jsontext does what encoding/json cannot do with strings: it detects text that is not
// Unicode, and appends strings fast.
package jsontext

import (
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Unicode reports whether data is UTF-8 and all its \u escapes are characters. data
// need not be valid JSON. encoding/json silently replaces everything else with U+FFFD:
// two different passwords would become the same, and the stored text would differ from
// the one sent.
func Unicode(data []byte) bool { return utf8.Valid(data) && !hasLoneSurrogate(data) }

// hasLoneSurrogate reports whether a \u escape is half of a surrogate pair. It does not
// parse JSON: backslashes occur in strings only, and invalid JSON is found later.
func hasLoneSurrogate(body []byte) bool {
	unit := func(at int) (rune, bool) {
		if at+6 > len(body) || body[at] != '\\' || body[at+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(body[at+2:at+6]), 16, 16)
		return rune(n), err == nil
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		r, ok := unit(i)
		switch {
		case !ok:
			i++ // another escape: its second character may be a backslash
		case !utf16.IsSurrogate(r):
			i += 5
		default:
			low, _ := unit(i + 6)
			if utf16.DecodeRune(r, low) == unicode.ReplacementChar {
				return true
			}
			i += 11
		}
	}
	return false
}
