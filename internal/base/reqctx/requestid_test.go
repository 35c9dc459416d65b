package reqctx_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"stoa/internal/base/reqctx"
)

func TestIdsAreOrderedByTimeAndDiffer(t *testing.T) {
	t.Parallel()
	before := time.Now().UnixMilli()
	seen := map[string]bool{}
	for range 10_000 {
		text := reqctx.NewRequestID()
		id, err := uuid.Parse(text)
		if err != nil || id.Version() != 7 || id.Variant() != uuid.RFC4122 {
			t.Fatalf("%s is a UUID of version %d and variant %s: %v", text, id.Version(), id.Variant(), err)
		}
		sec, nsec := id.Time().UnixTime()
		if at := sec*1000 + nsec/1e6; at < before || at > time.Now().UnixMilli() {
			t.Fatalf("%s is of %d, want %d or a little later", text, at, before)
		}
		if seen[text] {
			t.Fatalf("%s was made twice", text)
		}
		seen[text] = true
	}
}
