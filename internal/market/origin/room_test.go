package origin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/extension"
	"stoa/internal/market/terms"
	"stoa/internal/shop/release"
	"stoa/internal/testkit/needtest"
)

// offer returns a release with a long list of permissions.
func offer(i int) Offer {
	return Offer{ProductSlug: "pack", Release: release.Release{
		Kind: extension.Plugin, Slug: "mailer", Version: fmt.Sprintf("1.%d.0", i), ZipHash: strings.Repeat("0f", 32),
		SignedBy: "acme", SignerKey: strings.Repeat("A", 43) + "=", Size: 1 << 20, PublishedAt: time.Unix(1_900_000_000, 0),
		Needs: extension.Needs{Permissions: []string{"orders:read", "network:" + strings.Repeat("a", 100) + ".example"}},
	}}
}

// most returns the largest n for which fits returns nil; what it returns beyond must be ErrFull.
func most(t *testing.T, limit int, fits func(n int) error) int {
	t.Helper()
	low, high := 0, limit
	for low < high {
		mid := (low + high + 1) / 2
		err := fits(mid)
		switch {
		case err == nil:
			low = mid
		case errors.Is(err, ErrFull):
			high = mid - 1
		default:
			t.Fatal(err)
		}
	}
	if low == 0 || low == limit {
		t.Fatalf("no limit up to %d", limit)
	}
	return low
}

// What fits makes a file of at most 1 MiB, and one version more does not.
func TestAProductHasAsManyVersionsAsOthersRead(t *testing.T) {
	t.Parallel()

	offers := make([]Offer, 4000)
	for i := range offers {
		offers[i] = offer(i)
	}
	n := most(t, len(offers), func(n int) error { return roomForProduct("pack", offers[:n]) })
	for count, fits := range map[int]bool{n: true, n + 1: false} {
		ts, err := ofProduct(offers[:count])
		if err != nil {
			t.Fatal(err)
		}
		file, err := targetsFile("p-pack", ts, nil, terms.NextVersion(0, time.Unix(1_900_000_000, 0)), time.Unix(1_900_000_000, 0), measured)
		if err != nil || (len(file) <= terms.MaxMetadata) != fits {
			t.Errorf("%d versions: %d bytes, %v", count, len(file), err)
		}
	}
	t.Logf("a product has room for %d versions", n)
}

func TestAMarketHasAsManyProductsAsOthersRead(t *testing.T) {
	t.Parallel()

	slugs := make([]string, 20_000)
	for i := range slugs {
		slugs[i] = fmt.Sprintf("product-with-a-name-%05d", i)
	}
	room := func(n int) error { return roomForProducts(slices.Clone(slugs[:n])) }
	if err := room(5000); err != nil {
		t.Errorf("there is no room for 5000 products: %v", err)
	}
	if err := room(len(slugs)); !errors.Is(err, ErrFull) {
		t.Errorf("there is room for %d products: %v", len(slugs), err)
	}
	if needtest.Proving() {
		t.Logf("a market has room for %d products", most(t, len(slugs), room))
	}
}
