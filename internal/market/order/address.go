package order

import (
	"strings"
	"unicode"

	"stoa/internal/mail"
)

// EmailKey returns the form in which the e-mail addresses of bills and accounts
// are compared, without regard to the case of letters, or "" for what is not
// exactly one address.
//
// Only true pairs of an upper and a lower case letter are the same. What merely
// looks alike, such as the Kelvin sign and k, stays apart, and nothing is
// normalised: it may be another mailbox, and a mail to that one must not open
// orders of this one.
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

// mailboxKey returns the name under which mails to an address are counted: its
// EmailKey without what follows a + before the @, which many mail servers deliver
// to the same mailbox. Nothing but counting may rely on it.
func mailboxKey(address string) string {
	key := EmailKey(address)
	at := strings.LastIndexByte(key, '@')
	if plus := strings.IndexByte(key, '+'); plus > 0 && plus < at {
		return key[:plus] + key[at:]
	}
	return key
}

// EmailKey returns that of the address in b, or "". b may be nil.
func (b *BillingInfo) EmailKey() string {
	if b == nil {
		return ""
	}
	return EmailKey(b.Email)
}

// address returns where mail about b goes. It is an address if EmailKey is not
// empty.
func (b *BillingInfo) address() string { return strings.TrimSpace(b.Email) }
