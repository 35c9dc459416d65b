package ids_test

import (
	"regexp"
	"testing"

	"stoa/internal/base/ids"
)

// Stored hashes must stay valid: FIPS 180-2, appendix B.1.
func TestHashIsSHA256InHex(t *testing.T) {
	t.Parallel()

	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := ids.HashLinkToken("abc"); got != want {
		t.Errorf("Hash = %s, want %s", got, want)
	}
}

func TestTokensAreLongAndDifferent(t *testing.T) {
	t.Parallel()

	form, seen := regexp.MustCompile(`^[A-Z2-7]{26}$`), make(map[string]bool)
	for range 100 {
		token := ids.NewLinkToken()
		if !form.MatchString(token) || seen[token] {
			t.Errorf("token %q: want 26 characters of base32 that were not returned before", token)
		}
		seen[token] = true
	}
}
