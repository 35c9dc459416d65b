package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/internal/data/database"
	"stoa/internal/operate/figures"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

// Whatever happens to licenses, their orders and payments, and in whatever order: the report on subscriptions says what
// one that reads them all says.
func testSubscriptionsModel(t *testing.T, open Open) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()

			db := shopDB(t, open)
			s, m := store.NewFigures(db), newSubscriptions(t, store.NewOrders(db), seed)
			for step := range 300 {
				m.happen()
				if step%10 > 0 {
					continue
				}
				at, later := m.around(), m.around()
				for _, test := range []bool{false, true} {
					got, err := s.Recurring(t.Context(), at, test)
					if want := m.recurring(at, test); err != nil || !equalRecurring(want, got) {
						t.Fatalf("step %d: Recurring(%s, %t) = %v, %v, want %v", step, at, test, got, err, want)
					}
					same(t, fmt.Sprintf("step %d: Churn(%s, %s, %t)", step, at, later, test), m.churn(at, later, test))(
						s.Churn(t.Context(), at, later, test))
				}
				if n := astray(t, db); n > 0 {
					t.Fatalf("step %d: %d rows are not as the view says", step, n)
				}
				same(t, fmt.Sprintf("step %d: Trials(%s, %s)", step, at, later), m.trials(at, later))(s.Trials(t.Context(), at, later))
			}
		})
	}
}

