package admin_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit"
)

// A shelfOfOrders has three orders, each a second after the other: first by bob without an account,
// second by ada from her account, third with her address on the bill.
type shelfOfOrders struct {
	*testkit.App

	admin, ada, adaID    string // two tokens, and her id
	first, second, third string // ids
	afterFirst           string // a time
}

func newShelfOfOrders(t *testing.T, a *testkit.App) shelfOfOrders {
	t.Helper()
	a.ImportCatalog(t)
	admin := a.Admin(t, "root").Access
	user := a.Send(t, "/auth/register", map[string]any{
		"email": "Ada@example.com", "username": "ada", "password": "secret1",
	})
	s := shelfOfOrders{
		App: a, admin: admin, ada: user.Text(t, "data.access_token"), adaID: user.Text(t, "data.user.id"),
	}
	order := func(slug, tier, email, token string) string {
		a.Clock.Advance(time.Second)
		body := map[string]any{"tierId": tier, "paymentMethod": "card"}
		if email != "" {
			body["billingInfo"] = map[string]any{"email": email}
		}
		return a.Do(t, testkit.Post(token, testkit.Products+"/"+slug+"/purchase", body)).Text(t, "orderId")
	}
	s.first = order("mail-pack", "once", "bob@example.com", "")
	s.afterFirst = a.Clock.Now().Add(time.Millisecond).UTC().Format(time.RFC3339Nano)
	s.second = order("bare", "only", "", s.ada)
	s.third = order("mail-pack", "yearly", "ADA@EXAMPLE.COM", "")
	return s
}

func (s shelfOfOrders) get(t *testing.T, path string) testkit.Response {
	t.Helper()
	return s.Do(t, testkit.Get(s.admin, testkit.AdminOrders+path))
}

func TestAdministratorsFindOrders(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		s := newShelfOfOrders(t, a)
		names, from := map[string]string{s.first: "first", s.second: "second", s.third: "third"}, s.afterFirst
		for query, want := range map[string]string{
			"":                                    "third second first of 3",
			"?limit=2":                            "third second of 3",
			"?limit=2&page=2":                     "first of 3",
			"?page=9":                             " of 3",
			"?status=paid":                        "third second first of 3",
			"?status=pending":                     " of 0",
			"?product=mail-pack":                  "third first of 2",
			"?product=nope":                       " of 0",
			"?user=anonymous":                     "third first of 2",
			"?user=" + s.adaID:                    "second of 1",
			"?email=bob@example.com":              "first of 1",
			"?email=ada%40Example.com":            "third second of 2", // on the bill, or of the account
			"?email=ada@example.com&product=bare": "second of 1",
			"?from=" + from:                       "third second of 2",
			"?to=" + from:                         "first of 1",
			"?from=" + from + "&to=" + from:       " of 0",
		} {
			res := s.get(t, query)
			var got []string
			for _, item := range res.Get(t, "data.items").([]any) {
				got = append(got, names[item.(map[string]any)["id"].(string)])
			}
			if s := fmt.Sprintf("%s of %v", strings.Join(got, " "), res.Get(t, "data.pagination.total")); s != want {
				t.Errorf("%s = %q, want %q", query, s, want)
			}
		}
		res := s.get(t, "?status=open&email=x&user=%00&limit=0&from=now&to=later")
		if got := testkit.IssuePaths(t, res); res.Status != http.StatusBadRequest || got != "limit from to status user email" {
			t.Errorf("faults = %d %q", res.Status, got)
		}
		turned := s.get(t, "?from=2031-01-02T00:00:00Z&to=2031-01-01T00:00:00Z")
		if got := testkit.IssuePaths(t, turned); got != "to" {
			t.Errorf("faults of a range that ends before it begins = %q, want to", got)
		}
	})
}

func TestAdministratorsSeeAnOrderAndItsBuyer(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		s := newShelfOfOrders(t, a)
		one := s.get(t, "/"+s.first)
		if one.Text(t, "data.productSlug") != "mail-pack" || one.Get(t, "data.amount") != 49.9 ||
			one.Text(t, "data.payment.provider") != "test" || one.Text(t, "data.paidAt") == "" {
			t.Errorf("order = %s", one.Body)
		}
		if strings.Contains(string(one.Body), "userEmail") {
			t.Errorf("a guest's order names an account: %s", one.Body)
		}
		one = s.get(t, "/"+s.second)
		if got := one.Text(t, "data.userEmail"); got != "Ada@example.com" {
			t.Errorf("the buyer's address = %q", got)
		}
	})
}

