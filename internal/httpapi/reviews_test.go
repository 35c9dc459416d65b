package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market"
	"stoa/internal/testkit"
	"stoa/internal/testkit/goldentest"
)

const mailReviews = testkit.Products + "/mail-pack/reviews"

// review writes a review of mail-pack, which must be answered with want.
func review(tb testing.TB, a *testkit.App, user testkit.Tokens, body string, want int) testkit.Response {
	tb.Helper()
	res := a.Do(tb, testkit.Request{Method: http.MethodPost, Path: mailReviews, Token: user.Access, Body: body})
	if res.Status != want {
		tb.Errorf("review %s = %d %s, want %d", body, res.Status, res.Body, want)
	}
	return res
}

// wantRating checks what the list and the page of mail-pack show, where the
// catalogue says 4.5 of 12.
func wantRating(tb testing.TB, a *testkit.App, rating float64, count int) {
	tb.Helper()
	for _, shown := range []any{a.Fetch(tb, testkit.Products+"/mail-pack").JSON(tb), a.Fetch(tb, testkit.Products).JSON(tb)["products"].([]any)[0]} {
		p := shown.(map[string]any)
		if p["rating"] != rating || p["reviewCount"] != float64(count) {
			tb.Errorf("shown: %v of %v, want %v of %d", p["rating"], p["reviewCount"], rating, count)
		}
	}
}

// listed returns the public reviews of mail-pack as "author rating title".
func listed(tb testing.TB, a *testkit.App, query string) string {
	tb.Helper()
	var out []string
	for _, r := range a.Fetch(tb, mailReviews+query).JSON(tb)["reviews"].([]any) {
		r := r.(map[string]any)
		out = append(out, fmt.Sprint(r["author"], " ", r["rating"], " ", r["title"]))
	}
	return strings.Join(out, ", ")
}

func TestABuyerReviews(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
		a.BuyKey(t, ada.Access, "monthly")
		a.BuyKey(t, bob.Access, "free")
		goldentest.JSON(t, "market_reviews_none", a.Fetch(t, mailReviews).Body)

		first := review(t, a, ada, `{"rating":5,"title":" Good ","text":"It\nsends.","unknown":1}`, http.StatusCreated)
		goldentest.JSON(t, "market_review", first.Body)
		wantRating(t, a, 4.54, 13)           // (4.5 × 12 + 5) / 13
		a.Clock.Advance(40 * 24 * time.Hour) // the term of ada's licence has ended
		ada = a.Login(t, "ada")
		review(t, a, a.Login(t, "bob"), `{"rating":1,"title":"Bad"}`, http.StatusCreated)
		wantRating(t, a, 4.29, 14)
		a.Clock.Advance(time.Hour)
		again := review(t, a, ada, `{"rating":2}`, http.StatusOK)
		wantRating(t, a, 4.07, 14)
		for _, name := range []string{"id", "createdAt"} {
			if first.Text(t, name) != again.Text(t, name) {
				t.Errorf("%s was %s, is %s", name, first.Text(t, name), again.Text(t, name))
			}
		}
		if first.Text(t, "updatedAt") >= again.Text(t, "updatedAt") {
			t.Errorf("updatedAt was %s, is %s", first.Text(t, "updatedAt"), again.Text(t, "updatedAt"))
		}
		if got, want := listed(t, a, ""), "bob 1 Bad, ada 2 <nil>"; got != want {
			t.Errorf("reviews = %s, want %s", got, want)
		}
		if got, want := listed(t, a, "?page=2&limit=1"), "ada 2 <nil>"; got != want {
			t.Errorf("page 2 = %s, want %s", got, want)
		}
		if got := listed(t, a, "?page=9223372036854775807&limit=100"); got != "" {
			t.Errorf("the last page of all = %s", got)
		}

		// The catalogue changes its numbers: reviews are kept.
		fsys := fstest.MapFS{"c.yaml": {Data: []byte(strings.Replace(testkit.Catalog, "rating: 4.5", "rating: 3", 1))}, "mail.svg": {Data: []byte(testkit.SVG)}}
		if res, err := a.Market.Import(t.Context(), fsys, "c.yaml"); err != nil || res.Updated != 1 {
			t.Fatalf("Import = %+v, %v", res, err)
		}
		wantRating(t, a, 2.79, 14) // (3 × 12 + 3) / 14

		withdraw := testkit.Request{Method: http.MethodDelete, Path: mailReviews, Token: ada.Access}
		if res := a.Do(t, withdraw); res.Status != http.StatusOK || res.Get(t, "success") != true {
			t.Errorf("delete = %d %s", res.Status, res.Body)
		}
		wantRating(t, a, 2.85, 13)
		testkit.WantFlatError(t, a.Do(t, withdraw), 404, "NOT_FOUND")
		review(t, a, ada, `{"rating":4}`, http.StatusCreated)
	})
}

