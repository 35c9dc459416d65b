package mailbox_test

import (
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/mailbox"
)

func TestOnlyTheSameMailboxIsTheSame(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"the same bytes", "ada@example.com", "ada@example.com", true},
		{"ASCII case before the @", "Ada.L@example.com", "aDA.l@example.com", true},
		{"ASCII case of the domain", "ada@Example.COM", "ada@example.com", true},
		{"another name", "ada@example.com", "bob@example.com", false},
		{"a domain and its A-label", "ada@bücher.example", "ada@xn--bcher-kva.example", true},
		{"the case of an A-label", "ada@XN--bcher-KVA.example", "ada@bücher.example", true},
		{"case beyond ASCII in a domain", "ada@BÜCHER.example", "ada@bücher.example", true},
		{"an accent composed and combined in a domain", "ada@b\u00fccher.example", "ada@bu\u0308cher.example", true},
		{"ß and ss in a domain", "ada@straße.example", "ada@strasse.example", false},
		{"ß and ss before the @", "straße@example.com", "strasse@example.com", false},
		{"long s", "\u017fam@example.com", "sam@example.com", false},
		{"a ligature", "\ufb01n@example.com", "fin@example.com", false},
		{"the Kelvin sign", "\u212aate@example.com", "kate@example.com", false},
		{"dotless i", "m\u0131ke@example.com", "mike@example.com", false},
		{"an accent composed and combined before the @", "j\u00f6rg@example.com", "jo\u0308rg@example.com", false},
		{"case beyond ASCII before the @", "JÖRG@example.com", "jörg@example.com", false},
		{"an accent less", "jörg@example.com", "jorg@example.com", false},
		{"a tag", "ada+shop@example.com", "ada@example.com", false},
		{"a dot", "a.da@example.com", "ada@example.com", false},
		{"a domain that IDNA refuses", "ada@a_b.example", "ada@A_B.example", true},
		{"an @ in quotes", `"a@b"@example.com`, `"A@B"@EXAMPLE.com`, true},
		{"no @", "Ada", "ada", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got := mailbox.Same(tt.a, tt.b); got != tt.same {
				t.Errorf("Same(%q, %q) = %t", tt.a, tt.b, got)
			}
			if got := mailbox.Same(tt.b, tt.a); got != tt.same {
				t.Errorf("Same(%q, %q) = %t", tt.b, tt.a, got)
			}
		})
	}
}

func TestTagsCountForTheirMailbox(t *testing.T) {
	t.Parallel()

	for address, want := range map[string]string{
		"Ada+Shop@example.com": "ada@example.com",
		"ada@example.com":      "ada@example.com",
		"+ada@example.com":     "+ada@example.com",
		"ada@ex+mple.com":      "ada@ex+mple.com",
	} {
		if got := mailbox.Counted(address); got != want {
			t.Errorf("Counted(%q) = %q, want %q", address, got, want)
		}
	}
}

// Whoever proves a mailbox proves nothing that account.Key would call another account's address. A
// Key is its own Key, keeps every byte before the @ but the case of ASCII letters, and depends on
// nothing else than what it says.
func FuzzKey(f *testing.F) {
	for _, s := range []string{
		"ada@example.com", "Straße@GMX.de", "a@bücher.example", "a@xn--bcher-kva.example", "@", "a@", "\u212a@x", "a@\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		key := mailbox.Key(address)
		if again := mailbox.Key(key); again != key {
			t.Errorf("Key(%q) = %q, whose Key is %q", address, key, again)
		}
		if isASCII(address) && key != strings.ToLower(address) { // as migration 0070 has it
			t.Errorf("Key(%q) = %q", address, key)
		}
		at, kept := strings.LastIndexByte(address, '@'), strings.LastIndexByte(key, '@')
		if at >= 0 && (kept != at || !asciiEqual(key[:kept], address[:at])) {
			t.Errorf("Key(%q) = %q changes what stands before the @", address, key)
		}
		if at >= 0 && account.Key(key[:kept]) != account.Key(address[:at]) {
			t.Errorf("Key(%q) = %q is another account's", address, key)
		}
	})
}

func asciiEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if x != y && (x|0x20 != y|0x20 || x|0x20 < 'a' || x|0x20 > 'z') {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
