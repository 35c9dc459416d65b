package order_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/shop/order"
)

func TestEmailKey(t *testing.T) {
	t.Parallel()

	for address, want := range map[string]string{
		"ada@example.com":                  "ada@example.com",
		" Ada@EXAMPLE.com\t":               "ada@example.com",
		"ÉCLAIR@example.com":               "éclair@example.com",
		"e\u0301clair@example.com":         "e\u0301clair@example.com", // may be another mailbox
		"mar\u212a@example.com":            "mar\u212a@example.com",    // the Kelvin sign is not a k
		"\u0130@example.com":               "\u0130@example.com",       // nor a dotted capital I an i
		"straße@example.com":               "straße@example.com",
		"":                                 "",
		"ada":                              "",
		"ada@example.com, b@example.com":   "",
		"Ada <ada@example.com>":            "",
		"ada@example.com\nBcc: b@b.b":      "",
		"ada@example.com\x00":              "",
		strings.Repeat("a", 249) + "@b.de": strings.Repeat("a", 249) + "@b.de",
		strings.Repeat("a", 250) + "@b.de": "",
	} {
		if got := order.EmailKey(address); got != want {
			t.Errorf("EmailKey(%q) = %q, want %q", address, got, want)
		}
	}
	if got := (*order.BillingInfo)(nil).EmailKey(); got != "" {
		t.Errorf("EmailKey of no bill = %q", got)
	}
}

// The key of a key is the key itself.
func TestEmailKeyIsStable(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		address := rapid.StringMatching(`[\p{L}\p{M}]{1,8}@[\p{L}]{1,8}\.com`).Draw(t, "address")
		key := order.EmailKey(address)
		if again := order.EmailKey(key); again != key {
			t.Errorf("EmailKey(%q) = %q, whose key is %q", address, key, again)
		}
	})
}

// Mails to a+1@, a+2@ … are counted as mails to one mailbox. Orders are not claimed by mailbox.
func TestMailsAreCountedByMailbox(t *testing.T) {
	t.Parallel()

	for address, want := range map[string]string{
		"Ada+shop@Example.com": "ada@example.com",
		"ada+a+b@example.com":  "ada@example.com",
		"ada+@example.com":     "ada@example.com",
		"ada@example.com":      "ada@example.com",
		"+ada@example.com":     "+ada@example.com",
		"nobody":               "",
	} {
		if got := order.MailboxKey(address); got != want {
			t.Errorf("mailbox of %q = %q, want %q", address, got, want)
		}
	}
	if order.EmailKey("ada+shop@example.com") == order.EmailKey("ada@example.com") {
		t.Error("orders of ada+shop could be claimed by ada")
	}
}
