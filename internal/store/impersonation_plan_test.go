package store

import (
	"strings"
	"testing"

	"stoa/internal/account/impersonate"
)

// A shop has as many impersonations as its staff began in 90 days. A list reads those of its user, or the open ones.
func TestImpersonationsAreFoundInIndexes(t *testing.T) {
	t.Parallel()

	db := migrated(t)
	for index, q := range map[string]impersonate.Query{
		"impersonations_user (user_id=?)": {UserID: "u1", Limit: 25},
		"impersonations_open":             {Open: true, Limit: 25},
		"impersonations_age":              {Limit: 25},
	} {
		count, list := impersonationsOf(q)
		plan, err := planOf(t, db, list.text, list.args)
		if err != nil || !strings.Contains(plan, index) || strings.Contains(plan, "SCAN m\n") {
			t.Errorf("%s: %v\n%s", index, err, plan)
		}
		if q.UserID == "" && !q.Open {
			continue // all are counted
		}
		plan, err = planOf(t, db, count.text, count.args)
		if err != nil || !strings.Contains(plan, index) || strings.Contains(plan, "SCAN m\n") {
			t.Errorf("the number of %s: %v\n%s", index, err, plan)
		}
	}
}