// Reviews are of those who have the product.
func TestOnlyHoldersOfALicenseReview(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		p, err := a.Market.Get(t.Context(), "mail-pack")
		if err != nil {
			t.Fatal(err)
		}
		give := func(id string, change func(*market.License)) {
			t.Helper()
			l := market.License{ID: id, ProductID: p.ID, UserID: ada.UserID, KeyHash: id, Type: market.Perpetual, MaxInstances: 1, Paid: true, CreatedAt: testkit.T0}
			change(&l)
			if err := a.Market.Sales.CreateLicense(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		refused := func(why string) {
			t.Helper()
			if res := review(t, a, ada, `{"rating":5}`, http.StatusForbidden); res.Text(t, "error") != "FORBIDDEN" {
				t.Errorf("%s: %s", why, res.Body)
			}
		}
		refused("no licence")
		a.BuyKey(t, "", "once")
		refused("a licence of nobody")
		give("unpaid", func(l *market.License) { l.Paid = false })
		refused("an unpaid licence")
		give("revoked", func(l *market.License) { l.RevokedAt = testkit.T0 })
		refused("a revoked licence")
		give("foreign", func(l *market.License) { l.UserID = "other" })
		refused("somebody else's licence")
		res := a.Do(t, testkit.Request{Method: http.MethodPost, Path: testkit.Products + "/bare/purchase", Token: ada.Access, Body: `{"tierId":"only","paymentMethod":"x"}`})
		if res.Status != http.StatusOK {
			t.Fatalf("purchase = %d", res.Status)
		}
		refused("a licence of another product")
		wantRating(t, a, 4.5, 12)
		give("expired", func(l *market.License) { l.ExpiresAt = testkit.T0 })
		review(t, a, ada, `{"rating":5}`, http.StatusCreated)
	})
}

