// Package mailbox compares e-mail addresses where the same mailbox is meant: it decides whether
// whoever reads mail to one address has proven another.
//
// It is narrower than account.Key, which decides whether an address is taken. Key equates straße@x
// and strasse@x, which may belong to two people.
package mailbox

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Key returns the form of an address in which mailboxes are compared: two addresses with one Key are
// one mailbox. Before the last @, bytes are equal except for the case of ASCII letters. Domains are
// compared as A-labels; one that IDNA refuses keeps its bytes, except for the case of ASCII letters.
func Key(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return lower(address)
	}
	domain := lower(address[at+1:])
	if !ascii(domain) { // else it is its own A-label, or none
		if label, err := idna.Lookup.ToASCII(domain); err == nil {
			domain = lower(label)
		}
	}
	return lower(address[:at]) + "@" + domain
}

// Same reports whether two addresses are one mailbox.
func Same(a, b string) bool { return Key(a) == Key(b) }

// Counted returns the name under which mails to an address are counted: its Key without the "+tag"
// before the @, because many mail servers deliver all tags to the same mailbox. Use it for counting
// only.
func Counted(address string) string {
	key := Key(address)
	at := strings.LastIndexByte(key, '@')
	if plus := strings.IndexByte(key, '+'); plus > 0 && plus < at {
		return key[:plus] + key[at:]
	}
	return key
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lower folds ASCII letters only, and leaves every other byte as it is.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return fold(s)
		}
	}
	return s
}

func fold(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