func TestUnknownOrdersAre404AndOnlyAdministratorsChangeOrders(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		s := newShelfOfOrders(t, a)
		for _, id := range []string{"nope", "%00", strings.Repeat("a", 200)} {
			for _, path := range []string{"", "/refund", "/cancel"} {
				method := map[bool]string{true: http.MethodGet, false: http.MethodPost}[path == ""]
				if res := a.Do(t, testkit.Request{
					Method: method, Path: testkit.AdminOrders + "/" + id + path, Token: s.admin,
				}); res.Status != http.StatusNotFound {
					t.Errorf("%s %s%s = %d, want 404", method, id, path, res.Status)
				}
			}
		}
		for _, path := range []string{"/refund", "/cancel"} {
			if res := a.Do(t, testkit.Post(s.ada, testkit.AdminOrders+"/"+s.first+path,
				nil)); res.Status != http.StatusForbidden {
				t.Errorf("%s by a user = %d, want 403", path, res.Status)
			}
		}
	})
}

// A refund revokes, and revoked is final (contract 3.13).
func TestARefundRevokesTheLicense(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		admin := a.Admin(t, "root").Access
		for i, tier := range []string{"once", "free"} {
			res := a.Send(t, testkit.Products+"/mail-pack/purchase", map[string]any{
				"tierId": tier, "paymentMethod": "card",
			})
			id, key := res.Text(t, "orderId"), res.Text(t, "licenseKey")
			a.Activate(t, key, "a.example")
			if res := a.Cancel(t, admin, id); res.Status != http.StatusConflict {
				t.Errorf("cancelling a paid order = %d %s, want 409", res.Status, res.Body)
			}
			back := a.Refund(t, admin, id)
			if back.Status != http.StatusOK || back.Text(t, "data.status") != "refunded" ||
				back.Text(t, "data.refundedAt") == "" {
				t.Errorf("refund = %d %s", back.Status, back.Body)
			}
			testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "a.example"), "revoked")
			if res := a.Cancel(t, admin, id); res.Status != http.StatusConflict {
				t.Errorf("cancelling a refunded order = %d %s, want 409", res.Status, res.Body)
			}
			if again := a.Refund(t, admin, id); again.Status != http.StatusOK || string(again.Body) != string(back.Body) {
				t.Errorf("the same refund again = %d %s, want the same answer", again.Status, again.Body)
			}
			if got := audited(t, a, admin, "order.refund"); len(got) != i+1 || got[i] != "order.refund order:"+id {
				t.Errorf("audit log: %q, want one entry for %s", got, id)
			}
		}
		if got := audited(t, a, admin, "order.cancel"); len(got) != 0 {
			t.Errorf("audit log: %q, want nothing of what was refused", got)
		}
	})
}

// A call that the provider refuses or does not answer changes nothing here.
func TestAProviderThatFailsChangesNoOrder(t *testing.T) {
	t.Parallel()
	a, b := testkit.NewBankShop(t)
	admin := a.Admin(t, "root").Access

	pending := a.Buy(t, "", "once").Text(t, "orderId")
	paid := a.Buy(t, "", "once").Text(t, "orderId")
	o := a.StoredOrder(t, paid)
	o.PaidAt = testkit.T0
	if err := a.Orders.Store.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fails  error
		status int
	}{{payment.ErrRefused, http.StatusConflict}, {errors.New("no answer"), http.StatusBadGateway}} {
		b.Fail(tt.fails)
		for path, status := range map[string]order.Status{
			paid + "/refund": order.Paid, pending + "/cancel": order.Pending,
		} {
			if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+path, nil)); res.Status != tt.status {
				t.Errorf("%s = %d %s, want %d", path, res.Status, res.Body, tt.status)
			}
			id, _, _ := strings.Cut(path, "/")
			if o := a.StoredOrder(t, id); o.Status() != status {
				t.Errorf("after %v the order is %s, want it %s", tt.fails, o.Status(), status)
			}
		}
	}
	for _, id := range []string{paid, pending} { // as if the configuration had changed
		o := a.StoredOrder(t, id)
		o.Provider = "another"
		if err := a.Orders.Store.UpdateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{paid + "/refund", pending + "/cancel"} {
		if res := a.Do(t, testkit.Post(admin, testkit.AdminOrders+"/"+path, nil)); res.Status != http.StatusConflict ||
			!strings.Contains(res.Text(t, "error.message"), "not configured") {
			t.Errorf("%s = %d %s", path, res.Status, res.Body)
		}
	}
	if got := audited(t, a, admin, "order"); len(got) != 0 {
		t.Errorf("audit log: %q, want nothing of what did not happen", got)
	}
}
