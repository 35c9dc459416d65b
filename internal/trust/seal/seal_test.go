package seal_test

import (
	"errors"
	"strings"
	"testing"

	"stoa/internal/trust/seal"
)

func mustKey(tb testing.TB, s string) *seal.Key {
	tb.Helper()
	k, err := seal.ParseKey(s)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func TestBoxOpensOnlyWhatItSealed(t *testing.T) {
	t.Parallel()

	text := seal.GenerateKey()
	key, other := mustKey(t, text), mustKey(t, seal.GenerateKey())
	box := key.Box("plugin.config")
	sealed := box.Seal([]byte("s3cret"), "row1")
	if strings.Contains(sealed, "s3cret") {
		t.Errorf("Seal left the value readable: %q", sealed)
	}
	if again := box.Seal([]byte("s3cret"), "row1"); again == sealed {
		t.Error("sealing twice gave the same text")
	}

	tests := []struct {
		name string
		box  *seal.Box
		text string
		id   string
		ok   bool
	}{
		{"same key, purpose and row", mustKey(t, text).Box("plugin.config"), sealed, "row1", true},
		{"other master key", other.Box("plugin.config"), sealed, "row1", false},
		{"other purpose", key.Box("token.key"), sealed, "row1", false},
		{"other row", box, sealed, "row2", false},
		{"changed text", box, sealed[:len(sealed)-2] + "AA", "row1", false},
		{"no prefix", box, sealed[3:], "row1", false},
		{"too short", box, "s1.AAAA", "row1", false},
		{"empty", box, "", "row1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			got, err := tt.box.Open(tt.text, tt.id)
			if tt.ok && (err != nil || string(got) != "s3cret") {
				t.Errorf("Open = %q, %v; want s3cret", got, err)
			}
			if !tt.ok && !errors.Is(err, seal.ErrOpen) {
				t.Errorf("Open = %q, %v; want ErrOpen", got, err)
			}
		})
	}
}

func TestParseKeyRefusesOtherLengths(t *testing.T) {
	t.Parallel()

	for _, bad := range []string{"", "00", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("g", 64)} {
		if _, err := seal.ParseKey(bad); err == nil {
			t.Errorf("ParseKey(%q) succeeded", bad)
		}
	}
}
