package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// An unknown filter that was ignored would show everything.
func TestListsRefuseUnknownParameters(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	admin := a.Admin(t, "root").Access
	for _, list := range []string{"orders", "licenses", "users", "audit", "reviews", "products", "extensions"} {
		res := a.Do(t, testkit.Get(admin, "/api/v1/admin/"+list+"?orderId=x&limit=5&page=1"))
		if got := testkit.IssuePaths(t, res); res.Status != http.StatusBadRequest || got != "orderId" {
			t.Errorf("%s?orderId=x = %d %q, want 400 for orderId", list, res.Status, got)
		}
	}
	// A catalog's visitor is not an administrator.
	if res := a.Fetch(t, testkit.Products+"?utm_source=mail"); res.Status != http.StatusOK {
		t.Errorf("the public list = %d, want 200", res.Status)
	}
}

func TestAdministratorsSearch(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		admin := a.Admin(t, "root").Access
		user := a.Send(t, "/auth/register",
			map[string]any{"email": "Grace@navy.example", "username": "grace", "password": "secret1"})
		bought := a.Buy(t, user.Text(t, "data.access_token"), "once")
		other := a.Order(t, "", "yearly", "Ada@lovelace.example")
		a.Refund(t, admin, bought.Text(t, "orderId"))

		total := func(list, q string) any {
			t.Helper()
			return a.Do(t, testkit.Get(admin, "/api/v1/admin/"+list+"?q="+url.QueryEscape(q))).Get(t, "data.pagination.total")
		}
		tail := func(res testkit.Response) string {
			key := res.Text(t, "licenseKey")
			return key[strings.LastIndexByte(key, '-')+1:]
		}
		license := a.Do(t, testkit.Get(admin, "/api/v1/admin/orders?q="+other.Text(t, "orderId"))).Get(t,
			"data.items").([]any)[0].(map[string]any)["licenseId"].(string)
		for _, tt := range []struct {
			list, q string
			want    float64
		}{
			{"orders", "NAVY", 1},
			{"orders", "lovelace", 1},
			{"orders", "mail-pa", 2},
			{"orders", "%", 0},
			{"orders", "zzz", 0},
			{"orders", other.Text(t, "orderId")[3:12], 1},
			{"orders", license, 1},
			{"orders", strings.ToLower(tail(bought)), 1},
			{"orders", tail(other), 1},
			{"orders", tail(other)[1:], 0},
			{"licenses", "navy", 1},
			{"licenses", "Lovelace", 1},
			{"licenses", "MAIL-", 2},
			{"licenses", license[2:], 1},
			{"licenses", tail(other), 1},
			{"licenses", other.Text(t, "orderId"), 1},
			{"users", "grace@", 1},
			{"users", user.Text(t, "data.user.id")[4:], 1},
			{"users", tail(bought), 1},
			{"orders", "@l", 1},
			{"licenses", "@l", 1},
			{"users", "@n", 1},
			{"audit", "t@", 2},
			{"audit", "root@", 2},
			{"audit", bought.Text(t, "orderId"), 1},
			{"audit", "nobody", 0},
		} {
			if got := total(tt.list, tt.q); got != tt.want {
				t.Errorf("%s?q=%s finds %v, want %v", tt.list, tt.q, got, tt.want)
			}
		}
		res := a.Do(t, testkit.Get(admin, "/api/v1/admin/licenses?q=%00"))
		if got := testkit.IssuePaths(t, res); got != "q" {
			t.Errorf("a control character = %d %q, want a fault of q", res.Status, got)
		}
	})
}
