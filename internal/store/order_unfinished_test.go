package store

import (
	"strings"
	"testing"
)

// The sweep runs every ten minutes on each replica. Its cost must depend on how many
// orders are unfinished, not on how many were ever placed.
func TestUnfinishedOrdersAreFoundInIndexes(t *testing.T) {
	t.Parallel()

	db := migrated(t)
	plan, err := planOf(t, db, unfinished, []any{"stripe", 1, 1, 1, 1})
	if err != nil || strings.Contains(plan, "SCAN o\n") || strings.Contains(plan, "SCAN orders\n") {
		t.Errorf("%v\n%s", err, plan)
	}
	for _, index := range []string{"orders_refund_due", "orders_end_due", "orders_left_running", "orders_status"} {
		if !strings.Contains(plan, index) {
			t.Errorf("%s is not used:\n%s", index, plan)
		}
	}
}
