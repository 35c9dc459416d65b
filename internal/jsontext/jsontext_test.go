package jsontext_test

import (
	"testing"

	"stoa/internal/jsontext"
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
