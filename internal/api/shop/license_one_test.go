package shop_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// One license is what the list has of it, for its owner alone.
func TestOwnersSeeOneOfTheirLicenses(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
		a.Order(t, ada.Access, "once", "")
		a.Order(t, ada.Access, "yearly", "")
		list, _ := a.Do(t, testkit.Get(ada.Access, ownLicenses)).Get(t, "licenses").([]any)
		if len(list) != 2 {
			t.Fatalf("licenses = %v, want 2", list)
		}
		for _, one := range list {
			entry, _ := one.(map[string]any)
			id, _ := entry["id"].(string)
			res := a.Do(t, testkit.Get(ada.Access, ownLicenses+"/"+id))
			if diff := cmp.Diff(entry, res.JSON(t)); res.Status != http.StatusOK || diff != "" {
				t.Errorf("the license = %d (-list +one):\n%s", res.Status, diff)
			}
			testkit.WantFlatError(t, a.Do(t, testkit.Get(bob.Access, ownLicenses+"/"+id)), http.StatusNotFound, "NOT_FOUND")
			testkit.WantFlatError(t, a.Do(t, testkit.Get("", ownLicenses+"/"+id)), http.StatusUnauthorized, "UNAUTHORIZED")
		}
		testkit.WantFlatError(t, a.Do(t, testkit.Get(ada.Access, ownLicenses+"/nothing")), http.StatusNotFound, "NOT_FOUND")
	})
}
