// Command fill adds 10,000 users, orders and licenses to the SQLite database of a stoa, for
// the scenario of long lists: more than a test could buy in reasonable time.
package main

import (
	"context"
	"log"
	"os"

	"stoa/internal/data/database"
)

const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) `

// The demo's sample sales go, so that the first and the last rows are known. The rows are a minute apart. Every
// hundredth order is refunded.
var statements = []string{
	`DELETE FROM license_instances WHERE license_id IN (SELECT id FROM licenses WHERE demo)`,
	`DELETE FROM orders WHERE demo`,
	`DELETE FROM licenses WHERE demo`,
	numbers + `INSERT INTO users (id, email, email_key, username, username_key, password_hash, role, avatar,
			referral_code, active, created_at_ms)
		SELECT 'user' || i, 'user' || i || '@many.example', 'user' || i || '@many.example', 'user' || i, 'user' || i,
			'-', 'USER', '', 'many' || i, 1, 1700000000000 + i * 60000 FROM n`,
	numbers + `INSERT INTO licenses (id, product_id, tier_id, user_id, key_hash, key_sealed, type, features,
			max_instances, paid, created_at_ms, key_tail)
		SELECT 'license' || i, (SELECT min(id) FROM products), 'pro', 'user' || i, 'hash' || i, '-', 'single', '[]',
			1, 1, 1700000000000 + i * 60000, 'TAIL' || i FROM n`,
	numbers + `INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, amount_minor, currency, status,
			license_id, created_at_ms, paid_at_ms, refunded_at_ms)
		SELECT 'order' || i, (SELECT min(id) FROM products), 'pro', 'user' || i, 'card', i, 'EUR',
			CASE WHEN i % 100 = 0 THEN 'refunded' ELSE 'paid' END, 'license' || i, 1700000000000 + i * 60000,
			1700000000000 + i * 60000, CASE WHEN i % 100 = 0 THEN 1700000000000 + i * 60000 END FROM n`,
}

func main() {
	db, err := database.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Conn().Write.ExecContext(context.Background(), statement); err != nil {
			log.Fatal(err)
		}
	}
}
