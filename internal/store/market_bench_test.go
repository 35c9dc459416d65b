package store_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/market/origin"
	"stoa/internal/market/terms"
	"stoa/internal/shop/license"
	"stoa/internal/shop/release"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/keyring"
	"stoa/internal/trust/seal"
)

// bigMarket returns the market of a database with 5,000 products, and what publishes a version of one of them.
func bigMarket(
	b *testing.B, db *database.DB, now func() time.Time,
) (s *origin.Service, publish func(i int, version string)) {
	b.Helper()
	ctx := b.Context()
	products, releases := store.NewProducts(db), store.NewReleases(db)
	publish = func(i int, version string) {
		slug := fmt.Sprintf("product-with-a-name-%05d", i)
		r := releaseOf(slug, fmt.Sprintf("pack-%05d", i), version)
		r.ZipHash, r.SignerKey = strings.Repeat("0f", 32), strings.Repeat("A", 43)+"="
		r.Needs = extension.Needs{Permissions: []string{"orders:read", "products:read", "network:api.example.com"}}
		if err := releases.Create(ctx, r); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 5000 {
		if err := products.CreateProduct(ctx, Product(fmt.Sprintf("product-with-a-name-%05d", i))); err != nil {
			b.Fatal(err)
		}
		publish(i, "1.0.0")
	}
	key, err := seal.ParseKey(seal.GenerateKey())
	if err != nil {
		b.Fatal(err)
	}
	ring := func(p keyring.Purpose) *keyring.Ring {
		r := &keyring.Ring{Store: store.NewKeyring(db), Purpose: p, Box: key.Box(p.Box()), Now: now}
		if err := r.Init(ctx); err != nil {
			b.Fatal(err)
		}
		return r
	}
	s = &origin.Service{
		Store: store.NewMarket(db), Ring: ring(origin.KeyPurpose), LicenseKeys: ring(license.KeyPurpose),
		Name: func(context.Context) (string, error) { return "Shop", nil }, URL: "https://shop.example", PlatformID: "p",
		Now: now, Log: slog.New(slog.DiscardHandler),
	}
	root := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	if _, err := s.Init(ctx, []ed25519.PrivateKey{root}, 1); err != nil {
		b.Fatal(err)
	}
	return s, publish
}

// A market with 5,000 products: what it takes to sign all of it, to find that nothing changed, and to sign what follows
// from one publication; and how large its files are.
func BenchmarkMarketOf5000Products(b *testing.B) {
	ctx, now := b.Context(), T0
	db := dbtest.Open(b, dbtest.SQLite(b))
	releases := store.NewReleases(db)
	s, publish := bigMarket(b, db, func() time.Time { return now })
	metrics := make(map[string]float64)
	timed := func(name string, do func() error) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		metrics[name+"-ms"] = float64(took.Microseconds()) / 1000
		metrics[name+"-alloc-MiB"] = float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
	}
	sync := func() error { return s.Sync(ctx) }
	timed("all", sync)
	timed("nothing", sync)
	publish(7, "1.1.0")
	now = now.Add(time.Second)
	timed("one", sync)
	var carriers int
	timed("fits", func() error {
		return releases.InTx(ctx, func(tx release.Store) error {
			list, err := tx.Carriers(ctx)
			carriers = len(list)
			r := releaseOf("product-with-a-name-00001", "new", "9.0.0")
			r.ZipHash = strings.Repeat("0f", 32)
			if err != nil {
				return err
			}
			return s.Fits(ctx, tx, "one-more", r)
		})
	})
	if carriers != 5000 {
		b.Fatal(carriers)
	}
	for role, name := range map[string]string{
		terms.Timestamp: "timestamp", terms.Snapshot: "snapshot", terms.Targets: "targets", terms.RoleOf("product-with-a-name-00007"): "role",
	} {
		m, err := s.Store.Metadata(ctx, role, 0)
		if err != nil {
			b.Fatal(err)
		}
		metrics[name+"-bytes"] = float64(len(m.Content))
	}
	for b.Loop() {
		if _, err := s.File(ctx, "timestamp.json"); err != nil {
			b.Fatal(err)
		}
	}
	for name, value := range metrics {
		b.ReportMetric(value, name)
	}
}
