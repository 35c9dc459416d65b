package testkit

import (
	"fmt"
	"strings"
	"testing"
)

// Reviews is the path of the reviews of mail-pack.
const Reviews = Products + "/mail-pack/reviews"

// Review writes a review of mail-pack as the user of a token. The answer's status must
// be want.
func (a *App) Review(tb testing.TB, token, body string, want int) Response {
	tb.Helper()
	res := a.Do(tb, Post(token, Reviews, body))
	if res.Status != want {
		tb.Errorf("review %s = %d %s, want %d", body, res.Status, res.Body, want)
	}
	return res
}

// ListReviews returns the public reviews of mail-pack as "author rating title".
func (a *App) ListReviews(tb testing.TB, query string) string {
	tb.Helper()
	var out []string
	for _, r := range a.Fetch(tb, Reviews+query).JSON(tb)["reviews"].([]any) {
		r := r.(map[string]any)
		out = append(out, fmt.Sprint(r["author"], " ", r["rating"], " ", r["title"]))
	}
	return strings.Join(out, ", ")
}

// WantRating checks the rating of mail-pack in the list of products and on its own page.
// Catalog states a rating of 4.5 by 12.
func (a *App) WantRating(tb testing.TB, rating float64, count int) {
	tb.Helper()
	for _, shown := range []any{
		a.Fetch(tb, Products+"/mail-pack").JSON(tb), a.Fetch(tb, Products).JSON(tb)["products"].([]any)[0],
	} {
		p := shown.(map[string]any)
		if p["rating"] != rating || p["reviewCount"] != float64(count) {
			tb.Errorf("shown: %v by %v, want %v by %d", p["rating"], p["reviewCount"], rating, count)
		}
	}
}