func TestReviewRefusals(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	ada, root := a.Register(t, "ada"), a.Admin(t, "root")
	a.BuyKey(t, ada.Access, "free")

	tests := []struct {
		name, slug, body string
		status           int
		code, issues     string
	}{
		{"nothing", "mail-pack", `{}`, 400, "VALIDATION_ERROR", "rating"},
		{"every fault at once", "mail-pack", `{"rating":0,"title":"a\nb","text":"\u0000"}`, 400, "VALIDATION_ERROR", "rating title text"},
		{"wrong types", "mail-pack", `{"rating":"5","title":5,"text":[]}`, 400, "VALIDATION_ERROR", "rating title text"},
		{"half a star", "mail-pack", `{"rating":4.5}`, 400, "VALIDATION_ERROR", "rating"},
		{"six stars", "mail-pack", `{"rating":6}`, 400, "VALIDATION_ERROR", "rating"},
		{"a title too long", "mail-pack", `{"rating":5,"title":"` + strings.Repeat("ä", 201) + `"}`, 400, "VALIDATION_ERROR", "title"},
		{"a text too long", "mail-pack", `{"rating":5,"text":"` + strings.Repeat("ä", 5001) + `"}`, 400, "VALIDATION_ERROR", "text"},
		{"unknown product", "nope", `{"rating":5}`, 404, "NOT_FOUND", ""},
		{"unpublished product", "hidden", `{"rating":5}`, 404, "NOT_FOUND", ""},
		{"as long as can be", "mail-pack", `{"rating":5,"title":" ` + strings.Repeat("ä", 200) + ` ","text":"` + strings.Repeat("ä", 5000) + `"}`, 201, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			res := a.Do(t, testkit.Request{Method: http.MethodPost, Path: testkit.Products + "/" + tt.slug + "/reviews", Token: ada.Access, Body: tt.body})
			if tt.code == "" && res.Status == tt.status {
				return
			}
			testkit.WantFlatError(t, res, tt.status, tt.code)
			if got := testkit.IssuePaths(t, res); got != tt.issues {
				t.Errorf("issues = %q, want %q", got, tt.issues)
			}
		})
	}
	for name, res := range map[string]testkit.Response{
		"a guest writes":  a.Send(t, mailReviews, `{"rating":5}`),
		"a guest deletes": a.Do(t, testkit.Request{Method: http.MethodDelete, Path: mailReviews}),
	} {
		if res.Status != http.StatusUnauthorized || res.Text(t, "error") != "UNAUTHORIZED" {
			t.Errorf("%s = %d %s", name, res.Status, res.Body)
		}
	}
	testkit.WantFlatError(t, a.Fetch(t, testkit.Products+"/hidden/reviews"), 404, "NOT_FOUND")
	testkit.WantFlatError(t, a.Fetch(t, mailReviews+"?page=0&limit=101"), 400, "VALIDATION_ERROR")
	testkit.WantFlatError(t, a.Do(t, testkit.Request{Method: http.MethodDelete, Path: testkit.Products + "/nope/reviews", Token: ada.Access}), 404, "NOT_FOUND")

	for _, tt := range []struct {
		method, path, token, body string
		status                    int
		code                      string
	}{
		{http.MethodGet, "", "", "", 401, "UNAUTHORIZED"},
		{http.MethodGet, "", ada.Access, "", 403, "FORBIDDEN"},
		{http.MethodGet, "?hidden=perhaps&product=%00&page=x", root.Access, "", 400, "VALIDATION_ERROR"},
		{http.MethodGet, "?hidden=1", root.Access, "", 400, "VALIDATION_ERROR"},
		{http.MethodPatch, "/nope", ada.Access, `{"hidden":true}`, 403, "FORBIDDEN"},
		{http.MethodPatch, "/nope", root.Access, `{"hidden":true}`, 404, "NOT_FOUND"},
		{http.MethodPatch, "/nope", root.Access, `{}`, 400, "VALIDATION_ERROR"},
		{http.MethodPatch, "/%00", root.Access, `{"hidden":true}`, 404, "NOT_FOUND"},
		{http.MethodDelete, "/nope", "", "", 401, "UNAUTHORIZED"},
		{http.MethodDelete, "/nope", root.Access, "", 404, "NOT_FOUND"},
	} {
		res := a.Do(t, testkit.Request{Method: tt.method, Path: "/api/v1/admin/reviews" + tt.path, Token: tt.token, Body: tt.body})
		if res.Status != tt.status || res.Text(t, "error.code") != tt.code {
			t.Errorf("%s %s %s = %d %s, want %d %s", tt.method, tt.path, tt.body, res.Status, res.Body, tt.status, tt.code)
		}
	}
}

