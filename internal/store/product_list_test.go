package store

import (
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/data/database"
	"stoa/internal/shop/catalog"
)

// SQLite finds the ids on a page of the product list in an index alone, from either
// end. Otherwise a late page would cost much more than the first.
func TestPagesAreFoundInAnIndex(t *testing.T) {
	t.Parallel()

	db := migrated(t)
	queries := make(map[string]catalog.ListQuery)
	for sort := range orderBy {
		queries[string(sort)] = catalog.ListQuery{Sort: sort}
		queries[string(sort)+", drafts"] = catalog.ListQuery{Sort: sort, Shelf: catalog.Drafts}
	}
	yes := true
	queries["trending"] = catalog.ListQuery{Sort: catalog.SortFeatured, Trending: &yes}
	queries["featured"] = catalog.ListQuery{Sort: catalog.SortFeatured, Featured: &yes}
	queries["of a category"] = catalog.ListQuery{Sort: catalog.SortFeatured, Category: "c"}
	for name, q := range queries {
		order := orderBy[q.Sort]
		for direction, order := range map[string]string{"from the front": order, "from the end": backwards(order)} {
			query, args := productIDs(q, order, 25, 100)
			plan, err := planOf(t, db, query, args)
			if err != nil || !strings.Contains(plan, "USING COVERING INDEX") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s, %s: %v\n%s", name, direction, err, plan)
			}
		}
	}
}

// planOf returns SQLite's plan for a query.
func planOf(tb testing.TB, db *database.DB, query string, args []any) (string, error) {
	tb.Helper()
	rows, err := db.Conn().Read.QueryContext(tb.Context(), `EXPLAIN QUERY PLAN `+query, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var (
			id, parent, unused int
			detail             string
		)
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return "", err
		}
		plan.WriteString(detail + "\n")
	}
	return plan.String(), rows.Err()
}

// migrated returns a new SQLite database with the whole schema. Tests inside this
// package cannot use dbtest, which imports it.
func migrated(t *testing.T) *database.DB {
	t.Helper()
	db, err := database.Open(filepath.Join(t.TempDir(), "stoa.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := Migrate(t.Context(), db, "test"); err != nil {
		t.Fatal(err)
	}
	return db
}
