package shop_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// offer lets buyers of mail-pack give their orders back for some days.
func offer(t *testing.T, a *testkit.App, admin string, days int) {
	t.Helper()
	res := a.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: "/api/v1/admin/products/mail-pack", Token: admin, Body: map[string]any{"refundDays": days},
	})
	if res.Status != http.StatusOK {
		t.Fatalf("refundDays = %d %s", res.Status, res.Body)
	}
}

func TestBuyersGiveTheirOrdersBack(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.NewShop(t, options...)
		admin, ada := a.Admin(t, "root").Access, a.Register(t, "ada").Access
		const orders = "/api/marketplace/orders"
		back := func(token, id string) testkit.Response {
			return a.Do(t, testkit.Post(token, orders+"/"+id+"/refund", nil))
		}
		refused := func(id, reason string) {
			t.Helper()
			if res := back(ada, id); res.Status != http.StatusConflict || res.Text(t, "error") != "REFUND_REFUSED" ||
				res.Text(t, "details.reason") != reason {
				t.Errorf("refund = %d %s, want %s", res.Status, res.Body, reason)
			}
		}
		id := a.Buy(t, ada, "once").Text(t, "orderId")
		refused(id, "not_offered")
		offer(t, a, admin, 14)
		refused(a.Buy(t, ada, "free").Text(t, "orderId"), "not_offered")
		if res := back(a.Register(t, "eve").Access, id); res.Status != http.StatusNotFound {
			t.Errorf("of somebody else = %d", res.Status)
		}
		if res := a.Do(t, testkit.Post(ada, orders+"/"+id+"/refund", map[string]any{"amount": 1})); res.Status != http.StatusBadRequest ||
			testkit.IssuePaths(t, res) != "amount" {
			t.Errorf("a part = %d %s", res.Status, res.Body)
		}
		if res := back("", id); res.Status != http.StatusUnauthorized {
			t.Errorf("of nobody = %d", res.Status)
		}
		if res := a.Do(t, testkit.Get("", testkit.Products+"/mail-pack")); res.Get(t, "refundDays") != 14.0 {
			t.Errorf("product = %s", res.Body)
		}
		if res := a.Do(t, testkit.Get("", "/p/mail-pack")); !strings.Contains(string(res.Body), "Money back within 14 days") {
			t.Errorf("its page = %d %s", res.Status, res.Body)
		}
		until := a.Do(t, testkit.Get(ada, orders+"/"+id)).Text(t, "refundableUntil")
		if until == "" {
			t.Error("the order does not say until when it can be given back")
		}
		next := a.Buy(t, ada, "once").Text(t, "orderId")
		a.Mails(t)
		for range 2 {
			res := back(ada, id)
			if res.Status != http.StatusOK || res.Text(t, "status") != "refunded" || strings.Contains(string(res.Body), "refundableUntil") {
				t.Fatalf("refund = %d %s (until %s)", res.Status, res.Body, until)
			}
		}
		var to []string
		for _, m := range a.Mails(t) {
			to = append(to, m.To)
		}
		slices.Sort(to)
		if fmt.Sprint(to) != "[ada@example.com root@example.com]" {
			t.Errorf("mails to %v", to)
		}
		refused(next, "already_used")
		if res := a.Do(t, testkit.Get(ada, orders+"/"+next)); strings.Contains(string(res.Body), "refundableUntil") {
			t.Errorf("the next order = %s", res.Body)
		}
	})
}

// Administrators give back parts, and the list says who, why and when.
func TestAdministratorsGiveBackParts(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.NewShop(t, options...)
		root := a.Admin(t, "root")
		id := a.Order(t, "", "once", "guest@example.com").Text(t, "orderId")
		a.Mails(t)
		refund := func(body any, key string) testkit.Response {
			req := testkit.Post(root.Access, testkit.AdminOrders+"/"+id+"/refund", body)
			if key != "" {
				req.Header = http.Header{"Idempotency-Key": {key}}
			}
			return a.Do(t, req)
		}
		for range 2 {
			res := refund(map[string]any{"amount": 10.5, "reason": "late"}, "one")
			if res.Status != http.StatusOK || res.Get(t, "data.partlyRefunded") != 10.5 || res.Text(t, "data.status") != "paid" {
				t.Fatalf("a part = %d %s", res.Status, res.Body)
			}
		}
		for _, body := range []any{
			map[string]any{"amount": 39.41}, map[string]any{"amount": 0}, map[string]any{"amount": "1"},
			map[string]any{"amount": nil}, map[string]any{"amount": 1.001}, map[string]any{"reason": strings.Repeat("x", 201)},
		} {
			if res := refund(body, ""); res.Status != http.StatusBadRequest || res.Text(t, "error.code") != "VALIDATION_ERROR" {
				t.Errorf("%v = %d %s", body, res.Status, res.Body)
			}
		}
		res := refund(map[string]any{"amount": 39.4}, "")
		if res.Status != http.StatusOK || res.Text(t, "data.status") != "refunded" || res.Get(t, "data.partlyRefunded") != 10.5 ||
			!strings.Contains(string(res.Body), `"amount":10.5,"reason":"late","by":"`) ||
			!strings.Contains(string(res.Body), `"amount":39.4,"by":"`) {
			t.Errorf("the last part = %d %s", res.Status, res.Body)
		}
		var told []string
		for _, m := range a.Mails(t) {
			for _, line := range strings.Split(m.Text, "\n") {
				if strings.Contains(line, "  Refund    ") || strings.HasPrefix(line, "The license of the order ") {
					told = append(told, strings.TrimSpace(line))
				}
			}
		}
		slices.Sort(told)
		want := []string{"Refund    10.50 EUR", "Refund    39.40 EUR", "The license of the order goes on.", "The license of the order no longer works."}
		if !slices.Equal(told, want) {
			t.Errorf("the mails say %q, want %q", told, want)
		}
	})
}