// astray returns how many rows the table of subscriptions has too many or lacks.
func astray(tb testing.TB, db *database.DB) (n int) {
	tb.Helper()
	const table, view = `SELECT * FROM subscriptions`, `SELECT * FROM subscriptions_of_orders`
	if err := db.Conn().Read.QueryRowContext(tb.Context(), `
		SELECT (SELECT count(*) FROM (`+table+` EXCEPT `+view+`) a) + (SELECT count(*) FROM (`+view+` EXCEPT `+table+`) b)`).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// Two that change orders of a license at once do not see each other's change, and yet neither is lost.
func testSubscriptionsAtOnce(t *testing.T, open Open) {
	db := shopDB(t, open)
	orders := store.NewOrders(db)
	first := Order("o0", "a", "anonymous", "", T0)
	first.Period = product.Monthly
	mustOrder(t, orders, first)
	const others = 6
	for i := 1; i <= others; i++ {
		o := first
		o.ID, o.Follows, o.Kind, o.PaidAt = fmt.Sprint("o", i), true, order.Renewal, time.Time{}
		if err := orders.CreateOrder(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	var all errgroup.Group
	for i := 1; i <= others; i++ {
		all.Go(func() error {
			for n := range 10 {
				err := orders.InTx(t.Context(), func(tx order.Store) error {
					o, err := tx.OrderByID(t.Context(), fmt.Sprint("o", i))
					if err != nil {
						return err
					}
					o.PaidAt, o.RefundedAt = T0.AddDate(0, 0, n), time.Time{}
					if n%3 == 1 {
						o.RefundedAt = o.PaidAt
					}
					return tx.UpdateOrder(t.Context(), o)
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := astray(t, db); n > 0 {
		t.Errorf("%d rows are not as the view says", n)
	}
}

// subscriptions is a shop in memory, beside the one in the database.
type subscriptions struct {
	*rand.Rand
	testing.TB

	store    *store.Orders
	licenses []license.License
	orders   []order.Order
	prices   map[string]int64 // of changes, by order
	payments map[string][]order.Payment
}

func newSubscriptions(tb testing.TB, s *store.Orders, seed uint64) *subscriptions {
	return &subscriptions{
		Rand: rand.New(rand.NewPCG(1, seed)), TB: tb, store: s, prices: make(map[string]int64),
		payments: make(map[string][]order.Payment),
	}
}

// oneIn is true once in n times.
func (m *subscriptions) oneIn(n int) bool { return m.IntN(n) == 0 }

// day returns a time, often one that something else has, too.
func (m *subscriptions) day() time.Time { return T0.AddDate(0, 0, m.IntN(8)) }

// around returns a time that is just before, at or just after one that something has.
func (m *subscriptions) around() time.Time {
	return m.day().Add(time.Duration(m.IntN(3)-1) * time.Millisecond)
}

// happen changes something. There are few licenses, so that much happens to each.
func (m *subscriptions) happen() {
	m.Helper()
	const few = 12
	switch n := m.IntN(8); {
	case len(m.licenses) == 0 || n == 0 && len(m.licenses) < few:
		m.sell()
	case n == 1 && len(m.orders) < 4*few:
		m.follow()
	case n < 4:
		m.settle()
	case n < 6:
		m.pay()
	default:
		m.change()
	}
}

func (m *subscriptions) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *subscriptions) newOrder(l license.License) order.Order {
	o := Order(fmt.Sprintf("%c%d", 'a'+m.IntN(26), len(m.orders)), "a", "anonymous", "", m.day())
	o.LicenseID, o.Provider, o.PaidAt = l.ID, "stripe", time.Time{}
	o.Period = []product.BillingPeriod{product.Monthly, product.Monthly, product.Yearly, product.OneTime}[m.IntN(4)]
	o.Amount = product.Money{Minor: 100 * m.Int64N(30), Currency: []string{"EUR", "USD"}[m.IntN(2)]}
	if m.oneIn(5) {
		o.Provider = "test"
	}
	if m.oneIn(2) {
		o.Discount = order.Discount{ID: "d", Code: "X", Minor: 50, Duration: []discount.Duration{discount.Once, discount.Forever}[m.IntN(2)]}
	}
	if m.oneIn(2) {
		o.PaidAt = m.day()
	}
	return o
}

func (m *subscriptions) sell() {
	l := License(fmt.Sprintf("license_%d", len(m.licenses)), "a")
	l.Trial, l.RevokedAt, l.ExpiresAt, l.Leeway, l.Version = m.oneIn(4), time.Time{}, m.end(), m.leeway(), 1
	m.must(m.store.CreateLicense(m.Context(), l))
	m.licenses = append(m.licenses, l)
	o := m.newOrder(l)
	if o.Trial = l.Trial; o.Trial {
		o.Amount.Minor = 0
	}
	m.must(m.store.CreateOrder(m.Context(), o))
	m.orders = append(m.orders, o)
}

func (m *subscriptions) follow() {
	o := m.newOrder(m.licenses[m.IntN(len(m.licenses))])
	o.Follows, o.Kind = true, []order.Kind{order.Change, order.Renewal, ""}[m.IntN(3)]
	m.must(m.store.CreateOrder(m.Context(), o))
	m.orders = append(m.orders, o)
	if o.Kind == order.Change && !m.oneIn(5) {
		m.prices[o.ID] = 100 * m.Int64N(30)
		m.must(m.store.PutTerms(m.Context(), o.ID, order.Terms{Price: m.prices[o.ID]}))
	}
}

// settle changes the state of an order.
func (m *subscriptions) settle() {
	o := &m.orders[m.IntN(len(m.orders))]
	switch m.IntN(7) {
	case 0:
		o.CancelledAt = m.day()
	case 1:
		o.RefundedAt = m.day()
	case 2:
		o.Provider = "stripe"
	case 3, 4:
		o.CancelledAt, o.RefundedAt = time.Time{}, time.Time{} // so that not all are over in the end
	default:
		o.PaidAt = m.day()
	}
	m.must(m.store.UpdateOrder(m.Context(), *o))
}

// pay adds a payment of an order, or changes one.
func (m *subscriptions) pay() {
	o := m.orders[m.IntN(len(m.orders))]
	p := order.Payment{OrderID: o.ID, Seq: 1 + m.IntN(3), At: m.day(), Minor: 1 + m.Int64N(1000), Currency: o.Amount.Currency}
	if m.IntN(4) > 0 {
		p.Bill = payment.Bill{Taxed: true, Tax: min(m.Int64N(300), p.Minor)}
		if m.oneIn(2) {
			p.Bill.Added = p.Bill.Tax
		}
	}
	m.must(m.store.PutPayment(m.Context(), p))
	m.payments[o.ID] = slices.DeleteFunc(m.payments[o.ID], func(before order.Payment) bool { return before.Seq == p.Seq })
	m.payments[o.ID] = append(m.payments[o.ID], p)
}

// change changes a license.
func (m *subscriptions) change() {
	l := &m.licenses[m.IntN(len(m.licenses))]
	switch m.IntN(5) {
	case 0:
		l.ExpiresAt = m.end()
	case 4:
		l.Leeway = m.leeway()
	case 1:
		l.RevokedAt = time.Time{}
		if m.oneIn(2) {
			l.RevokedAt = m.day()
		}
	default:
		l.Next = license.Next{}
		if orders := m.of(l.ID); m.oneIn(2) {
			l.Next.OrderID = orders[m.IntN(len(orders))].ID
		}
	}
	m.must(m.store.UpdateLicense(m.Context(), *l))
}

func (m *subscriptions) end() time.Time {
	if m.oneIn(6) {
		return time.Time{}
	}
	return T0.AddDate(0, 0, m.IntN(16))
}

// leeway returns a leeway, often none, and rarely the longest one.
func (m *subscriptions) leeway() time.Duration {
	if m.oneIn(10) {
		return license.MaxLeeway
	}
	return time.Duration(m.IntN(2)*m.IntN(4)) * 24 * time.Hour
}

// of returns the orders of a license.
func (m *subscriptions) of(licenseID string) (all []order.Order) {
	for _, o := range m.orders {
		if o.LicenseID == licenseID {
			all = append(all, o)
		}
	}
	return all
}

// stands is true for orders of subscriptions that were paid.
func stands(o order.Order) bool {
	return o.Period != product.OneTime && !o.PaidAt.IsZero() && o.CancelledAt.IsZero()
}

// afterwards is the order in which two orders of a license took effect.
func afterwards(a, b order.Order) int {
	if c := a.PaidAt.Compare(b.PaidAt); c != 0 || a.Kind == "" {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

func active(l license.License, at time.Time) bool {
	return (l.RevokedAt.IsZero() || l.RevokedAt.After(at)) &&
		(l.ExpiresAt.IsZero() || l.ExpiresAt.Add(l.Leeway).After(at))
}

func (m *subscriptions) recurring(at time.Time, test bool) map[string]*big.Rat {
	sums := make(map[string]*big.Rat)
	for _, l := range m.licenses {
		if !active(l, at) || !l.RevokedAt.IsZero() {
			continue
		}
		var last order.Order // of those after the first
		orders := slices.DeleteFunc(m.of(l.ID), func(o order.Order) bool {
			return !stands(o) || !o.RefundedAt.IsZero() || o.ID == l.Next.OrderID
		})
		for _, o := range orders {
			if o.Kind != "" && (last.ID == "" || afterwards(o, last) > 0) {
				last = o
			}
		}
		for _, o := range orders {
			if o.Provider == "test" && !test ||
				last.ID != "" && o.ID != last.ID && (o.Kind != "" || !o.PaidAt.After(last.PaidAt)) {
				continue
			}
			if price := m.price(o); price != nil {
				sum := cmp.Or(sums[o.Amount.Currency], new(big.Rat))
				sums[o.Amount.Currency] = sum.Add(sum, price.Mul(price, m.untaxed(l.ID)))
			}
		}
	}
	return sums
}

// price returns what an order says that a subscription costs each month, nil if it says nothing.
func (m *subscriptions) price(o order.Order) *big.Rat {
	minor := o.Amount.Minor
	if o.Kind == order.Change {
		price, ok := m.prices[o.ID]
		if minor = price; !ok {
			return nil
		}
	} else if minor == 0 {
		return nil
	} else if o.Discount.Duration == discount.Once {
		minor += o.Discount.Minor
	}
	return big.NewRat(minor, int64(o.Period.Months()))
}

// untaxed returns how much of what a license costs is no tax.
func (m *subscriptions) untaxed(licenseID string) *big.Rat {
	var last *order.Payment
	for _, o := range m.of(licenseID) {
		for _, p := range m.payments[o.ID] {
			if p.Bill.Tax == 0 || p.Minor <= p.Bill.Tax {
				continue
			}
			if last == nil || cmp.Or(p.At.Compare(last.At), cmp.Compare(last.OrderID, p.OrderID), cmp.Compare(p.Seq, last.Seq)) > 0 {
				last = &p
			}
		}
	}
	if last == nil {
		return big.NewRat(1, 1)
	}
	return big.NewRat(last.Minor-last.Bill.Tax, last.Minor-last.Bill.Added)
}

func (m *subscriptions) churn(from, to time.Time, test bool) (p figures.Part) {
	for _, l := range m.licenses {
		for _, o := range m.of(l.ID) {
			if !stands(o) || o.Kind != "" || o.Amount.Minor == 0 || o.PaidAt.After(from) || !active(l, from) || o.Provider == "test" && !test {
				continue
			}
			if p.All++; !active(l, to) {
				p.Part++
			}
		}
	}
	return p
}

func (m *subscriptions) trials(from, to time.Time) (p figures.Part) {
	for _, o := range m.orders {
		if !o.Trial || o.CreatedAt.Before(from) || !o.CreatedAt.Before(to) {
			continue
		}
		p.All++
		if slices.ContainsFunc(m.of(o.LicenseID), func(o order.Order) bool {
			return o.Follows && !o.PaidAt.IsZero() && o.CancelledAt.IsZero()
		}) {
			p.Part++
		}
	}
	return p
}

// equalRecurring compares with exact sums. Just between two units, engines may round to either.
func equalRecurring(want map[string]*big.Rat, got []figures.Recurring) bool {
	half := big.NewRat(500_001, 1_000_000)
	for i, currency := range slices.Sorted(maps.Keys(want)) {
		if i >= len(got) || got[i].Currency != currency {
			return false
		}
		off := new(big.Rat).Sub(want[currency], new(big.Rat).SetInt64(got[i].Monthly))
		if off.Abs(off).Cmp(half) > 0 {
			return false
		}
	}
	return len(got) == len(want)
}
