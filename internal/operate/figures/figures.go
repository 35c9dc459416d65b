// Package figures reports what was sold, and how subscriptions and trials go. It reads across the domains and changes
// nothing.
package figures

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// By is what the rows of a report stand for.
type By string

// The rows of a report.
const (
	ByDay     By = "day"
	ByProduct By = "product" // by slug
	ByTier    By = "tier"    // "slug/tier"
	ByCountry By = "country" // "" where none is known
	ByCode    By = "code"    // of a discount, "" without one
)

var bys = []string{string(ByDay), string(ByProduct), string(ByTier), string(ByCountry), string(ByCode)}

const (
	day = 24 * time.Hour
	// defaultDays is how long a period is for which no beginning is given.
	defaultDays = 30
	// The longest periods, in days.
	maxDaily = 366
	maxDays  = 3653
)

// Period is days of UTC, both included. Zero bounds are those of a default.
type Period struct{ From, To time.Time }

// filled returns the period with its defaults: until today, and 30 days.
func (p Period) filled(now time.Time) Period {
	if p.To.IsZero() {
		p.To = now.UTC().Truncate(day)
	}
	if p.From.IsZero() {
		p.From = p.To.Add(-(defaultDays - 1) * day)
	}
	return p
}

// Days returns how many days the period has.
func (p Period) Days() int { return int(p.To.Sub(p.From)/day) + 1 }

// end is when the period is over.
func (p Period) end() time.Time { return p.To.Add(day) }

func (p Period) issues(longest int) (is errs.Issues) {
	if p.To.Before(p.From) {
		is.Add("to", errs.CodeBeforeFrom, "to must not be before from.")
	} else if p.Days() > longest {
		is.Add("from", errs.CodeOutOfRange, "The period has %d days; at most %d are possible.", p.Days(), longest)
	}
	return is
}

// Query selects the rows of a report on revenue.
type Query struct {
	Period

	By      By
	Product string // a slug; empty for all
}

// issues returns what is wrong with a query that has its defaults.
func (q Query) issues() errs.Issues {
	var is errs.Issues
	longest := maxDays
	if q.By == ByDay {
		longest = maxDaily
	}
	is.Merge(q.Period.issues(longest))
	is.OneOf("by", string(q.By), bys...)
	if !text.Printable(q.Product, text.Short) {
		is.Add("product", errs.CodeOutOfRange, "product must be at most %d printable characters.", text.Short)
	}
	return is
}

// Sum is what was sold in one currency, in its minor unit. Key is empty in totals.
type Sum struct {
	Key      string
	Currency string
	// Orders counts the first payments; Gross has later ones, too.
	Orders                        int
	Gross, Discount, Refunds, Tax int64
}

// Net returns what is left without refunds and tax.
func (s Sum) Net() int64 { return s.Gross - s.Refunds - s.Tax }

// Revenue is a report on what was sold.
type Revenue struct {
	Query

	Rows   []Sum // by key, then currency
	Totals []Sum // by currency
}

// Recurring is what paid subscriptions bring each month in a currency, without tax.
type Recurring struct {
	Currency string
	Monthly  int64 // in minor units
}

// Part is how many of All are in it.
type Part struct{ Part, All int }

// Rate is Part by All, 0 of none.
func (p Part) Rate() float64 {
	if p.All == 0 {
		return 0
	}
	return float64(p.Part) / float64(p.All)
}

// Subscriptions is a report on subscriptions and trials.
type Subscriptions struct {
	Period

	Recurring []Recurring // now, by currency
	// Churn is how many of the paid subscriptions that were active when the period began had ended when it was over, or
	// have by now.
	Churn Part
	// Trials is how many of those that began in the period are bought by now.
	Trials Part
}

// Store reads the figures. Package store implements it for SQLite and PostgreSQL; its tests hold every sentence here to
// it. What the test provider took counts only if test says so.
type Store interface {
	// Revenue returns the sums of a query that has something in them, by key and currency.
	Revenue(ctx context.Context, q Query, test bool) ([]Sum, error)
	// Recurring returns what each month brings at that time.
	Recurring(ctx context.Context, now time.Time, test bool) ([]Recurring, error)
	// Churn returns how many paid subscriptions were active at from, and how many of these no longer at to.
	Churn(ctx context.Context, from, to time.Time, test bool) (Part, error)
	// Trials returns how many trials began at or after from and before to, and how many of these were bought.
	Trials(ctx context.Context, from, to time.Time) (Part, error)
}

// Service makes reports. All fields are required. It is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time
	// Test reports whether payments are tests now.
	Test func() bool
}

// Revenue reports what was sold. It returns VALIDATION_ERROR for what Service.RevenueIssues finds.
func (s *Service) Revenue(ctx context.Context, q Query) (Revenue, error) {
	q = s.filled(q)
	faults := q.issues()
	if err := faults.Err(); err != nil {
		return Revenue{}, err
	}
	rows, err := s.Store.Revenue(ctx, q, s.Test())
	return Revenue{Query: q, Rows: rows, Totals: totals(rows)}, err
}

// RevenueIssues returns what is wrong with a query.
func (s *Service) RevenueIssues(q Query) errs.Issues { return s.filled(q).issues() }

func (s *Service) filled(q Query) Query {
	q.Period = q.filled(s.Now())
	if q.By == "" {
		q.By = ByDay
	}
	return q
}

// totals adds rows up by currency.
func totals(rows []Sum) (all []Sum) {
	for _, r := range rows {
		i := slices.IndexFunc(all, func(t Sum) bool { return t.Currency == r.Currency })
		if i < 0 {
			i, all = len(all), append(all, Sum{Currency: r.Currency})
		}
		t := &all[i]
		t.Orders += r.Orders
		t.Gross += r.Gross
		t.Discount += r.Discount
		t.Refunds += r.Refunds
		t.Tax += r.Tax
	}
	slices.SortFunc(all, func(a, b Sum) int { return strings.Compare(a.Currency, b.Currency) })
	return all
}

// PeriodIssues returns what is wrong with the period of Subscriptions.
func (s *Service) PeriodIssues(p Period) errs.Issues { return p.filled(s.Now()).issues(maxDays) }

// Subscriptions reports on subscriptions and trials. It returns VALIDATION_ERROR for what PeriodIssues finds.
func (s *Service) Subscriptions(ctx context.Context, p Period) (Subscriptions, error) {
	now, test := s.Now().UTC(), s.Test()
	out := Subscriptions{Period: p.filled(now)}
	faults := out.issues(maxDays)
	if err := faults.Err(); err != nil {
		return Subscriptions{}, err
	}
	end := out.end()
	if end.After(now) {
		end = now
	}
	var err error
	if out.Recurring, err = s.Store.Recurring(ctx, now, test); err != nil {
		return Subscriptions{}, err
	}
	if out.Churn, err = s.Store.Churn(ctx, out.From, end, test); err != nil {
		return Subscriptions{}, err
	}
	out.Trials, err = s.Store.Trials(ctx, out.From, out.end())
	return out, err
}
