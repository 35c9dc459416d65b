package idempotency_test

import (
	"strings"
	"testing"

	"stoa/internal/data/idempotency"
)

func TestParseKey(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("k", idempotency.MaxKey)
	for _, tt := range []struct {
		name, value, want string // want is empty for an invalid value
	}{
		{"a UUID", "8e03978e-40d5-43e8-bc93-6894a57f9324", "8e03978e-40d5-43e8-bc93-6894a57f9324"},
		{"a string", `"8e03978e"`, "8e03978e"},
		{"white space around", " \t\"a b\" ", "a b"},
		{"white space inside", "a b", "a b"},
		{"escapes", `"a\"b\\c, d"`, `a"b\c, d`},
		{"every end of the range", " !~ ", "!~"},
		{"the longest", long, long},
		{"the longest string", `"` + strings.Repeat(`\"`, idempotency.MaxKey) + `"`, strings.Repeat(`"`, idempotency.MaxKey)},
		{"too long", long + "k", ""},
		{"a string that is too long", `"` + long + `k"`, ""},
		{"nothing", "", ""},
		{"an empty string", `""`, ""},
		{"no end", `"a`, ""},
		{"no end after an escape", `"a\"`, ""},
		{"another escape", `"a\n"`, ""},
		{"an escape of nothing", `"a\`, ""},
		{"parameters", `"a";b=1`, ""},
		{"a list", `"a", "b"`, ""},
		{"a bare list", "a, b", ""},
		{"a bare quote", `a"b`, ""},
		{"a bare backslash", `a\b`, ""},
		{"a control character", "a\x1fb", ""},
		{"the last of ASCII", "a\x7f", ""},
		{"beyond ASCII", "é", ""},
		{"beyond ASCII in a string", `"é"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			got, ok := idempotency.ParseKey(tt.value)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("ParseKey(%q) = %q, %v; want %q", tt.value, got, ok, tt.want)
			}
		})
	}
}

// For any input, a parsed key has only allowed characters, and quoting it gives the
// same key.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{`"a"`, "a", `"a\"b"`, `"\\"`, `a,b`, ` "`, "é", `"a" `} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		key, ok := idempotency.ParseKey(value)
		if !ok {
			if key != "" {
				t.Errorf("no key, and yet %q", key)
			}
			return
		}
		if key == "" || len(key) > idempotency.MaxKey ||
			strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("ParseKey(%q) = %q", value, key)
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, ok := idempotency.ParseKey(quoted); !ok || again != key {
			t.Errorf("ParseKey(%q) = %q, %v; want %q", quoted, again, ok, key)
		}
	})
}
