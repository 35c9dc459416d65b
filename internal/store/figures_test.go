package store_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/operate/figures"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

func testFigures(t *testing.T, open Open) {
	t.Run("revenue", func(t *testing.T) { t.Parallel(); testRevenue(t, open) })
	t.Run("subscriptions", func(t *testing.T) { t.Parallel(); testSubscriptions(t, open) })
	t.Run("subscriptions as in a model", func(t *testing.T) { t.Parallel(); testSubscriptionsModel(t, open) })
	t.Run("subscriptions at once", func(t *testing.T) { t.Parallel(); testSubscriptionsAtOnce(t, open) })
	t.Run("tax of plans", func(t *testing.T) { t.Parallel(); testTaxOfPlans(t, open) })
}

func testRevenue(t *testing.T, open Open) {
	db := shopDB(t, open)
	orders, s := store.NewOrders(db), store.NewFigures(db)
	today := T0.Truncate(24 * time.Hour)
	sell := func(id, slug, tier, provider, currency, code string, at time.Time) {
		t.Helper()
		o := Order(id, slug, "anonymous", "", at)
		o.TierID, o.Provider, o.Amount = tier, provider, product.Money{Minor: 1000, Currency: currency}
		if code != "" {
			o.Discount = order.Discount{ID: "d", Code: code, Minor: 100, Duration: discount.Once}
		}
		mustOrder(t, orders, o)
		p := order.Payment{OrderID: id, Seq: 1, At: at, Minor: 1000, Currency: currency, Code: code}
		if err := orders.PutPayment(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	sell("o1", "a", "pro", "stripe", "EUR", "", today)
	sell("o2", "a", "team", "stripe", "EUR", "SPRING", today.Add(24*time.Hour-1))
	sell("o3", "b", "pro", "stripe", "USD", "", today)
	sell("o4", "b", "pro", "test", "EUR", "", today)
	sell("before", "a", "pro", "stripe", "EUR", "", today.Add(-time.Millisecond))
	later := order.Payment{OrderID: "o2", Seq: 2, At: today.AddDate(0, 0, 2), Minor: 1100, Currency: "EUR"}
	r := order.Refund{ID: "r", OrderID: "o1", Seq: 1, Amount: product.Money{Minor: 400, Currency: "EUR"}, At: today.AddDate(0, 0, 3)}
	if err := orders.PutPayment(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if err := orders.AddRefund(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	taxed := order.Payment{
		OrderID: "o1", Seq: 1, At: today, Minor: 1000, Refunded: 400, Currency: "EUR", Bill: payment.Bill{Taxed: true, Tax: 100, Country: "DE"},
	}
	if err := orders.PutPayment(t.Context(), taxed); err != nil {
		t.Fatal(err)
	}

	all := figures.Period{From: today, To: today.AddDate(0, 0, 3)}
	ask := func(p figures.Period, by figures.By, slug string, test bool, want ...figures.Sum) {
		t.Helper()
		same(t, fmt.Sprint(by, slug, test), want)(s.Revenue(t.Context(), figures.Query{Period: p, By: by, Product: slug}, test))
	}
	usd := figures.Sum{Currency: "USD", Orders: 1, Gross: 1000}
	keyed := func(key string, s figures.Sum) figures.Sum { s.Key = key; return s }
	ask(all, figures.ByDay, "", false,
		figures.Sum{Key: "2030-03-01", Currency: "EUR", Orders: 2, Gross: 2000, Discount: 100, Tax: 100}, keyed("2030-03-01", usd),
		figures.Sum{Key: "2030-03-03", Currency: "EUR", Gross: 1100},
		figures.Sum{Key: "2030-03-04", Currency: "EUR", Refunds: 400, Tax: -40})
	ask(all, figures.ByProduct, "", false,
		figures.Sum{Key: "a", Currency: "EUR", Orders: 2, Gross: 3100, Discount: 100, Refunds: 400, Tax: 60}, keyed("b", usd))
	ask(all, figures.ByProduct, "b", true, figures.Sum{Key: "b", Currency: "EUR", Orders: 1, Gross: 1000}, keyed("b", usd))
	ask(all, figures.ByTier, "a", false,
		figures.Sum{Key: "a/pro", Currency: "EUR", Orders: 1, Gross: 1000, Refunds: 400, Tax: 60},
		figures.Sum{Key: "a/team", Currency: "EUR", Orders: 1, Gross: 2100, Discount: 100})
	ask(all, figures.ByCountry, "", false,
		figures.Sum{Currency: "EUR", Orders: 1, Gross: 2100, Discount: 100}, usd,
		figures.Sum{Key: "DE", Currency: "EUR", Orders: 1, Gross: 1000, Refunds: 400, Tax: 60})
	ask(all, figures.ByCode, "", false,
		figures.Sum{Currency: "EUR", Orders: 1, Gross: 2100, Refunds: 400, Tax: 60}, usd,
		figures.Sum{Key: "SPRING", Currency: "EUR", Orders: 1, Gross: 1000, Discount: 100})
	ask(figures.Period{From: today.AddDate(0, 0, 1), To: today.AddDate(0, 0, 1)}, figures.ByDay, "", true)
	ask(all, figures.ByDay, "none", true)
}

func testSubscriptions(t *testing.T, open Open) {
	db := shopDB(t, open)
	orders, s := store.NewOrders(db), store.NewFigures(db)
	sell := func(id string, minor int64, currency string, period product.BillingPeriod, until time.Time, change func(*order.Order)) {
		t.Helper()
		l := License(id, "a")
		l.RevokedAt, l.ExpiresAt, l.Trial = time.Time{}, until, false
		o := Order(id, "a", "anonymous", "", T0)
		o.Provider, o.Period, o.Amount = "stripe", period, product.Money{Minor: minor, Currency: currency}
		if change != nil {
			change(&o)
		}
		if !o.RefundedAt.IsZero() {
			l.RevokedAt = o.RefundedAt
		}
		if o.Follows {
			l.ID = o.LicenseID
		} else if err := orders.CreateLicense(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if err := orders.CreateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	now, future, past := T0.AddDate(0, 1, 0), T0.AddDate(0, 2, 0), T0.AddDate(0, 0, 14)
	sell("monthly", 500, "EUR", product.Monthly, future, nil)
	sell("reduced", 400, "EUR", product.Monthly, future, func(o *order.Order) {
		o.Discount = order.Discount{ID: "d", Code: "X", Minor: 100, Duration: discount.Once}
	})
	sell("taxed", 1190, "EUR", product.Monthly, future, nil)
	sell("taxed-on-top", 300, "EUR", product.Monthly, future, func(o *order.Order) {
		o.Discount = order.Discount{ID: "d", Code: "X", Minor: 700, Duration: discount.Once}
	})
	sell("yearly", 1000, "USD", product.Yearly, future, nil)
	sell("over", 500, "EUR", product.Monthly, past, nil)
	sell("refunded", 500, "EUR", product.Monthly, future, func(o *order.Order) { o.RefundedAt = past })
	sell("once", 500, "EUR", product.OneTime, time.Time{}, nil)
	sell("test", 500, "EUR", product.Monthly, future, func(o *order.Order) { o.Provider = "test" })
	sell("pending", 500, "EUR", product.Monthly, future, func(o *order.Order) { o.PaidAt = time.Time{} })
	sell("late", 500, "EUR", product.Monthly, future, func(o *order.Order) { o.CancelledAt = T0 })
	sell("new", 100, "EUR", product.Monthly, future, func(o *order.Order) { o.PaidAt = now })
	for _, p := range []order.Payment{
		{OrderID: "taxed", Minor: 1190, Bill: payment.Bill{Taxed: true, Tax: 190, Country: "DE"}},
		{OrderID: "taxed-on-top", Minor: 357, Bill: payment.Bill{Taxed: true, Tax: 57, Added: 57, Country: "DE"}},
	} {
		p.Seq, p.At, p.Currency = 1, T0, "EUR"
		if err := orders.PutPayment(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "Recurring", []figures.Recurring{{Currency: "EUR", Monthly: 3100}, {Currency: "USD", Monthly: 83}})(s.Recurring(t.Context(), now, false))
	same(t, "Recurring of tests", []figures.Recurring{{Currency: "EUR", Monthly: 3600}, {Currency: "USD", Monthly: 83}})(s.Recurring(t.Context(), now, true))
	same(t, "Churn", figures.Part{Part: 2, All: 7})(s.Churn(t.Context(), T0, now, false))
	same(t, "Churn of tests", figures.Part{Part: 2, All: 8})(s.Churn(t.Context(), T0, now, true))
	same(t, "Churn afterwards", figures.Part{Part: 0, All: 6})(s.Churn(t.Context(), now, now, false))
	same(t, "Churn before", figures.Part{})(s.Churn(t.Context(), T0.Add(-time.Millisecond), now, true))

	for i, at := range []time.Time{T0.Add(-time.Millisecond), T0, T0.Add(time.Hour), now} {
		trial := fmt.Sprint("trial", i)
		sell(trial, 0, "EUR", product.OneTime, future, func(o *order.Order) { o.Trial, o.CreatedAt = true, at })
		sell("buys-"+trial, 5, "EUR", product.Monthly, future, func(o *order.Order) {
			o.Follows, o.LicenseID = true, trial
			if i == 2 {
				o.PaidAt = time.Time{}
			}
		})
	}
	same(t, "Trials", figures.Part{Part: 1, All: 2})(s.Trials(t.Context(), T0, now))
}

// What begins with the next period costs nothing: how much of its price is tax is known from what was paid last.
func testTaxOfPlans(t *testing.T, open Open) {
	db := shopDB(t, open)
	orders, s := store.NewOrders(db), store.NewFigures(db)
	l := License("l", "a")
	l.RevokedAt, l.ExpiresAt, l.Trial = time.Time{}, T0.AddDate(0, 2, 0), false
	if err := orders.CreateLicense(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	base := Order("base", "a", "anonymous", "", T0)
	base.LicenseID, base.Provider, base.Period, base.Amount = l.ID, "stripe", product.Monthly, product.Money{Minor: 2380, Currency: "EUR"}
	changed := base
	changed.ID, changed.Kind, changed.Follows, changed.PaidAt, changed.Amount.Minor = "changed", order.Change, true, T0.Add(time.Hour), 0
	mustOrder(t, orders, base)
	mustOrder(t, orders, changed)
	if err := orders.PutTerms(t.Context(), changed.ID, order.Terms{Price: 1190, Later: true}); err != nil {
		t.Fatal(err)
	}
	for i, p := range []struct{ minor, tax, monthly int64 }{{2380, 380, 1000}, {1309, 119, 1082}, {1190, 190, 1000}} {
		err := orders.PutPayment(t.Context(), order.Payment{
			OrderID: base.ID, Seq: i + 1, At: T0.AddDate(0, i, 0), Minor: p.minor, Currency: "EUR", Bill: payment.Bill{Taxed: true, Tax: p.tax},
		})
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint("Recurring after payment ", i+1), []figures.Recurring{{Currency: "EUR", Monthly: p.monthly}})(
			s.Recurring(t.Context(), T0.AddDate(0, 1, 0), false))
	}
}
