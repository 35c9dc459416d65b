package plan_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/shop/license"
	"stoa/internal/shop/plan"
	"stoa/internal/shop/product"
)

// begin is when the licenses of these tests begin, day the start of a day of their month, which has 31.
var begin = time.Date(2030, time.March, 1, 0, 0, 0, 0, time.UTC)

func day(n int) time.Time { return begin.AddDate(0, 0, n) }

func eur(minor int64) product.Money { return product.Money{Minor: minor, Currency: "EUR"} }

// standing is a license of a tier t that costs so much, once or each so many months, and was paid for.
func standing(price int64, months int) plan.Standing {
	l := license.License{TierID: "t", MaxInstances: 1, Paid: true, Type: license.Perpetual}
	l.Begin(months, begin)
	return plan.Standing{License: l, Rate: eur(price), Paid: price, Periods: []plan.Period{{price, max(months, 1)}}}
}

func to(price int64, months int) plan.Target {
	return plan.Target{TierID: "other", Price: eur(price), Months: months}
}

func TestWhatAChangeCosts(t *testing.T) {
	t.Parallel()

	refunded, granted := standing(5000, 0), standing(5000, 0)
	refunded.Paid, granted.Paid = 3000, 0
	ahead := standing(1000, 1)
	ahead.Paid = 3000
	for range 2 {
		if err := ahead.License.Renew(license.Renewal{Periods: 1}, begin); err != nil {
			t.Fatal(err)
		}
	}
	reduced, given := standing(1000, 1), standing(1000, 1)
	reduced.Periods[0].Minor, reduced.Paid = 500, 500
	given.Periods, given.Paid = nil, 0
	for _, tc := range []struct {
		name        string
		from        plan.Standing
		to          plan.Target
		at          time.Time
		due, credit int64
		later       bool
	}{
		{"once: the difference", standing(5000, 0), to(8000, 0), day(9), 3000, 5000, false},
		{"once: for the same price", standing(5000, 0), to(5000, 0), day(9), 0, 5000, false},
		{"once: less refunds", refunded, to(8000, 0), day(9), 5000, 3000, false},
		{"once: of a license that was given", granted, to(8000, 0), day(9), 8000, 0, false},
		{"at the beginning", standing(1000, 1), to(3100, 1), begin, 2100, 1000, false},
		{"by the day", standing(3100, 1), to(6200, 1), day(10), 2100, 2100, false},
		{"a second before the end", standing(1000, 1), to(300000, 1), day(31).Add(-time.Second), 0, 0, false},
		{"rounded half up", standing(31, 1), to(62, 1), day(31).Add(-12 * time.Hour), 0, 1, false},
		{"when it is over", standing(1000, 1), to(3000, 1), day(31), 0, 0, false},
		{"of three paid periods", ahead, to(2000, 1), begin, 3000, 3000, false},
		{"after a discount, for what was paid", reduced, to(2000, 1), begin, 1500, 500, false},
		{"of a subscription that was given", given, to(2000, 1), begin, 2000, 0, false},
		{"month to year, though cheaper by the month", standing(1000, 1), to(10000, 12), day(0), 9000, 1000, false},
		{"month to year, of which a part is left", standing(3100, 1), to(10000, 12), day(21), 9000, 1000, false},
		{"month to year for less than is left", standing(3100, 1), to(1000, 12), begin, 0, 3100, false},
		{"year to month, dearer by the month", standing(12000, 12), to(1001, 1), begin, 0, 12000, false},
		{"year to month, for the same by the month", standing(12000, 12), to(1000, 1), begin, 0, 0, true},
		{"the same price and period", standing(1000, 1), to(1000, 1), begin, 0, 1000, false},
		{"cheaper by a cent", standing(1000, 1), to(999, 1), begin, 0, 0, true},
		{"dearer by a cent", standing(1000, 1), to(1001, 1), begin, 1, 1000, false},
		{"to nothing", standing(1000, 1), to(0, 1), begin, 0, 0, true},
	} {
		end := tc.from.License.ExpiresAt
		want := plan.Quote{Due: eur(tc.due), Credit: eur(tc.credit), Later: tc.later, At: tc.at}
		if tc.later {
			want.At = end
		}
		got, err := plan.Change(tc.from, tc.to, tc.at)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tc.name, err, diff)
		}
	}
}

// paidAhead is a license whose periods were paid with these prices, the first one first.
func paidAhead(t rapid.TB, months int, prices []int64) plan.Standing {
	s := standing(prices[0], months)
	s.Paid, s.Periods = 0, nil
	for i, price := range prices {
		if i > 0 {
			if err := s.License.Renew(license.Renewal{Periods: 1}, begin); err != nil {
				t.Fatal(err)
			}
		}
		s.Paid += price
		s.Periods = append([]plan.Period{{price, months}}, s.Periods...)
	}
	s.Rate = eur(prices[len(prices)-1])
	return s
}

