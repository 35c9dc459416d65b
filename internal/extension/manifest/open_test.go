package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/extension/manifest"
)

func TestOpenRefusesHostileDocuments(t *testing.T) {
	t.Parallel()

	nested := func(n int, opening, closing string) string {
		return `{"x":` + strings.Repeat(opening, n) + "1" + strings.Repeat(closing, n) + "}"
	}
	long := strings.Repeat("n", 90)
	tests := []struct{ name, raw, want string }{ // want is the code of the only issue; empty means valid
		{"an object", `{"a":1}`, ""},
		{"white space around it", " \r\n\t{} \n", ""},
		{"a byte order mark", "\ufeff{}", errs.CodeMalformed},
		{"UTF-16", "\xff\xfe{\x00}\x00", errs.CodeNotUnicode},
		{"Latin-1", "{\"name\":\"gr\xfc\xdfe\"}", errs.CodeNotUnicode},
		{"an overlong character", "{\"name\":\"\xc0\xae\"}", errs.CodeNotUnicode},
		{"a surrogate as UTF-8", "{\"name\":\"\xed\xa0\x80\"}", errs.CodeNotUnicode},
		{"half a character", `{"name":"\ud800"}`, errs.CodeNotUnicode},
		{"half a character in a name", `{"\udfff":1,"\ud800":1}`, errs.CodeNotUnicode},
		{"a whole character of two escapes", `{"name":"\ud83d\ude00"}`, ""},
		{"a huge number", `{"x":1e999999}`, ""}, // kept as text
		{"a number of many digits", `{"x":` + strings.Repeat("9", 100_000) + `}`, ""},
		{"not a number", `{"x":NaN}`, errs.CodeMalformed},
		{"a hexadecimal number", `{"x":0x10}`, errs.CodeMalformed},
		{"a comment", "{} // x", errs.CodeMalformed},
		{"a comma too many", `{"x":1,}`, errs.CodeMalformed},
		{"a NUL behind it", "{}\x00", errs.CodeMalformed},
		{"a control character in a text", "{\"x\":\"\n\"}", errs.CodeMalformed},
		{"nothing", "", errs.CodeMalformed},
		{"the deepest arrays", nested(63, "[", "]"), ""},
		{"deeper arrays", nested(64, "[", "]"), errs.CodeTooDeep},
		{"the deepest objects", nested(63, `{"a":`, "}"), ""},
		{"deeper objects", nested(64, `{"a":`, "}"), errs.CodeTooDeep},
		{"objects so deep that their paths fill the memory", nested(9_000, `{"`+long+`":`, "}"), errs.CodeTooDeep},
		{"arrays without an end", strings.Repeat("[", 1<<20), errs.CodeMalformed},
		{"brackets in a text", `{"x":"\\\"` + strings.Repeat("[{", 100) + `"}`, ""},
		{"a text", `"x"`, errs.CodeWrongType},
		{"a field twice", `{"x":1,"x":1}`, errs.CodeDuplicate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var faults errs.Issues
			_, ok := manifest.Open("manifest.json", []byte(tt.raw), &faults)
			switch {
			case tt.want == "" && (!ok || faults.Len() > 0):
				t.Errorf("faults %v, want none", faults.List())
			case tt.want != "" && (faults.Len() != 1 || faults.List()[0].Code != tt.want):
				t.Errorf("faults %v, want one with code %s", faults.List(), tt.want)
			}
		})
	}
}

// A manifest of a megabyte must not become an answer of a gigabyte.
func TestFaultsBelowALongNameAreShort(t *testing.T) {
	t.Parallel()

	raw := `{"` + strings.Repeat("é", 200_000) + `":{` + strings.Repeat(`"a":1,`, 50_000) + `"a":1}}`
	var faults errs.Issues
	manifest.Open("manifest.json", []byte(raw), &faults)
	size := 0
	for _, f := range faults.List() {
		size += len(f.Path) + len(f.Message)
	}
	if faults.Len() != 50_000 || size > len(raw) {
		t.Errorf("%d faults with %d bytes", faults.Len(), size)
	}
}

// TestTextsOfAManifestCannotBeDisguised: administrators read them before they consent.
func TestTextsOfAManifestCannotBeDisguised(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"Rates": true, "תעריפים": true, "\u200fתעריפים\u200e Rates": true, "one\ntwo\tthree": true, "a\u2028b": true,
		"evil\u202exe": false, "a\u202d": false, "a\u2066b": false, "a\u2069": false, "a\u0085b": false, "a\x1bb": false, "a\x7f": false,
	} {
		raw, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		var faults errs.Issues
		o, _ := manifest.NewObject("", raw, &faults)
		if _, got := o.Text("name"); got != ok {
			t.Errorf("%q: accepted: %v, want %v", name, got, ok)
		}
	}
}
