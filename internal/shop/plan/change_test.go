package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	return plan.Standing{License: l, Rate: eur(price), Worth: price, Paid: price}
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
	reduced.Worth, reduced.Paid = 500, 500
	given.Worth, given.Paid = 0, 0
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
