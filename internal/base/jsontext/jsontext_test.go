package jsontext_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/base/jsontext"
)

func TestUnicode(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]bool{
		"":                      true,
		`"\ud83d\ude00"`:        true,
		`"\\ud83d"`:             true,
		`"\ud83d"`:              false,
		`"\ude00\ud83d"`:        false,
		`"\ud83dx"`:             false,
		`"\\\ud83d"`:            false,
		`"\u00e9"`:              true,
		`"\ufffd"`:              true,
		"\"\xff\"":              false,
		"\"\xed\xa0\xbd\"":      false,
		"\"\U0001f600 \ufffd\"": true,
	} {
		if got := jsontext.Unicode([]byte(text)); got != want {
			t.Errorf("Unicode(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestAppendStringWritesAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringN(0, 8, -1),
			rapid.SampledFrom([]string{"", "plain", `"`, `\`, "<&>", "\u2028", "\x7f", "\x1f", "ü", "\xff"})).Draw(t, "s")
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := string(jsontext.AppendString([]byte("x"), s)) + "\n"; got != "x"+want.String() {
			t.Errorf("AppendString(%q) = %s, want x%s", s, got, want.String())
		}
	})
}
