package shop_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

func listOrders(tb testing.TB, a *testkit.App, token, query string) testkit.Response {
	tb.Helper()
	return a.Do(tb, testkit.Get(token, orders+query))
}

// orderIDs returns the ids of the orders on a page.
func orderIDs(tb testing.TB, res testkit.Response) []string {
	tb.Helper()
	list, ok := res.Get(tb, "orders").([]any)
	if res.Status != http.StatusOK || !ok {
		tb.Fatalf("orders = %d %s", res.Status, res.Body)
	}
	ids := make([]string, len(list))
	for i, o := range list {
		ids[i] = fmt.Sprint(o.(map[string]any)["id"])
	}
	return ids
}

func TestOrdersAreTheirOwnersTheNewestFirst(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada, bob := a.Register(t, "ada"), a.Register(t, "bob")
		a.Order(t, "", "once", "ada@example.com") // nobody's yet
		var want []string
		for _, tier := range []string{"once", "yearly", "free"} {
			want = append([]string{a.Order(t, ada.Access, tier, "bills@example.com").Text(t, "orderId")}, want...)
			a.Order(t, bob.Access, tier, "ada@example.com") // bob's, whoever pays
		}

		all := listOrders(t, a, ada.Access, "")
		if diff := cmp.Diff(orderIDs(t, all), want); diff != "" {
			t.Errorf("orders (-got +want):\n%s", diff)
		}
		if got := all.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control = %q, want no-store", got)
		}
		second := listOrders(t, a, ada.Access, "?page=2&limit=2")
		if got := orderIDs(t, second); len(got) != 1 || got[0] != want[2] {
			t.Errorf("page 2 = %v, want %s", got, want[2])
		}
		if diff := cmp.Diff(second.Get(t, "pagination"), map[string]any{
			"page": 2.0, "limit": 2.0, "total": 3.0, "totalPages": 2.0,
		}); diff != "" {
			t.Errorf("pagination (-got +want):\n%s", diff)
		}
		if got := orderIDs(t, listOrders(t, a, ada.Access, "?page=3&limit=2")); len(got) != 0 {
			t.Errorf("page 3 = %v, want none", got)
		}
		yearly := all.Get(t, "orders").([]any)[1].(map[string]any)
		for _, id := range []string{"id", "productId", "licenseId"} {
			delete(yearly, id)
		}
		if diff := cmp.Diff(yearly, map[string]any{
			"productSlug": "mail-pack", "productName": "Mail Pack",
			"tierId": "yearly", "tierName": "Yearly", "userId": ada.UserID, "paymentMethod": "card",
			"billingInfo": map[string]any{"email": "bills@example.com"}, "amount": 5000.0,
			"currency": "JPY", "status": "paid", "createdAt": "2030-03-01T12:00:04.000Z",
			"billingPeriod": "yearly", "expiresAt": "2031-03-01T12:00:04.000Z",
		}); diff != "" {
			t.Errorf("an order (-got +want):\n%s", diff)
		}
	})
}

func TestOrdersWantASignedInUserAndAGoodPage(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	for _, req := range []testkit.Request{
		{Method: http.MethodGet, Path: orders},
		{Method: http.MethodPost, Path: orders + "/claim-request"},
		{Method: http.MethodPost, Path: orders + "/claim", Body: map[string]string{"token": "t"}},
	} {
		testkit.WantFlatError(t, a.Do(t, req), http.StatusUnauthorized, "UNAUTHORIZED")
	}
	ada := a.Register(t, "ada")
	res := listOrders(t, a, ada.Access, "?page=0&limit=101")
	testkit.WantFlatError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	if got := testkit.IssuePaths(t, res); got != "page limit" {
		t.Errorf("issues = %q, want both", got)
	}
	for _, body := range []any{`{}`, `{"token":""}`, `{"token":7}`} {
		res := a.Do(t, testkit.Post(ada.Access, orders+"/claim", body))
		testkit.WantFlatError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		if got := testkit.IssuePaths(t, res); got != "token" {
			t.Errorf("%s: issues = %q, want token", body, got)
		}
	}
}

func TestClaimPageIsServedWithAStrictPolicy(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	res := a.Fetch(t, "/claim-orders")
	if res.Status != http.StatusOK || !strings.Contains(string(res.Body), "Claim your orders") {
		t.Fatalf("answer %d %s", res.Status, res.Body)
	}
	if got := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none';") {
		t.Errorf("policy = %q", got)
	}
	again := a.Do(t, testkit.Request{
		Method: http.MethodGet, Path: "/claim-orders", Header: http.Header{"If-None-Match": {res.Header.Get("ETag")}},
	})
	if again.Status != http.StatusNotModified {
		t.Errorf("again: %d, want 304", again.Status)
	}
}
