package admin

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/operate/figures"
	"stoa/internal/shop/product"
)

// sum is what was sold in a currency.
type sum struct {
	Currency string      `json:"currency"`
	Orders   int         `json:"orders"`
	Gross    json.Number `json:"gross"`
	Discount json.Number `json:"discount"`
	Refunds  json.Number `json:"refunds"`
	Tax      json.Number `json:"tax"`
	Net      json.Number `json:"net"`
}

// keyedSum is a row of a report.
type keyedSum struct {
	Key string `json:"key"`
	sum
}

func newSum(s figures.Sum) sum {
	in := func(minor int64) json.Number { return product.Money{Minor: minor, Currency: s.Currency}.Amount() }
	return sum{
		Currency: s.Currency, Orders: s.Orders, Gross: in(s.Gross), Discount: in(s.Discount), Refunds: in(s.Refunds),
		Tax: in(s.Tax), Net: in(s.Net()),
	}
}

func newKeyedSum(s figures.Sum) keyedSum { return keyedSum{s.Key, newSum(s)} }

// readDay reads a day such as 2030-03-01, zero if the request has none.
func readDay(r *http.Request, name string, faults *errs.Issues) time.Time {
	q := r.URL.Query()
	if !q.Has(name) {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, q.Get(name))
	switch {
	case err != nil:
		faults.Add(name, errs.CodeWrongType, "%s must be a day like 2030-03-01.", name)
	case t.Year() < 1970: // the zero time is that of a day that is not given
		faults.Add(name, errs.CodeOutOfRange, "%s must be a day from 1970 on.", name)
	}
	return t
}

func readPeriod(r *http.Request, faults *errs.Issues) figures.Period {
	return figures.Period{From: readDay(r, "from", faults), To: readDay(r, "to", faults)}
}

// revenue reads which report a request wants, and makes it.
func (h *Handlers) revenue(r *http.Request) (figures.Revenue, error) {
	var faults errs.Issues
	web.NoParamsBut(r, &faults, "from", "to", "by", "product")
	v := r.URL.Query()
	q := figures.Query{Period: readPeriod(r, &faults), By: figures.By(v.Get("by")), Product: v.Get("product")}
	err := web.Refusal(faults, func() errs.Issues { return h.Figures.RevenueIssues(q) })
	if err != nil {
		return figures.Revenue{}, err
	}
	return h.Figures.Revenue(r.Context(), q)
}

// ReportRevenue serves GET /api/v1/admin/reports/revenue.
func (h *Handlers) ReportRevenue(w http.ResponseWriter, r *http.Request) error {
	report, err := h.revenue(r)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, struct {
		From   string     `json:"from"`
		To     string     `json:"to"`
		By     figures.By `json:"by"`
		Rows   []keyedSum `json:"rows"`
		Totals []sum      `json:"totals"`
	}{
		report.From.Format(time.DateOnly), report.To.Format(time.DateOnly), report.By,
		web.Items(report.Rows, newKeyedSum), web.Items(report.Totals, newSum),
	})
	return nil
}

// amount is a column of amounts, with all decimals of their currency.
func amount(name string, minor func(figures.Sum) int64) column[figures.Sum] {
	return column[figures.Sum]{name, func(s figures.Sum) string {
		return product.Money{Minor: minor(s), Currency: s.Currency}.Decimal()
	}}
}

var revenueTable = table[figures.Sum]{"revenue", []column[figures.Sum]{
	written("key", func(s figures.Sum) string { return s.Key }),
	{"currency", func(s figures.Sum) string { return s.Currency }},
	{"orders", func(s figures.Sum) string { return strconv.Itoa(s.Orders) }},
	amount("gross", func(s figures.Sum) int64 { return s.Gross }),
	amount("discount", func(s figures.Sum) int64 { return s.Discount }),
	amount("refunds", func(s figures.Sum) int64 { return s.Refunds }),
	amount("tax", func(s figures.Sum) int64 { return s.Tax }),
	amount("net", figures.Sum.Net),
}}

// RevenueCSV serves GET /api/v1/admin/reports/revenue.csv.
func (h *Handlers) RevenueCSV(w http.ResponseWriter, r *http.Request) error {
	report, err := h.revenue(r)
	if err != nil {
		return err
	}
	return revenueTable.send(h, w, r, func(yield func(figures.Sum, error) bool) {
		for _, row := range report.Rows {
			if !yield(row, nil) {
				return
			}
		}
	})
}

// rate has four decimals.
func rate(p figures.Part) float64 { return math.Round(p.Rate()*10_000) / 10_000 }

type recurring struct {
	Currency string      `json:"currency"`
	Monthly  json.Number `json:"monthly"`
}

type churn struct {
	AtStart int     `json:"atStart"`
	Ended   int     `json:"ended"`
	Rate    float64 `json:"rate"`
}

type trials struct {
	Started int     `json:"started"`
	Bought  int     `json:"bought"`
	Rate    float64 `json:"rate"`
}

// ReportSubscriptions serves GET /api/v1/admin/reports/subscriptions.
func (h *Handlers) ReportSubscriptions(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.NoParamsBut(r, &faults, "from", "to")
	p := readPeriod(r, &faults)
	if err := web.Refusal(faults, func() errs.Issues { return h.Figures.PeriodIssues(p) }); err != nil {
		return err
	}
	s, err := h.Figures.Subscriptions(r.Context(), p)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, struct {
		From      string      `json:"from"`
		To        string      `json:"to"`
		Recurring []recurring `json:"recurring"`
		Churn     churn       `json:"churn"`
		Trials    trials      `json:"trials"`
	}{
		s.From.Format(time.DateOnly), s.To.Format(time.DateOnly),
		web.Items(s.Recurring, func(m figures.Recurring) recurring {
			return recurring{m.Currency, product.Money{Minor: m.Monthly, Currency: m.Currency}.Amount()}
		}),
		churn{s.Churn.All, s.Churn.Part, rate(s.Churn)}, trials{s.Trials.All, s.Trials.Part, rate(s.Trials)},
	})
	return nil
}
