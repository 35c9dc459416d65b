package ids_test

import (
	"regexp"
	"testing"

	"stoa/internal/base/ids"
)

func TestNewHasTheShapeAndNeverRepeats(t *testing.T) {
	t.Parallel()

	shape := regexp.MustCompile(`^[a-z][a-z0-9]{23}$`)
	seen := make(map[string]bool)
	for range 10_000 {
		id := ids.New()
		if !shape.MatchString(id) {
			t.Fatalf("New = %q, want 24 lower-case characters that start with a letter", id)
		}
		if seen[id] {
			t.Fatalf("New repeated %q", id)
		}
		seen[id] = true
	}
}
