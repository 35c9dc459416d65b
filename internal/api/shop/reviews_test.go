package shop_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/testkit"
	"stoa/internal/testkit/goldentest"
)

func TestABuyerReviews(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
		a.BuyKey(t, ada.Access, "monthly")
		a.BuyKey(t, bob.Access, "free")
		goldentest.JSON(t, "market_reviews_none", a.Fetch(t, testkit.Reviews).Body)

		first := a.Review(t, ada.Access, `{"rating":5,"title":" Good ","text":"It\nsends.","unknown":1}`,
			http.StatusCreated)
		goldentest.JSON(t, "market_review", first.Body)
		a.WantRating(t, 4.54, 13)            // (4.5 × 12 + 5) / 13
		a.Clock.Advance(40 * 24 * time.Hour) // the term of ada's license has ended
		ada = a.Login(t, "ada")
		a.Review(t, a.Login(t, "bob").Access, `{"rating":1,"title":"Bad"}`, http.StatusCreated)
		a.WantRating(t, 4.29, 14)
		a.Clock.Advance(time.Hour)
		again := a.Review(t, ada.Access, `{"rating":2}`, http.StatusOK)
		a.WantRating(t, 4.07, 14)
		for _, name := range []string{"id", "createdAt"} {
			if first.Text(t, name) != again.Text(t, name) {
				t.Errorf("%s was %s, is %s", name, first.Text(t, name), again.Text(t, name))
			}
		}
		if first.Text(t, "updatedAt") >= again.Text(t, "updatedAt") {
			t.Errorf("updatedAt was %s, is %s", first.Text(t, "updatedAt"), again.Text(t, "updatedAt"))
		}
		if got, want := a.ListReviews(t, ""), "bob 1 Bad, ada 2 <nil>"; got != want {
			t.Errorf("reviews = %s, want %s", got, want)
		}
		if got, want := a.ListReviews(t, "?page=2&limit=1"), "ada 2 <nil>"; got != want {
			t.Errorf("page 2 = %s, want %s", got, want)
		}
		if got := a.ListReviews(t, "?page=9223372036854775807&limit=100"); got != "" {
			t.Errorf("the last page of all = %s", got)
		}

		// The catalog changes its figures: reviews are kept.
		fsys := fstest.MapFS{
			"c.yaml":   {Data: []byte(strings.Replace(testkit.Catalog, "rating: 4.5", "rating: 3", 1))},
			"mail.svg": {Data: []byte(testkit.SVG)},
		}
		if res, err := a.Catalog.Import(t.Context(), fsys, "c.yaml"); err != nil || res.Updated != 1 {
			t.Fatalf("Import = %+v, %v", res, err)
		}
		a.WantRating(t, 2.79, 14) // (3 × 12 + 3) / 14

		withdraw := testkit.Delete(ada.Access, testkit.Reviews)
		if res := a.Do(t, withdraw); res.Status != http.StatusOK || res.Get(t, "success") != true {
			t.Errorf("delete = %d %s", res.Status, res.Body)
		}
		a.WantRating(t, 2.85, 13)
		testkit.WantFlatError(t, a.Do(t, withdraw), 404, "NOT_FOUND")
		a.Review(t, ada.Access, `{"rating":4}`, http.StatusCreated)
	})
}

// Only holders of a paid license may review.
func TestOnlyHoldersOfALicenseReview(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		p, err := a.Catalog.Published(t.Context(), "mail-pack")
		if err != nil {
			t.Fatal(err)
		}
		give := func(id string, change func(*license.License)) {
			t.Helper()
			l := license.License{
				ID: id, ProductID: p.ID, UserID: ada.UserID, KeyHash: id,
				Type: license.Perpetual, MaxInstances: 1, Paid: true, CreatedAt: testkit.T0,
			}
			change(&l)
			if err := a.Orders.Store.CreateLicense(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		refused := func(why string) {
			t.Helper()
			res := a.Review(t, ada.Access, `{"rating":5}`, http.StatusForbidden)
			if res.Text(t, "error") != "FORBIDDEN" {
				t.Errorf("%s: %s", why, res.Body)
			}
		}
		refused("no license")
		a.BuyKey(t, "", "once")
		refused("a license of nobody")
		give("unpaid", func(l *license.License) { l.Paid = false })
		refused("an unpaid license")
		give("revoked", func(l *license.License) { l.RevokedAt = testkit.T0 })
		refused("a revoked license")
		give("foreign", func(l *license.License) { l.UserID = "other" })
		refused("somebody else's license")
		res := a.Do(t,
			testkit.Post(ada.Access, testkit.Products+"/bare/purchase", `{"tierId":"only","paymentMethod":"x"}`))
		if res.Status != http.StatusOK {
			t.Fatalf("purchase = %d", res.Status)
		}
		refused("a license of another product")
		a.WantRating(t, 4.5, 12)
		give("expired", func(l *license.License) { l.ExpiresAt = testkit.T0 })
		a.Review(t, ada.Access, `{"rating":5}`, http.StatusCreated)
	})
}
