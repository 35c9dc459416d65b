package store

import (
	"strings"
	"testing"
)

// A program that signs in every minute leaves 130,000 sign-ins in 90 days. The next one reads the latest of them.
func TestASignInReadsTheLatestOfTheFormerOnes(t *testing.T) {
	t.Parallel()

	plan, err := planOf(t, migrated(t), signedInFrom(), []any{"u1", 0, "agent", "192.0.2.1"})
	if err != nil || !strings.Contains(plan, "sign_ins_user (user_id=? AND at_ms>?)") || strings.Contains(plan, "B-TREE") {
		t.Errorf("%v\n%s", err, plan)
	}
}
