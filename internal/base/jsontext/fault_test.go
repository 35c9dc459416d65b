package jsontext_test

import (
	"encoding/json"
	"testing"

	"stoa/internal/base/jsontext"
)

func TestFault(t *testing.T) {
	t.Parallel()

	for data, want := range map[string]string{
		`{"a":1}`:            "",
		`{"a":1,}`:           "line 1, column 8: invalid character '}' looking for beginning of object key string",
		"{\n  \"ä\": tru }":  "line 2, column 11: invalid character ' ' in literal true (expecting 'e')",
		"{\r\n\"a\": [1 2]}": "line 2, column 9: invalid character '2' after array element",
		"{\n":                "line 2, column 1: unexpected end of JSON input",
		"":                   "line 1, column 1: unexpected end of JSON input",
		"{} x":               "line 1, column 4: invalid character 'x' after top-level value",
	} {
		if got := jsontext.Fault([]byte(data)); got != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
}

func FuzzFault(f *testing.F) {
	f.Add([]byte("{\n\"a\":}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if fault := jsontext.Fault(data); (fault == "") != json.Valid(data) {
			t.Errorf("%q: valid %t, but %q", data, json.Valid(data), fault)
		}
	})
}
