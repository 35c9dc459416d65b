package shop_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

const ordersPath = "/api/marketplace/orders/"

// Only its owner sees an order, with the key.
func TestOwnersReadOneOrder(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
		bought, guest := a.Buy(t, ada.Access, "once"), a.Order(t, "", "once", "guest@example.com")
		id := bought.Text(t, "orderId")
		res := a.Do(t, testkit.Get(ada.Access, ordersPath+id))
		if res.Status != http.StatusOK || res.Text(t, "id") != id ||
			res.Text(t, "licenseKey") != bought.Text(t, "licenseKey") || res.Text(t, "status") != "paid" {
			t.Errorf("the owner gets %d, %s", res.Status, res.Body)
		}
		for _, other := range []string{ordersPath + guest.Text(t, "orderId"), ordersPath + "nothing", ordersPath + "%00"} {
			testkit.WantFlatError(t, a.Do(t, testkit.Get(ada.Access, other)), http.StatusNotFound, "NOT_FOUND")
		}
		testkit.WantFlatError(t, a.Do(t, testkit.Get(bob.Access, ordersPath+id)), http.StatusNotFound, "NOT_FOUND")
		if res := a.Do(t, testkit.Get("", ordersPath+id)); res.Status != http.StatusUnauthorized {
			t.Errorf("a guest gets %d", res.Status)
		}
	})
}

// A guest who comes back from paying proves the order with the key that the purchase
// answered. The key shows nothing of the bill, and opens no order of an account.
func TestGuestsReadTheirOrderWithItsKey(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		owned := a.Buy(t, ada.Access, "once")
		guest, other := a.Order(t, "", "once", "guest@example.com"), a.Order(t, "", "once", "guest@example.com")
		ask := func(order, key testkit.Response) testkit.Response {
			t.Helper()
			return a.Do(t, testkit.Post("", ordersPath+order.Text(t, "orderId")+"/lookup",
				map[string]any{"licenseKey": key.Text(t, "licenseKey")}))
		}
		res := ask(guest, guest)
		if res.Status != http.StatusOK || res.Text(t, "status") != "paid" || res.Text(t, "id") != guest.Text(t, "orderId") {
			t.Errorf("a guest gets %d, %s", res.Status, res.Body)
		}
		if body := string(res.Body); strings.Contains(body, "guest@") || strings.Contains(body, "billingInfo") {
			t.Errorf("the bill is shown: %s", body)
		}
		testkit.WantFlatError(t, ask(guest, other), http.StatusNotFound, "NOT_FOUND")
		testkit.WantFlatError(t, ask(owned, owned), http.StatusNotFound, "NOT_FOUND")
		for _, body := range []string{`{}`, `{"licenseKey":7}`} {
			res := a.Do(t, testkit.Post("", ordersPath+guest.Text(t, "orderId")+"/lookup", body))
			if res.Status != http.StatusBadRequest {
				t.Errorf("%s = %d", body, res.Status)
			}
		}
		bad := a.Do(t, testkit.Post("", ordersPath+guest.Text(t, "orderId")+"/lookup", `{"licenseKey":"STOA-1"}`))
		testkit.WantFlatError(t, bad, http.StatusNotFound, "NOT_FOUND")
	})
}
