package mask_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/mask"
)

func TestAddressesAndNamesAreMasked(t *testing.T) {
	t.Parallel()

	for in, want := range map[string]string{
		"ada@example.com": "a…@example.com", "ж@пример.рф": "ж…@пример.рф", "": "", "@x": "@…", `"a@b"@example.com`: `"…@example.com`,
	} {
		if got := mask.Email(in); got != want {
			t.Errorf("Email(%q) = %q, want %q", in, got, want)
		}
	}
	if got := mask.Within("Mail Pack · ada@example.com (was <bob@example.org>)"); got != "Mail Pack · a…@example.com (was <b…@example.org>)" {
		t.Errorf("within a text: %q", got)
	}
	in := map[string]any{"email": "ada@example.com", "n": 1, "list": []any{"bob@example.org", map[string]any{"to": "eve@example.net"}}}
	want := map[string]any{"email": "a…@example.com", "n": 1, "list": []any{"b…@example.org", map[string]any{"to": "e…@example.net"}}}
	if diff := cmp.Diff(want, mask.Values(in)); diff != "" {
		t.Error(diff)
	}
}

// FuzzWithin looks for a text that panics, or keeps an address.
func FuzzWithin(f *testing.F) {
	f.Add("ada@example.com, bob@example.org")
	f.Add("@@é@")
	f.Fuzz(func(t *testing.T, s string) {
		if once := mask.Within(s); mask.Within(once) != once {
			t.Errorf("%q is %q, and then %q", s, once, mask.Within(once))
		}
	})
}
