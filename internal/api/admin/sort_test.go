package admin_test

import (
	"net/http"
	"slices"
	"testing"

	"stoa/internal/account"
	"stoa/internal/message/webhook"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/testkit"
	"stoa/internal/trust/audit"
)

// Each list takes the orders that the API describes and refuses all others.
func TestListsAreSorted(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	root := a.Admin(t, "root").Access
	a.Register(t, "ada")
	a.Register(t, "zoe")
	for list, sorts := range map[string][]string{
		"users": account.UserSorts, "orders": order.Sorts, "licenses": license.Sorts, "audit": audit.Sorts,
		"webhooks": webhook.Sorts,
	} {
		for _, sort := range sorts {
			res := a.Do(t, testkit.Get(root, "/api/v1/admin/"+list+"?limit=2&sort="+sort))
			if res.Status != http.StatusOK {
				t.Errorf("%s by %s = %d, %s", list, sort, res.Status, res.Body)
			}
		}
		res := a.Do(t, testkit.Get(root, "/api/v1/admin/"+list+"?sort=password_hash"))
		if res.Status != http.StatusBadRequest || testkit.IssuePaths(t, res) != "sort" {
			t.Errorf("%s by another column = %d, %s", list, res.Status, res.Body)
		}
	}
	for sort, want := range map[string][]string{"email": {"ada", "root", "zoe"}, "-email": {"zoe", "root", "ada"}} {
		if got := emails(t, a.Do(t, testkit.Get(root, "/api/v1/admin/users?sort="+sort))); !slices.Equal(got, want) {
			t.Errorf("users by %s = %q, want %q", sort, got, want)
		}
	}
}
