package admin_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// A draft is saved with a name and an address. Publishing names everything that it lacks, and
// nobody else sees it before.
func TestADraftIsSavedHalfDone(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		draft := map[string]any{
			"slug": "begun", "name": "Begun", "published": false,
			"pricingTiers": []any{map[string]any{"id": "pro", "name": "", "currency": "EUR"}},
		}
		made := manage(t, a, admin, http.MethodPost, managed, draft, http.StatusCreated)
		tier := made.Get(t, "data.pricingTiers").([]any)[0].(map[string]any)
		if _, priced := tier["price"]; priced || tier["currency"] != "EUR" {
			t.Errorf("the tier has no price yet: %v", tier)
		}
		lacks := len(made.Get(t, "data.lacks").([]any))
		if lacks != 6 { // four texts, the tier's name and its price
			t.Errorf("lacks = %s", made.Body)
		}
		manage(t, a, admin, http.MethodGet, managed+"/begun/preview", nil, http.StatusOK)

		refused := manage(t, a, admin, http.MethodPatch, managed+"/begun", map[string]any{"published": true},
			http.StatusBadRequest)
		if got := refused.Get(t, "error.details.issues").([]any); len(got) != lacks {
			t.Errorf("publishing names %v", got)
		}
		if res := a.Fetch(t, testkit.Products+"/begun"); res.Status != http.StatusNotFound {
			t.Errorf("the draft's page = %d", res.Status)
		}
		if res := a.Fetch(t, testkit.Products); len(res.Get(t, "products").([]any)) != 0 {
			t.Errorf("the list holds the draft: %s", res.Body)
		}

		done := manage(t, a, admin, http.MethodPatch, managed+"/begun", map[string]any{
			"published": true, "category": "c", "shortDescription": "s", "description": "d", "icon": "/i.svg",
			"pricingTiers": []any{map[string]any{"id": "pro", "name": "Pro", "price": 0, "currency": "EUR"}},
		}, http.StatusOK)
		if _, lacking := done.Get(t, "data").(map[string]any)["lacks"]; lacking {
			t.Errorf("a published product lacks nothing: %s", done.Body)
		}
	})
}
