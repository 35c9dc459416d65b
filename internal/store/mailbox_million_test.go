package store

import (
	"strconv"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/testkit/pgtest"
)

// million is how many users the shop of BenchmarkMillionUsers has.
const million = 1_000_000

// BenchmarkMillionUsers migrates a shop with a million users from before migration 0070, and gives each user a mailbox,
// as the first process of the new release does. Meanwhile the previous release goes on registering people: longest-wait
// is the longest that one registration took.
func BenchmarkMillionUsers(b *testing.B) {
	numbers := map[string]string{
		"SQLite": `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO users SELECT CAST(i AS TEXT), i || '@Example.com', i || '@example.com', CAST(i AS TEXT), CAST(i AS TEXT), 'h', 'USER', '', '', TRUE, 1 FROM n`,
		"PostgreSQL": `INSERT INTO users SELECT CAST(i AS TEXT), i || '@Example.com', i || '@example.com', CAST(i AS TEXT), CAST(i AS TEXT), 'h', 'USER', '', '', TRUE, 1
			FROM generate_series(1, $1::int) AS n (i)`,
	}
	for engine, insert := range numbers {
		b.Run(engine, func(b *testing.B) {
			for range b.N {
				url := b.TempDir() + "/stoa.db"
				if engine == "PostgreSQL" {
					url = pgtest.URL(b)
				}
				migrateMillion(b, url, insert)
			}
		})
	}
}

func migrateMillion(b *testing.B, url, insert string) {
	b.Helper()
	b.StopTimer()
	db, err := database.Open(url)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.MigrateTo(b.Context(), migrations(), 69); err != nil {
		b.Fatal(err)
	}
	write := db.Conn().Write
	if _, err := write.ExecContext(b.Context(), insert, million); err != nil {
		b.Fatal(err)
	}
	stop, longest := make(chan struct{}), make(chan time.Duration)
	go func() { longest <- registering(b, write, stop) }()
	b.StartTimer()
	start := time.Now()
	if _, err := Migrate(b.Context(), db, "test"); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(start).Seconds(), "schema-s")
	accounts, last, n := NewAccount(db), "", 500
	for n == 500 {
		if n, last, err = accounts.FillMailboxes(b.Context(), last, 500); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(time.Since(start).Seconds(), "all-s")
	b.StopTimer()
	close(stop)
	b.ReportMetric((<-longest).Seconds(), "longest-wait-s")
}

// registering writes users as the previous release does, until it is stopped, and returns the longest that one took.
func registering(b *testing.B, write database.Querier, stop <-chan struct{}) (longest time.Duration) {
	b.Helper()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return longest
		default:
		}
		start := time.Now()
		_, err := write.ExecContext(b.Context(), `
			INSERT INTO users (id, email, email_key, username, username_key, password_hash, role, avatar, referral_code, active,
				created_at_ms)
			VALUES ($1, $1, $1, $1, $1, 'h', 'USER', '', '', TRUE, 1)`, "new-"+strconv.Itoa(i))
		if err != nil {
			b.Error(err)
			return longest
		}
		longest = max(longest, time.Since(start))
	}
}
