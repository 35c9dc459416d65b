package store

import (
	"strings"
	"testing"
)

// The sweep runs every ten minutes on each replica: what it costs depends on what
// is unfinished, not on how much was ever sold.
func TestUnfinishedOrdersAreFoundInIndexes(t *testing.T) {
	t.Parallel()

	db := migrated(t)
	plan, err := planOf(t, db, unfinished, []any{"stripe", 1, 1, 1})
	if err != nil || strings.Contains(plan, "SCAN o\n") || strings.Contains(plan, "SCAN orders\n") {
		t.Errorf("%v\n%s", err, plan)
	}
	for _, index := range []string{"orders_refund_due", "orders_end_due", "orders_status"} {
		if !strings.Contains(plan, index) {
			t.Errorf("%s is not used:\n%s", index, plan)
		}
	}
}
