package account

import (
	"regexp"
	"strings"
	"testing"
)

func TestACodeIsReadHoweverItIsTyped(t *testing.T) {
	t.Parallel()

	seen := map[string]bool{}
	for range 200 {
		code := newTypedCode()
		if !regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(code) || seen[code] {
			t.Fatalf("code %q, after %d others", code, len(seen))
		}
		seen[code] = true
		hash := typedHash("flow", code)
		for _, typed := range []string{
			code, strings.ToLower(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " ") + " ",
			strings.NewReplacer("0", "o", "1", "l").Replace(code),
		} {
			if !isTyped(hash, "flow", typed) {
				t.Errorf("%q is not read as %s", typed, code)
			}
		}
		for _, typed := range []string{"", code[:8], code + "0", code + "\n", "ÄÖÜ"} {
			if isTyped(hash, "flow", typed) {
				t.Errorf("%q is read as %s", typed, code)
			}
		}
		if isTyped(hash, "another flow", code) || isTyped("", "flow", code) {
			t.Error("a code works for another flow, or where none was mailed")
		}
	}
}
