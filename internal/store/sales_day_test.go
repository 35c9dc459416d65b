package store_test

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/database"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

// slowly adds up payments and refunds as sales_days has them, without it. Tax is compared by country: that of refunds
// is rounded, so that only all of a payment has all of it.
const slowly = `
	SELECT (s.at_ms / 86400000) || ' ' || o.product_id || ' ' || COALESCE(s.tier_id, o.tier_id) || ' [' || s.country ||
		'] [' || s.code || '] ' || s.currency ||
		' ' || CASE WHEN o.provider = 'test' THEN 'test' ELSE 'real' END ||
		': ' || sum(s.orders) || ' ' || sum(s.gross) || ' ' || sum(s.orders * o.discount_minor) || ' ' ||
		sum(s.refunds) AS line
	FROM (
		SELECT order_id, tier_id, at_ms, COALESCE(country, '') AS country, COALESCE(code, '') AS code, currency,
			CASE WHEN seq = 1 THEN 1 ELSE 0 END AS orders, minor AS gross, 0 AS refunds
		FROM payments
		UNION ALL
		SELECT r.order_id, p.tier_id, r.at_ms, COALESCE(p.country, ''), COALESCE(p.code, ''), r.currency, 0, 0, r.minor
		FROM refunds r JOIN payments p ON p.order_id = r.order_id AND p.seq = r.seq
	) s
	JOIN orders o ON o.id = s.order_id
	GROUP BY s.at_ms / 86400000, o.product_id, COALESCE(s.tier_id, o.tier_id), s.country, s.code, s.currency, o.provider = 'test', o.provider ORDER BY line`

const quickly = `
	SELECT day || ' ' || product_id || ' ' || tier_id || ' [' || country || '] [' || code || '] ' || currency ||
		' ' || CASE WHEN test THEN 'test' ELSE 'real' END ||
		': ' || sum(orders) || ' ' || sum(gross_minor) || ' ' || sum(discount_minor) || ' ' || sum(refunds_minor) AS line
	FROM sales_days
	GROUP BY day, product_id, tier_id, country, code, currency, test
	HAVING sum(orders) <> 0 OR sum(gross_minor) <> 0 OR sum(refunds_minor) <> 0 OR sum(tax_minor) <> 0 ORDER BY line`

