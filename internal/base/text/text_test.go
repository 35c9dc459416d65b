package text_test

import (
	"strings"
	"testing"

	"stoa/internal/base/text"
)

func TestPrintableAtItsLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, s     string
		line, lines bool
	}{
		{"at the limit", strings.Repeat("x", 5), true, true},
		{"one beyond", strings.Repeat("x", 6), false, false},
		{"characters count, not bytes", "ééééé", true, true},
		{"one character beyond", "éééééé", false, false},
		{"empty", "", true, true},
		{"not UTF-8", "\xff", false, false},
		{"NUL", "a\x00b", false, false},
		{"line break", "a\nb", false, true},
		{"tab", "a\tb", false, true},
		{"line separator", "a\u2028b", false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := text.Printable(tc.s, 5); got != tc.line {
				t.Errorf("Printable(%q) = %t, want %t", tc.s, got, tc.line)
			}
			if got := text.PrintableLines(tc.s, 5); got != tc.lines {
				t.Errorf("PrintableLines(%q) = %t, want %t", tc.s, got, tc.lines)
			}
		})
	}
}

func TestFoldMakesTextsThatDifferInCaseEqual(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"ΟΔΟΣ", "οδος"}, {"STRASSE", "Straße"}, {"e\u0301", "É"}} {
		if a, b := text.Fold(pair[0]), text.Fold(pair[1]); a != b {
			t.Errorf("Fold(%q) = %q, Fold(%q) = %q", pair[0], a, pair[1], b)
		}
	}
}

func TestClipKeepsSixtyCharacters(t *testing.T) {
	t.Parallel()
	at := strings.Repeat("é", 60)
	if got := text.Clip(at); got != at {
		t.Errorf("at the limit: %q", got)
	}
	if got, want := text.Clip(at+"x"), at+"…"; got != want {
		t.Errorf("one beyond: got %q, want %q", got, want)
	}
}
