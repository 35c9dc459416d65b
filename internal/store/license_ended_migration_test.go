package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/data/database"
)

// Migration 0067 counts what has ended as told: subscribers hear of no end from before the upgrade.
func TestOldEndsAreNotTold(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0064", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		now := time.Now()
		for id, row := range map[string]struct {
			expires any
			leeway  time.Duration
		}{
			"ended":     {now.Add(-time.Hour).UnixMilli(), 0},
			"goes-on":   {now.Add(-time.Hour).UnixMilli(), 2 * time.Hour},
			"perpetual": {nil, 0},
		} {
			exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
					max_instances, paid, created_at_ms, expires_at_ms, leeway_ms)
				VALUES ($1, 'p', 't', 'anonymous', $1, '', 'subscription', '[]', 1, $2, 1, $3, $4)`,
				id, true, row.expires, row.leeway.Milliseconds())
		}
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		list, err := NewLicenses(db).TakeEnded(t.Context(), now.Add(24*time.Hour))
		var ids []string
		for _, l := range list {
			ids = append(ids, l.ID)
		}
		if err != nil || !slices.Equal(ids, []string{"goes-on"}) {
			t.Errorf("TakeEnded = %v, %v", ids, err)
		}
	})
}

// The search of ended licenses, every few seconds, reads no others.
func TestEndedLicensesAreFoundByAnIndex(t *testing.T) {
	t.Parallel()

	plan, err := planOf(t, migrated(t), endedLicenses, []any{1, endsAtOnce})
	if err != nil || !strings.Contains(plan, "USING INDEX licenses_untold") || strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("%v\n%s", err, plan)
	}
}
