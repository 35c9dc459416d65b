package store_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/license"
	"stoa/internal/testkit/dbtest"
)

// BenchmarkUsageByKey is the query of a verification, which has a deadline like every request. On
// PostgreSQL, cpu-µs/op leaves out the server.
func BenchmarkUsageByKey(b *testing.B) {
	for name, url := range map[string]func(testing.TB) string{"SQLite": dbtest.SQLite, "PostgreSQL": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			s := licenseDB(b, func(tb testing.TB) *database.DB { return dbtest.Open(tb, url(tb)) })
			if err := s.AddActivation(b.Context(), "l", license.Activation{InstanceID: "x", At: T0}, T0); err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
			defer cancel()
			b.ReportAllocs()
			began, n := used(b), 0
			for ; b.Loop(); n++ {
				if u, err := s.UsageByKey(ctx, "a", "hash-l", "x"); err != nil || !u.Activated {
					b.Fatal(u, err)
				}
			}
			b.ReportMetric(float64((used(b)-began).Nanoseconds())/1000/float64(n), "cpu-µs/op")
		})
	}
}

// used returns the processor time of this process.
func used(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