// moderation is a shop with an administrator and a review by ada.
func moderation(t *testing.T, a *testkit.App) (ada, root testkit.Tokens, id string, admin func(method, path, body string) testkit.Response) {
	t.Helper()
	a.ImportCatalog(t)
	ada, root = a.Register(t, "ada"), a.Admin(t, "root")
	a.BuyKey(t, ada.Access, "once")
	id = review(t, a, ada, `{"rating":1,"title":"Rude","text":"words"}`, http.StatusCreated).Text(t, "id")
	return ada, root, id, func(method, path, body string) testkit.Response {
		t.Helper()
		res := a.Do(t, testkit.Request{Method: method, Path: "/api/v1/admin" + path, Token: root.Access, Body: body})
		if res.Status != http.StatusOK {
			t.Fatalf("%s %s = %d %s", method, path, res.Status, res.Body)
		}
		return res
	}
}

func TestReviewsAreModerated(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		ada, root, id, admin := moderation(t, a)
		bob := a.Register(t, "bob")
		a.BuyKey(t, bob.Access, "once")
		a.Clock.Advance(time.Second)
		review(t, a, bob, `{"rating":5}`, http.StatusCreated)
		wantRating(t, a, 4.29, 14)

		goldentest.JSON(t, "admin_review", admin(http.MethodPatch, "/reviews/"+id, `{"hidden":true}`).Body)
		admin(http.MethodPatch, "/reviews/"+id, `{"hidden":true}`) // changes nothing
		wantRating(t, a, 4.54, 13)
		if got := listed(t, a, ""); got != "bob 5 <nil>" {
			t.Errorf("reviews = %s", got)
		}
		for query, want := range map[string]string{
			"": "bob ada", "?hidden=true": "ada", "?hidden=false": "bob", "?product=mail-pack": "bob ada", "?product=bare": "", "?product=nope": "",
			"?product=mail-pack&hidden=true&limit=1": "ada", "?limit=1&page=2": "ada", "?page=3": "",
		} {
			var authors []string
			for _, item := range admin(http.MethodGet, "/reviews"+query, "").Get(t, "data.items").([]any) {
				authors = append(authors, item.(map[string]any)["author"].(string))
			}
			if got := strings.Join(authors, " "); got != want {
				t.Errorf("reviews%s = %s, want %s", query, got, want)
			}
		}
		admin(http.MethodPatch, "/reviews/"+id, `{"hidden":false}`)
		wantRating(t, a, 4.29, 14)
		admin(http.MethodDelete, "/reviews/"+id, "")
		wantRating(t, a, 4.54, 13)
		review(t, a, ada, `{"rating":3}`, http.StatusCreated)

		log := admin(http.MethodGet, "/audit?target=review:"+id, "")
		var got []string
		for _, item := range log.Get(t, "data.items").([]any) {
			e := item.(map[string]any)
			got = append(got, fmt.Sprint(e["action"], " ", e["actor"].(map[string]any)["id"] == root.UserID, " ", e["details"]))
		}
		about := " true map[product:mail-pack rating:1 userId:" + ada.UserID + "]"
		if diff := cmp.Diff([]string{"review.delete" + about, "review.show" + about, "review.hide" + about}, got); diff != "" {
			t.Errorf("audit log (-want +got):\n%s", diff)
		}
		if strings.Contains(string(log.Body), "Rude") {
			t.Error("the audit log tells what was said")
		}
	})
}

// What an administrator has hidden its author can not bring back: not by writing
// again, nor by deleting it first.
func TestAnAuthorCannotUndoHiding(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		ada, _, id, admin := moderation(t, a)
		admin(http.MethodPatch, "/reviews/"+id, `{"hidden":true}`)
		if res := review(t, a, ada, `{"rating":1,"title":"Still rude"}`, http.StatusOK); res.Get(t, "hidden") != true || res.Text(t, "id") != id {
			t.Errorf("written again = %s", res.Body)
		}
		testkit.WantFlatError(t, a.Do(t, testkit.Request{Method: http.MethodDelete, Path: mailReviews, Token: ada.Access}), 409, "CONFLICT")
		if got := listed(t, a, ""); got != "" {
			t.Errorf("reviews = %s", got)
		}
		wantRating(t, a, 4.5, 12)
	})
}
