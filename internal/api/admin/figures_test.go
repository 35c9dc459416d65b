package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

const reports = "/api/v1/admin/reports/"

// sumOf is a row of a report with test payments, which know no tax.
func sumOf(key, currency string, orders, gross, discount, refunds float64) map[string]any {
	s := map[string]any{
		"currency": currency, "orders": orders, "gross": gross, "discount": discount, "refunds": refunds, "tax": 0.0,
		"net": gross - refunds,
	}
	if key != "total" {
		s["key"] = key
	}
	return s
}

func TestRevenueIsReported(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		root := a.Admin(t, "root").Access
		ask := func(query string) map[string]any {
			t.Helper()
			return manage(t, a, root, "GET", reports+"revenue"+query, nil, 200).Get(t, "data").(map[string]any)
		}
		none := map[string]any{"from": "2030-01-31", "to": "2030-03-01", "by": "day", "rows": []any{}, "totals": []any{}}
		if got := ask(""); !cmp.Equal(got, none) {
			t.Error(cmp.Diff(none, got))
		}
		manage(t, a, root, "POST", discounts, `{"code":"SPRING","percentOff":50}`, 201)
		buy := func(tier, code string) string {
			t.Helper()
			body := map[string]any{"tierId": tier, "paymentMethod": "card"}
			if code != "" {
				body["discountCode"] = code
			}
			res := a.Do(t, testkit.Post("", testkit.Products+"/mail-pack/purchase", body))
			if res.Status != http.StatusOK {
				t.Fatal(res)
			}
			return res.Text(t, "orderId")
		}
		once := buy("once", "")
		buy("once", "SPRING")
		buy("yearly", "")
		buy("free", "")
		a.Clock.Advance(24 * time.Hour)
		manage(t, a, root, "POST", testkit.AdminOrders+"/"+once+"/refund", `{"amount":9.9}`, 200)
		manage(t, a, root, "POST", testkit.AdminOrders+"/"+once+"/refund", nil, 200)

		totals := []any{sumOf("total", "EUR", 2, 74.85, 24.95, 49.9), sumOf("total", "JPY", 1, 5000, 0, 0)}
		for query, rows := range map[string][]any{
			"": {
				sumOf("2030-03-01", "EUR", 2, 74.85, 24.95, 0), sumOf("2030-03-01", "JPY", 1, 5000, 0, 0),
				sumOf("2030-03-02", "EUR", 0, 0, 0, 49.9),
			},
			"?by=product":                     {sumOf("mail-pack", "EUR", 2, 74.85, 24.95, 49.9), sumOf("mail-pack", "JPY", 1, 5000, 0, 0)},
			"?by=tier&product=mail-pack":      {sumOf("mail-pack/once", "EUR", 2, 74.85, 24.95, 49.9), sumOf("mail-pack/yearly", "JPY", 1, 5000, 0, 0)},
			"?by=country":                     {sumOf("", "EUR", 2, 74.85, 24.95, 49.9), sumOf("", "JPY", 1, 5000, 0, 0)},
			"?by=code&from=2030-03-01":        {sumOf("", "EUR", 1, 49.9, 0, 49.9), sumOf("", "JPY", 1, 5000, 0, 0), sumOf("SPRING", "EUR", 1, 24.95, 24.95, 0)},
			"?from=2030-03-01&to=2030-03-02&": {sumOf("2030-03-01", "EUR", 2, 74.85, 24.95, 0), sumOf("2030-03-01", "JPY", 1, 5000, 0, 0), sumOf("2030-03-02", "EUR", 0, 0, 0, 49.9)},
		} {
			got := ask(query)
			if !cmp.Equal(got["rows"], any(rows), approx) || !cmp.Equal(got["totals"], any(totals), approx) {
				t.Errorf("%s: (-want +got)\n%s\n%s", query, cmp.Diff(any(rows), got["rows"], approx), cmp.Diff(any(totals), got["totals"], approx))
			}
		}
		if got := ask("?to=2030-03-02&from=2030-03-02"); !cmp.Equal(got["totals"], any([]any{sumOf("total", "EUR", 0, 0, 0, 49.9)}), approx) {
			t.Errorf("a day with a refund only: %v", got)
		}
		if got := ask("?product=bare"); len(got["rows"].([]any)) != 0 {
			t.Errorf("nothing was sold of it: %v", got)
		}

		res := a.Do(t, testkit.Get(root, reports+"revenue.csv?by=code"))
		want := "\uFEFFkey,currency,orders,gross,discount,refunds,tax,net\r\n" +
			",EUR,1,49.90,0.00,49.90,0.00,0.00\r\n,JPY,1,5000,0,0,0,5000\r\nSPRING,EUR,1,24.95,24.95,0.00,0.00,24.95\r\n"
		if string(res.Body) != want {
			t.Errorf("the table is\n%s", cmp.Diff(want, string(res.Body)))
		}
		day := tableOf(t, a.Do(t, testkit.Get(root, reports+"revenue.csv?from=2030-03-02")))
		if len(day) != 1 || day[0]["net"] != "-49.90" || day[0]["key"] != "2030-03-02" {
			t.Errorf("below 0: %v", day)
		}
		if got := audited(t, a, root, "export.csv"); !cmp.Equal(got, []string{"export.csv list:revenue", "export.csv list:revenue"}) {
			t.Errorf("audit log = %q", got)
		}
	})
}