// Whatever the plan costs by now: what was paid for the periods to come is credited, and of the present one the part
// that is left.
func TestWhatWasPaidForTheRestOfTheTermIsCredited(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		months := rapid.SampledFrom([]int{1, 12}).Draw(t, "months")
		prices := rapid.SliceOfN(rapid.Int64Range(0, 10_000), 1, 24).Draw(t, "prices")
		s := paidAhead(t, months, prices)
		ahead := int64(0)
		for i, price := range slices.Backward(prices) {
			first := begin.AddDate(0, months*i, 0)
			length := begin.AddDate(0, months*(i+1), 0).Sub(first) / time.Second
			passed := time.Duration(rapid.Int64Range(0, int64(length)-1).Draw(t, "seconds"))
			for at, want := range map[time.Time]int64{
				first:                                 ahead + price,
				first.Add(passed * time.Second):       ahead + plan.Share(price, int64(length-passed), int64(length)),
				first.Add((length - 1) * time.Second): ahead + plan.Share(price, 1, int64(length)),
			} {
				q, err := plan.Change(s, to(1_000_000, months), at)
				if err != nil || q.Credit.Minor != want || q.Credit.Minor > s.Paid {
					t.Fatalf("period %d of %v at %s: credit = %d, %v; want %d", i, prices, at, q.Credit.Minor, err, want)
				}
			}
			ahead += price
		}
	})
}

// Months that were paid for together are split when the periods are shorter by now.
func TestMonthsThatWerePaidTogetherAreCreditedOneByOne(t *testing.T) {
	t.Parallel()

	s := paidAhead(t, 1, slices.Repeat([]int64{0}, 13))
	s.Rate, s.Paid, s.Periods = eur(500), 12500, []plan.Period{{500, 1}, {12000, 12}}
	for month, want := range map[int]int64{0: 12500, 1: 11500, 11: 1500, 12: 500} {
		q, err := plan.Change(s, to(1_000_000, 1), begin.AddDate(0, month, 0))
		if err != nil || q.Credit.Minor != want {
			t.Errorf("after %d months: credit = %d, %v; want %d", month, q.Credit.Minor, err, want)
		}
	}
	s = paidAhead(t, 12, []int64{0})
	s.Paid, s.Periods = 12900, []plan.Period{{500, 1}, {400, 1}, {12000, 12}}
	if q, err := plan.Change(s, to(1_000_000, 12), begin); err != nil || q.Credit.Minor != 500+400+10000 {
		t.Errorf("of a year: credit = %d, %v", q.Credit.Minor, err)
	}
}

// What cannot be charged in a currency is given away: dinars are charged by ten fils.
func TestWhatIsDueCanBeCharged(t *testing.T) {
	t.Parallel()

	from := standing(5000, 0)
	from.Rate.Currency, from.Paid = "KWD", 4993
	target := plan.Target{TierID: "other", Price: product.Money{Minor: 8000, Currency: "KWD"}}
	got, err := plan.Change(from, target, begin)
	if err != nil || got.Due.Minor != 3000 {
		t.Errorf("due = %d, %v", got.Due.Minor, err)
	}
}

func TestWhatIsNotChanged(t *testing.T) {
	t.Parallel()

	with := func(s plan.Standing, fn func(l *license.License)) plan.Standing {
		fn(&s.License)
		return s
	}
	unknown := standing(0, 0)
	unknown.Rate = product.Money{}
	for _, tc := range []struct {
		name string
		from plan.Standing
		to   plan.Target
		want error
	}{
		{"revoked", with(standing(5, 0), func(l *license.License) { l.RevokedAt = begin }), to(9, 0), plan.ErrRevoked},
		{"unpaid", with(standing(5, 0), func(l *license.License) { l.Paid = false }), to(9, 0), plan.ErrUnpaid},
		{"a trial", with(standing(5, 0), func(l *license.License) { l.Trial = true }), to(9, 0), plan.ErrTrial},
		{"same tier", with(standing(5, 0), func(l *license.License) { l.TierID = "other" }), to(9, 0), plan.ErrSameTier},
		{"once to each month", standing(5, 0), to(9, 1), plan.ErrOtherWay},
		{"each month to once", standing(5, 1), to(9, 0), plan.ErrOtherWay},
		{"a subscription without end", with(standing(5, 1), func(l *license.License) { l.EndAt(time.Time{}) }), to(9, 1), plan.ErrOtherWay},
		{"cheaper by a cent", standing(5, 0), to(4, 0), plan.ErrCheaper},
		{"another currency", standing(5, 0), plan.Target{TierID: "x", Price: product.Money{Minor: 9, Currency: "JPY"}}, plan.ErrOtherCurrency},
		{"of nobody knows what", unknown, to(9, 0), nil},
	} {
		if _, err := plan.Change(tc.from, tc.to, begin); err != tc.want { //nolint:errorlint // identity is the point
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

func TestWhatIsRenewed(t *testing.T) {
	t.Parallel()

	month, once, endless := standing(5, 1).License, standing(5, 0).License, standing(5, 1).License
	endless.EndAt(time.Time{})
	revoked := month
	revoked.RevokedAt = begin
	for _, tc := range []struct {
		name   string
		of     license.License
		renews bool
		want   error
	}{
		{"a month", month, false, nil},
		{"by its provider", month, true, plan.ErrRenewed},
		{"paid once", once, false, plan.ErrPerpetual},
		{"without end", endless, false, plan.ErrPerpetual},
		{"revoked", revoked, false, plan.ErrRevoked},
	} {
		if err := plan.Renewable(tc.of, tc.renews); err != tc.want { //nolint:errorlint // identity is the point
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}
