package store

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
)

// Migration 0084 makes the table of orders again on SQLite, and those that refer to it: it keeps every column, index
// and row, and what refers to them.
func TestOrdersBeforeTrialsAreKept(t *testing.T) {
	t.Parallel()

	onOldSchema(t, "0083", func(t *testing.T, db *database.DB, exec func(query string, args ...any)) {
		ordersBeforeTrials(exec)
		tables := []string{"orders", "receipts", "payment_events", "discount_uses"}
		before, indexes := make(map[string][]string), indexesOf(t, db, tables)
		for _, table := range tables {
			before[table] = rowsOf(t, db, table)
		}
		if _, err := db.Migrate(t.Context(), migrationsUpTo(t, "0084")); err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			want := before[table]
			if table == "orders" {
				for i := range want {
					want[i] += " follows=false trial=false"
				}
			}
			got := rowsOf(t, db, table)
			for i := range got { // in the order of their names
				got[i] = sorted(got[i])
				want[i] = sorted(want[i])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", table, diff)
			}
		}
		after := indexesOf(t, db, tables)
		for name, text := range indexes {
			// Each license had one order.
			if after[name] != text && name != "sqlite_autoindex_orders_2" && name != "orders_license_id_key" {
				t.Errorf("index %s was %q, and is %q", name, text, after[name])
			}
		}
		// A license may have a second order, and what refers to an order must find it.
		write := db.Conn().Write
		_, err := write.ExecContext(t.Context(), `
			INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, amount_minor, currency, status, license_id,
				created_at_ms)
			VALUES ('c', 'p', 't', 'u', 'm', 1, 'EUR', 'paid', 'a', 1)`)
		if err != nil {
			t.Errorf("a second order of a license: %v", err)
		}
		for table, statement := range map[string]string{
			"receipts":       `INSERT INTO receipts (order_id, state, attempts, lease, created_at_ms) VALUES ('none', 'sent', 1, '', 1)`,
			"payment_events": `INSERT INTO payment_events (provider, id, type, order_id, at_ms) VALUES ('p', 'e', 't', 'none', 1)`,
			"order_terms":    `INSERT INTO order_terms (order_id, features, max_instances) VALUES ('none', '[]', 1)`,
			"orders":         `DELETE FROM orders WHERE id = 'a'`,
		} {
			if _, err := write.ExecContext(t.Context(), statement); err == nil {
				t.Errorf("%s: the reference is not kept", table)
			}
		}
		if _, err := Migrate(t.Context(), db, "test"); err != nil {
			t.Fatal(err)
		}
		if got := rowsOf(t, db, "orders"); len(got) != 3 {
			t.Errorf("%d orders after all migrations", len(got))
		}
	})
}

// ordersBeforeTrials inserts two orders with a license, a receipt, an event and a use of a code each.
func ordersBeforeTrials(exec func(query string, args ...any)) {
	for i, id := range []string{"a", "b"} {
		exec(`INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
				max_instances, paid, created_at_ms)
			VALUES ($1, 'p', 't', 'u', $1, '', 'perpetual', '[]', 1, $2, 1)`, id, true)
		// Each column has another value, none of them the default.
		exec(`INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, billing_info, amount_minor, currency,
				status, license_id, created_at_ms, billing_period, provider, payment_url, payment_session, payment_id,
				payment_invoice, payment_subscription, paid_at_ms, refunded_at_ms, cancelled_at_ms, billing_email_key,
				sweep_tries, sweep_at_ms, subscription_ended_at_ms, partly_refunded_minor, demo, subscription_ends,
				renewal_told_ms, billing_name_key, billing_company_key, discount_id, discount_code, discount_minor,
				discount_duration)
			VALUES ($1, 'p', 'tier', 'user', 'method', '{"a":1}', 101, 'EUR',
				'paid', $1, 102, 'monthly', 'provider', 'url', 'session', $2,
				'invoice', $3, 103, 104, 105, 'email',
				106, 107, 108, 109, $4, $4,
				110, 'name', 'company', 'code', 'CODE', 111, 'once')`, id, "pay-"+id, "sub-"+id, true)
		exec(`INSERT INTO receipts (order_id, state, attempts, lease, due_ms, created_at_ms, finished_at_ms)
			VALUES ($1, 'failed', 2, 'lease', 3, 4, 5)`, id)
		exec(`INSERT INTO payment_events (provider, id, type, order_id, at_ms) VALUES ('provider', $1, 'type', $1, $2)`, id, i)
		exec(`INSERT INTO discount_uses (order_id, discount_id, at_ms) VALUES ($1, 'code', 1)`, id)
	}
}

// sorted returns the words of a text in order.
func sorted(text string) string {
	words := strings.Fields(text)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// rowsOf returns the rows of a table, each with its columns and their values.
func rowsOf(t *testing.T, db *database.DB, table string) (list []string) {
	t.Helper()
	// The comment makes it another statement each time, because its columns change.
	rows, err := db.Conn().Read.QueryContext(t.Context(), `SELECT * FROM `+table+` /* `+rand.Text()+` */`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		words := make([]string, len(names))
		for i, v := range values {
			if slices.Contains([]string{"trial", "follows"}, names[i]) {
				v = fmt.Sprint(v) != "0" && fmt.Sprint(v) != "false"
			}
			words[i] = fmt.Sprintf("%s=%s", names[i], strings.ReplaceAll(fmt.Sprint(v), " ", ""))
		}
		list = append(list, strings.Join(words, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// indexesOf returns the indexes of tables, and what makes them.
func indexesOf(t *testing.T, db *database.DB, tables []string) map[string]string {
	t.Helper()
	in := ` IN ('` + strings.Join(tables, "', '") + `')`
	query := `SELECT indexname || '|' || indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename` + in
	if !strings.HasSuffix(t.Name(), "PostgreSQL") {
		query = `SELECT name || '|' || coalesce(sql, '') FROM sqlite_master WHERE type = 'index' AND tbl_name` + in
	}
	all, err := database.All(t.Context(), db.Conn().Read, func(row database.Scanner) (s string, err error) {
		err = row.Scan(&s)
		return s, err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	of := make(map[string]string)
	for _, line := range all {
		name, text, _ := strings.Cut(line, "|")
		of[name] = sorted(text)
	}
	if len(of) < len(tables) { // each has a primary key
		t.Fatalf("only %d indexes are found", len(of))
	}
	return of
}
