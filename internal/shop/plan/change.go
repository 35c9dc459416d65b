package plan

import (
	"math/bits"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Standing is a license and what was paid for it.
type Standing struct {
	License license.License

	// Rate is what a period of its plan costs, or what its plan costs once. It has no currency if nothing is known of it.
	Rate product.Money
	// Paid is what was paid for the license less refunds, in the units of Rate.
	Paid int64
	// Periods are what the periods of a subscription cost its owner: the last one that is paid comes first. The last
	// entry holds for all periods before it, too. It may be empty if nobody paid.
	Periods []Period
}

// Period is what was paid for so many months, at least one, less refunds, in the units of Rate.
type Period struct {
	Minor  int64
	Months int
}

// worth returns what was paid for the last months of the term.
func (s Standing) worth(months int) (sum int64) {
	for i, p := range s.Periods {
		part := min(months, p.Months)
		if i == len(s.Periods)-1 {
			sum += p.Minor * int64(months/p.Months)
			part = months % p.Months
		}
		sum += Share(p.Minor, int64(part), int64(p.Months))
		months -= part
	}
	return sum
}

// Target is a tier to which the license is to be changed.
type Target struct {
	TierID string
	Price  product.Money
	Months int // the billing period; zero if it is paid once
}

// TargetOf returns a tier as a target.
func TargetOf(t product.Tier) Target {
	return Target{TierID: t.ID, Price: t.Price, Months: t.Period.Months()}
}

// Quote is what a change costs, and when it begins.
type Quote struct {
	// Due is what is to be paid now. Credit is what is taken off the price for what was paid before.
	Due, Credit product.Money
	// Later says that the change begins with the next period, at At. Otherwise it begins at once, or when Due is paid.
	Later bool
	At    time.Time
}

// Usable returns why nothing can be bought for a license: ErrRevoked, ErrTrial or ErrUnpaid.
func Usable(l license.License) error {
	switch {
	case !l.RevokedAt.IsZero():
		return ErrRevoked
	case l.Trial:
		return ErrTrial
	case !l.Paid:
		return ErrUnpaid
	}
	return nil
}

// Renewable returns why a license cannot be renewed by its owner: what Usable returns, ErrPerpetual or ErrRenewed.
// renews says that a payment provider renews it.
func Renewable(l license.License, renews bool) error {
	if err := Usable(l); err != nil {
		return err
	}
	switch {
	case l.Months == 0, l.ExpiresAt.IsZero():
		return ErrPerpetual
	case renews:
		return ErrRenewed
	}
	return nil
}

// Change returns what it costs to change a license to a tier at a time. A subscription that a payment provider renews
// has the provider's figures instead. It returns what Usable returns, ErrSameTier, ErrOtherWay, ErrOtherCurrency and
// ErrCheaper.
func Change(s Standing, to Target, now time.Time) (Quote, error) {
	if err := allowed(s, to); err != nil {
		return Quote{}, err
	}
	l := s.License
	none := product.Money{Currency: to.Price.Currency}
	q := Quote{Due: none, Credit: none, At: now}
	switch {
	case l.Months == 0 && to.Price.Minor < s.Rate.Minor:
		return Quote{}, ErrCheaper
	case l.Months == 0:
		q.Credit.Minor = s.Paid
		q.Due.Minor = max(to.Price.Minor-s.Paid, 0)
	case s.later(to):
		q.Later, q.At = true, l.ExpiresAt
	default:
		q.Due.Minor, q.Credit.Minor = s.prorate(to, now)
	}
	// What cannot be charged is given away.
	exponent, _ := product.Exponent(to.Price.Currency)
	q.Due.Minor -= q.Due.Minor % payment.Step(to.Price.Currency, exponent)
	return q, nil
}

func allowed(s Standing, to Target) error {
	l := s.License
	if err := Usable(l); err != nil {
		return err
	}
	switch {
	case to.TierID == l.TierID:
		return ErrSameTier
	case (l.Months > 0) != (to.Months > 0), l.Months > 0 && l.ExpiresAt.IsZero():
		return ErrOtherWay
	case s.Rate.Currency != "" && s.Rate.Currency != to.Price.Currency:
		return ErrOtherCurrency
	}
	return nil
}

// later reports whether a change of a subscription waits for the next period: what is cheaper by the month does, unless
// its period is longer; so does a shorter period of the same price, for which nothing is gained by beginning it at
// once.
func (s Standing) later(to Target) bool {
	now, then := s.Rate.Minor*int64(to.Months), to.Price.Minor*int64(s.License.Months)
	switch {
	case to.Months > s.License.Months, then > now:
		return false
	case then == now:
		return to.Months < s.License.Months
	}
	return true
}

// prorate returns what a subscription has to pay for a change at once, and what it is credited: the part of what was
// paid that is not used yet. With another period, a new term begins.
func (s Standing) prorate(to Target, now time.Time) (due, credit int64) {
	left, period, more := s.License.Left(now)
	price := to.Price.Minor
	if to.Months == s.License.Months {
		price = Share(price, seconds(left), seconds(period)) + price*int64(more)
	}
	later := s.worth(more * s.License.Months)
	current := s.worth((more+1)*s.License.Months) - later
	credit = min(Share(current, seconds(left), seconds(period))+later, s.Paid)
	return max(price-credit, 0), credit
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// Share returns an amount times part of whole, rounded half up; 0 of nothing. None of the three is below 0, and part is
// at most whole.
func Share(minor, part, whole int64) int64 {
	if part <= 0 || whole <= 0 {
		return 0
	}
	// A price times the seconds of a year is more than an int64.
	hi, lo := bits.Mul64(uint64(minor), uint64(part)) //nolint:gosec // not below 0
	share, rest := bits.Div64(hi, lo, uint64(whole))
	if rest >= uint64(whole)-rest {
		share++
	}
	return int64(share) //nolint:gosec // at most minor
}
