package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
	"stoa/internal/testkit/goldentest"
)

// moderation is a shop with an administrator and a review by ada.
func moderation(t *testing.T,
	a *testkit.App,
) (ada, root testkit.Tokens, id string, admin func(method, path, body string) testkit.Response) {
	t.Helper()
	a.ImportCatalog(t)
	ada, root = a.Register(t, "ada"), a.Admin(t, "root")
	a.BuyKey(t, ada.Access, "once")
	id = a.Review(t, ada.Access, `{"rating":1,"title":"Rude","text":"words"}`, http.StatusCreated).Text(t, "id")
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

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		ada, root, id, admin := moderation(t, a)
		bob := a.Register(t, "bob")
		a.BuyKey(t, bob.Access, "once")
		a.Clock.Advance(time.Second)
		a.Review(t, bob.Access, `{"rating":5}`, http.StatusCreated)
		a.WantRating(t, 4.29, 14)

		goldentest.JSON(t, "admin_review", admin(http.MethodPatch, "/reviews/"+id, `{"hidden":true}`).Body)
		admin(http.MethodPatch, "/reviews/"+id, `{"hidden":true}`) // changes nothing
		a.WantRating(t, 4.54, 13)
		if got := a.ListReviews(t, ""); got != "bob 5 <nil>" {
			t.Errorf("reviews = %s", got)
		}
		for query, want := range map[string]string{
			"": "bob ada", "?hidden=true": "ada", "?hidden=false": "bob",
			"?product=mail-pack": "bob ada", "?product=bare": "", "?product=nope": "",
			"?product=mail-pack&hidden=true&limit=1": "ada", "?limit=1&page=2": "ada", "?page=3": "",
			"?q=RUDE": "ada", "?q=bo": "bob", "?q=mail-p&limit=1&page=2": "ada", "?q=%25": "", "?q=rude&hidden=false": "",
			"?q=" + strings.Repeat("a", 200): "", "?sort=rating": "ada bob", "?sort=-rating": "bob ada", "?sort=created": "ada bob",
		} {
			var authors []string
			for _, item := range admin(http.MethodGet, "/reviews"+query, "").Get(t, "data.items").([]any) {
				authors = append(authors, item.(map[string]any)["author"].(string))
			}
			if got := strings.Join(authors, " "); got != want {
				t.Errorf("reviews%s = %s, want %s", query, got, want)
			}
		}
		for _, query := range []string{"?q=" + strings.Repeat("a", 201), "?q=%00", "?sort=author"} {
			testkit.WantError(t, a.Do(t, testkit.Get(root.Access, "/api/v1/admin/reviews"+query)),
				http.StatusBadRequest, "VALIDATION_ERROR")
		}
		admin(http.MethodPatch, "/reviews/"+id, `{"hidden":false}`)
		a.WantRating(t, 4.29, 14)
		admin(http.MethodDelete, "/reviews/"+id, "")
		a.WantRating(t, 4.54, 13)
		a.Review(t, ada.Access, `{"rating":3}`, http.StatusCreated)

		log := admin(http.MethodGet, "/audit?target=review:"+id, "")
		var got []string
		for _, item := range log.Get(t, "data.items").([]any) {
			e := item.(map[string]any)
			got = append(got,
				fmt.Sprint(e["action"], " ", e["actor"].(map[string]any)["id"] == root.UserID, " ", e["details"]))
		}
		about := " true map[product:mail-pack rating:1 userId:" + ada.UserID + "]"
		if diff := cmp.Diff([]string{
			"review.delete" + about, "review.show" + about, "review.hide" + about,
		}, got); diff != "" {
			t.Errorf("audit log (-want +got):\n%s", diff)
		}
		if strings.Contains(string(log.Body), "Rude") {
			t.Error("the audit log contains the text of the review")
		}
	})
}

// An author cannot bring a hidden review back, neither by writing it again nor
// by deleting it first.
func TestAnAuthorCannotUndoHiding(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		ada, _, id, admin := moderation(t, a)
		admin(http.MethodPatch, "/reviews/"+id, `{"hidden":true}`)
		res := a.Review(t, ada.Access, `{"rating":1,"title":"Still rude"}`, http.StatusOK)
		if res.Get(t, "hidden") != true || res.Text(t, "id") != id {
			t.Errorf("written again = %s", res.Body)
		}
		testkit.WantFlatError(t, a.Do(t, testkit.Delete(ada.Access, testkit.Reviews)), 409, "CONFLICT")
		if got := a.ListReviews(t, ""); got != "" {
			t.Errorf("reviews = %s", got)
		}
		a.WantRating(t, 4.5, 12)
	})
}
