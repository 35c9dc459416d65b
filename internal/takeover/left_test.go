package takeover_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/order"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/trust/audit"
)

// T30: an address that is free again.
func TestTheNextOwnerOfAnAddressFindsNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		first := w.settled(t, victims, "ada")
		bought := w.Order(t, first.Access, "once", victims)
		w.Review(t, first.Access, `{"rating":5,"title":"Good"}`, http.StatusCreated)
		asGuest := w.Order(t, "", "once", victims)
		cased := w.Order(t, "", "once", strings.ToUpper(victims))
		other := w.Order(t, "", "once", "other@example.com")
		w.until(w.left(t, first.Access, "ada"))
		w.sweep(t)

		second := w.settled(t, victims, "ada")
		if second.UserID == first.UserID {
			t.Error("the same id")
		}
		for _, list := range []string{"orders", "licenses"} {
			if res := w.Do(t, testkit.Get(second.Access, "/api/marketplace/"+list)); len(res.JSON(t)[list].([]any)) != 0 {
				t.Errorf("%s: %s", list, res.Body)
			}
		}
		before := len(w.read(t))
		w.post(t, second.Access, "/api/marketplace/orders/claim-request", nil, http.StatusAccepted)
		if got := len(w.read(t)); got != before {
			t.Errorf("%d mails that claim orders", got-before)
		}
		for _, res := range []testkit.Response{bought, asGuest, cased} {
			id := res.Text(t, "orderId")
			if res := w.Do(t, testkit.Get(second.Access, "/api/marketplace/orders/"+id)); res.Status != http.StatusNotFound {
				t.Errorf("order %s: %d %s", id, res.Status, res.Body)
			}
			if got := w.StoredOrder(t, id).UserID; got != "deleted" {
				t.Errorf("order of %s", got)
			}
			w.UseLicense(t, res.Text(t, "licenseKey")) // keys go on
		}
		if got := w.StoredOrder(t, other.Text(t, "orderId")).UserID; got != "anonymous" {
			t.Errorf("somebody else's order is of %s", got)
		}
		if got := w.ListReviews(t, ""); got != "former customer 5 Good" {
			t.Errorf("reviews: %s", got)
		}
		for _, what := range []string{"sessions", "activity"} {
			if res := w.Do(t, testkit.Get(second.Access, "/auth/"+what)); strings.Contains(string(res.Body), first.UserID) {
				t.Errorf("%s: %s", what, res.Body)
			}
		}
	})
}

// A request that was under way while its user was removed leaves nothing that is theirs, nor their address.
func TestWhatWasUnderWayWhenItsUserWasRemovedIsReleased(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		owner := w.settled(t, victims, "ada")
		w.until(w.left(t, owner.Access, "ada"))
		w.sweep(t)
		late := reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: owner.UserID, Role: reqctx.RoleUser})
		bought, err := w.Orders.Purchase(late, "mail-pack", order.PurchaseRequest{
			TierID: "once", PaymentMethod: "card", Billing: &order.BillingInfo{Name: "Ada", Email: victims},
		})
		if err != nil {
			t.Fatal(err)
		}
		entry := audit.New(late, w.Clock.Now(), audit.UserExport, audit.Target{Type: "user", ID: owner.UserID}, audit.Details{"email": victims})
		if err := store.NewAccount(w.DB).Record(late, entry); err != nil {
			t.Fatal(err)
		}
		if err := w.Leaving.ReleaseErased(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.StoredOrder(t, bought.OrderID).UserID; got != "deleted" {
			t.Errorf("the order is of %s", got)
		}
		log := w.Do(t, testkit.Get(w.Admin(t, "root").Access, "/api/v1/admin/audit?limit=100"))
		if strings.Contains(string(log.Body), victims) {
			t.Errorf("the log knows the address: %s", log.Body)
		}
	})
}

// What those who left wrote on their bills is found by whoever keeps the books, and by nobody else.
func TestFormerCustomersAreFoundByTheBooksOnly(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		owner := w.settled(t, victims, "ada")
		id := w.Order(t, owner.Access, "once", victims).Text(t, "orderId")
		w.until(w.left(t, owner.Access, "ada"))
		w.sweep(t)
		for role, found := range map[string]bool{"SUPPORT": false, "FINANCE": true} {
			u := w.register(t, strings.ToLower(role)+"@example.com", strings.ToLower(role))
			if _, err := w.Accounts.UpdateUser(t.Context(), u.UserID, account.UserChange{Role: reqctx.Role(role)}); err != nil {
				t.Fatal(err)
			}
			const admin = "/api/v1/admin/"
			for _, ask := range []testkit.Request{
				testkit.Get(u.Access, admin+"orders?q="+victims), testkit.Get(u.Access, admin+"orders?email="+victims),
				testkit.Get(u.Access, admin+"licenses?q="+victims), testkit.Post(u.Access, admin+"search", map[string]string{"q": victims}),
			} {
				res := w.Do(t, ask)
				if res.Status != http.StatusOK || strings.Contains(string(res.Body), `"id"`) != found {
					t.Errorf("%s %s: %d %s", role, ask.Path, res.Status, res.Body)
				}
			}
			res := w.Do(t, testkit.Post(u.Access, admin+"search", map[string]string{"q": id}))
			if body := string(res.Body); !strings.Contains(body, id) || strings.Contains(body, victims) != found {
				t.Errorf("%s finds by its id %s", role, body)
			}
		}
	})
}

// Of an account whose mailbox nobody proved, the mailbox's orders are not its own.
func TestAnUnprovenAccountTakesNoOrdersOfItsMailboxAlong(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		mallory := w.register(t, victims, "mallory")
		guest := w.Order(t, "", "once", victims)
		w.until(w.left(t, mallory.Access, "mallory"))
		w.sweep(t)
		if got := w.StoredOrder(t, guest.Text(t, "orderId")).UserID; got != "anonymous" {
			t.Errorf("order of %s", got)
		}
	})
}
