package manifest_test

import (
	"testing"

	"stoa/internal/extension/manifest"
)

func TestCompareVersions(t *testing.T) {
	t.Parallel()

	order := []string{
		"0.0.1",
		"0.1.0",
		"0.9.9",
		"0.10.0",
		"1.0.0",
		"1.0.10",
		"2.0.0",
		"10.0.0",
		"99999999999999999999.0.0",
		"100000000000000000000.0.0",
	}
	for i, a := range order {
		for j, b := range order {
			got := manifest.CompareVersions(a, b)
			if want := i - j; (got < 0) != (want < 0) || (got > 0) != (want > 0) {
				t.Errorf("CompareVersions(%s, %s) = %d, want the sign of %d", a, b, got, want)
			}
		}
	}
	if got := manifest.CompareVersions("01.0.00", "1.00.0"); got != 0 {
		t.Errorf("CompareVersions with leading zeros = %d, want 0", got)
	}
}
