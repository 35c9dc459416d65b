package order

import (
	"strings"
	"unicode"

	"stoa/internal/message/mail"
)

// EmailKey returns the form in which e-mail addresses of bills and accounts are compared, which ignores
// case. It returns "" for a text that is not exactly one address.
//
// Only true pairs of an upper-case and a lower-case letter are equal. Look-alikes, such as the Kelvin
// sign and k, stay different, and nothing is normalized: they may be two mailboxes, and a mail to one
// must not open orders of the other.
func EmailKey(address string) string {
	address = strings.TrimSpace(address)
	if !mail.Valid(address) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); unicode.ToUpper(l) == r {
			return l
		}
		return r
	}, address)
}

// mailboxKey returns the key under which mails to an address are counted: its EmailKey without the
// "+tag" before the @, because many mail servers deliver all tags to the same mailbox. Use it for
// counting only.
func mailboxKey(address string) string {
	key := EmailKey(address)
	at := strings.LastIndexByte(key, '@')
	if plus := strings.IndexByte(key, '+'); plus > 0 && plus < at {
		return key[:plus] + key[at:]
	}
	return key
}

// EmailKey returns the EmailKey of the address in b, or "". b may be nil.
func (b *BillingInfo) EmailKey() string {
	if b == nil {
		return ""
	}
	return EmailKey(b.Email)
}

// address returns where mail about b goes. It is a valid address if EmailKey is not empty.
func (b *BillingInfo) address() string { return strings.TrimSpace(b.Email) }