func linesOf(t *testing.T, db *database.DB, query string) []string {
	t.Helper()
	got, err := database.Texts(t.Context(), db.Conn().Read, query)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Whatever is bought, renewed, given back or reported late: the sums by day are those of the payments and refunds.
func testSalesDays(t *testing.T, open Open) {
	db := shopDB(t, open)
	s := store.NewOrders(db)
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	type sold struct {
		order.Order

		paid []order.Payment
	}
	var all []*sold
	put := func(p order.Payment) {
		t.Helper()
		if err := s.PutPayment(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	later := func() time.Time { return T0.Add(time.Duration(random.IntN(90*24)) * time.Hour) }
	for i := range 400 {
		if i < 20 || random.IntN(3) == 0 {
			o := Order(fmt.Sprint("o", i), pick("a", "b"), "anonymous", "", later())
			o.TierID, o.Provider = pick("pro", "team"), pick("stripe", "stripe", "test")
			o.Amount = product.Money{Minor: 100 + random.Int64N(9900), Currency: pick("EUR", "USD")}
			if random.IntN(2) == 0 {
				o.Discount = order.Discount{ID: "d", Code: pick("SPRING", "AUTUMN"), Minor: random.Int64N(100), Duration: discount.Forever}
			}
			mustOrder(t, s, o)
			p := order.Payment{OrderID: o.ID, Seq: 1, At: o.PaidAt, Minor: o.Amount.Minor, Currency: o.Amount.Currency, Code: o.Discount.Code}
			put(p)
			all = append(all, &sold{o, []order.Payment{p}})
			continue
		}
		o := all[random.IntN(len(all))]
		n := random.IntN(len(o.paid))
		p := &o.paid[n]
		switch random.IntN(5) {
		case 4: // an invoice that says where the buyer is, and what the tax was
			if p.Bill.Taxed {
				continue
			}
			p.Bill = payment.Bill{Taxed: true, Tax: random.Int64N(p.Minor), Country: pick("DE", "FR", "")}
			put(*p)
		case 0: // a further period
			next := *p
			next.Seq, next.At, next.Refunded, next.TierID, next.Code = len(o.paid)+1, later(), 0, pick("", "team", "huge"), pick("", p.Code)
			put(next)
			o.paid = append(o.paid, next)
		case 1: // a late webhook knows better
			p.At, p.Minor = p.At.Add(-time.Duration(random.IntN(80))*time.Hour), p.Minor+random.Int64N(50)
			put(*p)
		default: // a part, or all
			minor := p.Left()
			if random.IntN(2) == 0 {
				minor = random.Int64N(minor + 1)
			}
			if minor == 0 {
				continue
			}
			r := order.Refund{ID: fmt.Sprint("r", i), OrderID: o.ID, Seq: p.Seq, Amount: product.Money{Minor: minor, Currency: p.Currency}, At: later()}
			if err := s.AddRefund(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			p.Refunded += minor
			put(*p)
		}
	}
	var paid []order.Payment
	for _, o := range all {
		paid = append(paid, o.paid...)
	}
	wantTaxes(t, db, paid)
	want := linesOf(t, db, slowly)
	if diff := cmp.Diff(want, linesOf(t, db, quickly)); diff != "" || len(want) < 50 {
		t.Errorf("%d sums (-payments +days):\n%s", len(want), diff)
	}
}

// wantTaxes compares what sales_days has of tax in each country with the payments.
func wantTaxes(t *testing.T, db *database.DB, paid []order.Payment) {
	t.Helper()
	gross, tax := make(map[string]int64), make(map[string]int64)
	for _, p := range paid {
		gross[p.Bill.Country] += p.Minor
		if p.Refunded < p.Minor {
			part := new(big.Int).Mul(big.NewInt(p.Bill.Tax), big.NewInt(p.Refunded))
			part.Add(part, big.NewInt(p.Minor/2)).Div(part, big.NewInt(p.Minor))
			tax[p.Bill.Country] += p.Bill.Tax - part.Int64()
		}
	}
	var want []string
	for _, country := range slices.Sorted(maps.Keys(gross)) {
		want = append(want, fmt.Sprint("[", country, "] ", gross[country], " ", tax[country]))
	}
	taxes := linesOf(t, db, `SELECT '[' || country || '] ' || sum(gross_minor) || ' ' || sum(tax_minor) FROM sales_days
		GROUP BY country HAVING sum(gross_minor) <> 0 ORDER BY country`)
	if diff := cmp.Diff(want, taxes); diff != "" || len(taxes) != 3 {
		t.Errorf("by country (-payments +days):\n%s", diff)
	}
}

// What fails with its transaction is not counted, and what the previous release sold is counted once.
func testSalesDaysOnce(t *testing.T, open Open) {
	db := shopDB(t, open)
	s := store.NewOrders(db)
	mustOrder(t, s, Order("o", "a", "anonymous", "", T0))
	stop := fmt.Errorf("stop")
	err := s.InTx(t.Context(), func(tx order.Store) error {
		if err := tx.PutPayment(t.Context(), order.Payment{OrderID: "o", Seq: 1, At: T0, Minor: 1, Currency: "EUR"}); err != nil {
			return err
		}
		return stop
	})
	if got := linesOf(t, db, quickly); err == nil || len(got) != 0 {
		t.Errorf("after a failure: %v, %q", err, got)
	}
	for range 2 {
		if err := s.FillPayments(t.Context(), T0); err != nil {
			t.Fatal(err)
		}
	}
	if got := linesOf(t, db, quickly); len(got) != 1 || !cmp.Equal(got, linesOf(t, db, slowly)) {
		t.Errorf("filled: %q", got)
	}
}

// Tax that is known is counted, and taken out again with what is given back: all of it, whatever the parts.
func testSalesDaysTax(t *testing.T, open Open) {
	db := shopDB(t, open)
	s := store.NewOrders(db)
	mustOrder(t, s, Order("o", "a", "anonymous", "", T0))
	p := order.Payment{OrderID: "o", Seq: 1, At: T0, Minor: 1000, Currency: "EUR"}
	if err := s.PutPayment(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	p.Bill = payment.Bill{Taxed: true, Tax: 160, Country: "DE"} // known later
	if err := s.PutPayment(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{107, 53, 0} {
		r := order.Refund{ID: fmt.Sprint(i), OrderID: "o", Seq: 1, Amount: product.Money{Minor: 333, Currency: "EUR"}, At: T0.Add(time.Hour)}
		if i == 2 {
			r.Amount.Minor++
		}
		if err := s.AddRefund(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		got := linesOf(t, db, `SELECT country || ' ' || sum(tax_minor) FROM sales_days GROUP BY country HAVING sum(gross_minor) <> 0`)
		if want := fmt.Sprint("DE ", want); len(got) != 1 || got[0] != want {
			t.Errorf("tax after %d parts: %q, want %s", i+1, got, want)
		}
	}
}