// approx takes sums of floats that differ in their last bits for the same.
var approx = cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })

func TestFaultsOfReportsAreNamed(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	root := a.Admin(t, "root").Access
	for path, want := range map[string]string{
		"revenue?by=week": "by unknown_value",
		"revenue?from=now&to=2030-02-30&by=x&sort=a":                           "sort unknown_value, from wrong_type, to wrong_type, by unknown_value",
		"revenue?from=0001-01-01&to=1969-12-31":                                "from out_of_range, to out_of_range",
		"revenue?from=2030-03-02&to=2030-03-01":                                "to before_from",
		"revenue?from=2029-03-01&to=2030-03-02":                                "from out_of_range",
		"revenue.csv?from=2029-03-01":                                          "",
		"revenue.csv?from=2029-02-28":                                          "from out_of_range",
		"revenue?from=2020-03-01&to=2030-03-01&by=tier":                        "",
		"revenue?from=2020-02-28&to=2030-03-01&by=tier":                        "from out_of_range",
		"revenue?product=%00":                                                  "product out_of_range",
		"subscriptions?from=2020-02-28&to=2030-03-01":                          "from out_of_range",
		"subscriptions?from=soon&by=day":                                       "by unknown_value, from wrong_type",
		"subscriptions?from=2030-03-02T00:00:00Z&to=" + strings.Repeat("1", 9): "from wrong_type, to wrong_type",
	} {
		status := http.StatusBadRequest
		if want == "" {
			status = http.StatusOK
		}
		res := a.Do(t, testkit.Get(root, reports+path))
		got := ""
		if res.Status != http.StatusOK {
			got = strings.Join(named(t, res), ", ")
		}
		if got != want || res.Status != status {
			t.Errorf("%s = %d %q, want %q", path, res.Status, got, want)
		}
	}
}

func TestSubscriptionsAndTrialsAreReported(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		root := a.Admin(t, "root").Access
		for _, tier := range []string{"monthly", "monthly", "yearly", "once"} {
			if res := a.Do(t, testkit.Purchase("", tier)); res.Status != http.StatusOK {
				t.Fatal(res)
			}
		}
		want := map[string]any{
			"from": "2030-01-31", "to": "2030-03-01",
			"recurring": []any{map[string]any{"currency": "EUR", "monthly": 10.0}, map[string]any{"currency": "JPY", "monthly": 417.0}},
			"churn":     map[string]any{"atStart": 0.0, "ended": 0.0, "rate": 0.0},
			"trials":    map[string]any{"started": 0.0, "bought": 0.0, "rate": 0.0},
		}
		got := manage(t, a, root, "GET", reports+"subscriptions", nil, 200).Get(t, "data")
		if !cmp.Equal(got, any(want)) {
			t.Error(cmp.Diff(any(want), got))
		}
		a.Clock.Advance(60 * 24 * time.Hour) // the monthly ones are over
		fresh := a.Admin(t, "later").Access
		got = manage(t, a, fresh, "GET", reports+"subscriptions?from=2030-03-02", nil, 200).Get(t, "data")
		want["from"], want["to"] = "2030-03-02", "2030-04-30"
		want["recurring"] = []any{map[string]any{"currency": "JPY", "monthly": 417.0}}
		want["churn"] = map[string]any{"atStart": 3.0, "ended": 2.0, "rate": 0.6667}
		if !cmp.Equal(got, any(want)) {
			t.Error(cmp.Diff(any(want), got))
		}
	})
}
