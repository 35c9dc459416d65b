package store_test

import (
	"testing"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/product"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/seal"
)

// Licenses that are older than the search get the last group of their key.
func TestOldLicensesGetTheirTails(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, url)
		master, err := seal.ParseKey(seal.GenerateKey())
		if err != nil {
			t.Fatal(err)
		}
		vault := license.NewVault(seal.NewKeys(master))
		no := false
		if _, err := db.Conn().Write.ExecContext(t.Context(), `INSERT INTO products (id, slug, name, name_sort, search_text, description, short_description, icon,
				category, screenshots, highlights, pricing_type, price_minor, price_currency, price_rank, rating, review_count,
				download_base, download_count, featured, trending, published, detail, created_at_ms, updated_at_ms)
			VALUES ('p', 'p', '', '', '', '', '', '', '', '[]', '[]', 'paid', 1, 'EUR', 1, 0, 0, 0, 0, $1, $1, $1, '{}', 1, 1)`, no); err != nil {
			t.Fatal(err)
		}
		s := store.NewLicenses(db)
		good, key := vault.Issue("p", product.Tier{ID: "t", MaxInstances: 1}, "u", time.UnixMilli(1))
		bad, _ := vault.Issue("p", product.Tier{ID: "t", MaxInstances: 1}, "u", time.UnixMilli(1))
		good.KeyTail, bad.KeyTail, bad.KeySealed = "", "", "damaged"
		for _, l := range []license.License{good, bad} {
			if err := s.CreateLicense(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := vault.FillTails(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		found, total, err := s.ListLicenses(t.Context(), license.Query{Search: key.Tail(), Limit: 10})
		if err != nil || total != 1 || found[0].License.ID != good.ID {
			t.Errorf("ListLicenses by %s = %v, %d, %v; want %s", key.Tail(), found, total, err, good.ID)
		}
	})
}
