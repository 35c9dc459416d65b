package fold_test

import (
	"testing"

	"stoa/internal/fold"
)

func TestTextsThatDifferInCaseAreEqual(t *testing.T) {
	t.Parallel()

	for _, same := range [][]string{
		{"Ada@Example.com", "ADA@EXAMPLE.COM", "ada@example.com"},
		{"straße", "STRASSE", "strasse", "STRAẞE"},
		{"Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ"},
		{"café", "cafe\u0301", "CAFE\u0301", "CAFÉ"},
		{"K", "k", "\u212a"}, // the kelvin sign
	} {
		for _, s := range same {
			if got, want := fold.Text(s), fold.Text(same[0]); got != want {
				t.Errorf("Text(%q) = %q, want %q", s, got, want)
			}
			if fold.Text(fold.Text(s)) != fold.Text(s) {
				t.Errorf("Text(Text(%q)) is another", s)
			}
		}
	}
	if fold.Text("ada") == fold.Text("ädä") {
		t.Error("Text ignores accents")
	}
}
