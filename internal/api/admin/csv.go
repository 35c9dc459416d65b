package admin

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"time"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/paging"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

const (
	// csvBatch is how many rows of a table are read at once. Between two of them no connection to the database is held,
	// however slow the client is.
	csvBatch = 2000
	// csvTime is how long a table may take.
	csvTime = 10 * time.Minute
)

// column is a column of a table: its name, and the cell of a row.
type column[T any] struct {
	name string
	cell func(T) string
}

// table is a list as a file.
type table[T any] struct {
	list    string // what the file and the entry in the audit log are called by
	columns []column[T]
}

// written is the table's cells of something that others wrote.
func written[T any](name string, text func(T) string) column[T] {
	return column[T]{name, func(one T) string { return web.CSVText(text(one)) }}
}

// timed is the column of a time, empty if there is none.
func timed[T any](name string, at func(T) web.Timestamp) column[T] {
	return column[T]{name, func(one T) string {
		t := time.Time(at(one))
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	}}
}

// send answers with a table, and records who took it.
func (t table[T]) send(h *Handlers, w http.ResponseWriter, r *http.Request, all iter.Seq2[T, error]) error {
	name := t.list + "-" + h.Now().UTC().Format(time.DateOnly) + ".csv"
	if r.Method == http.MethodHead { // takes nothing
		web.DescribeCSV(w, name)
		return nil
	}
	if err := h.Audit.Record(r.Context(), audit.ExportCSV, audit.Target{Type: "list", ID: t.list}, nil); err != nil {
		return err
	}
	header := make([]string, len(t.columns))
	for i, c := range t.columns {
		header[i] = c.name
	}
	return web.WriteCSV(w, name, header, func(yield func([]string, error) bool) {
		row := make([]string, len(t.columns))
		for one, err := range all {
			if err == nil {
				for i, c := range t.columns {
					row[i] = c.cell(one)
				}
			}
			if !yield(row, err) {
				return
			}
		}
	})
}

// each returns what show makes of each entry.
func each[V, T any](all iter.Seq2[V, error], show func(V) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for one, err := range all {
			var shown T
			if err == nil {
				shown = show(one)
			}
			if !yield(shown, err) {
				return
			}
		}
	}
}

// export answers with a table of all that find finds, a batch after a mark at a time, as show shows it.
func export[V, T any](
	h *Handlers, w http.ResponseWriter, r *http.Request, t table[T],
	find func(ctx context.Context, after paging.Mark) ([]V, int, error), mark func(V) paging.Mark, show func(V) T,
) error {
	ctx, cancel := context.WithTimeout(r.Context(), csvTime)
	defer cancel()
	all := paging.Through(func(after paging.Mark) ([]V, error) {
		list, _, err := find(ctx, after)
		return list, err
	}, mark)
	return t.send(h, w, r.WithContext(ctx), each(all, show))
}

// orderTable is the orders. Amounts have all decimals of their currency.
var orderTable = table[orderRow]{"orders", []column[orderRow]{
	{"id", func(o orderRow) string { return o.ID }},
	timed("createdAt", func(o orderRow) web.Timestamp { return o.CreatedAt }),
	{"kind", func(o orderRow) string { return string(o.Kind) }},
	{"status", func(o orderRow) string { return string(o.Status) }},
	{"productSlug", func(o orderRow) string { return o.ProductSlug }},
	written("tierId", func(o orderRow) string { return o.TierID }),
	{"userId", func(o orderRow) string { return o.UserID }},
	written("userEmail", func(o orderRow) string { return o.UserEmail }),
	written("billingName", func(o orderRow) string { return o.bill().Name }),
	written("billingEmail", func(o orderRow) string { return o.bill().Email }),
	written("billingCompany", func(o orderRow) string { return o.bill().Company }),
	written("paymentMethod", func(o orderRow) string { return o.PaymentMethod }),
	{"currency", func(o orderRow) string { return o.Currency }},
	written("discountCode", func(o orderRow) string { return o.code }),
	{"discount", func(o orderRow) string { return o.off }},
	{"amount", func(o orderRow) string { return o.paid.Decimal() }},
	taxed("net", func(o orderRow) product.Money { return o.net }),
	taxed("tax", func(o orderRow) product.Money { return o.tax }),
	taxed("total", func(o orderRow) product.Money { return o.total }),
	written("taxId", func(o orderRow) string { return o.TaxID }),
	written("country", func(o orderRow) string { return o.Country }),
	written("invoiceNumber", func(o orderRow) string { return o.invoice }),
	{"refunded", func(o orderRow) string { return o.refunded.Decimal() }},
	timed("paidAt", func(o orderRow) web.Timestamp { return o.PaidAt }),
	timed("refundedAt", func(o orderRow) web.Timestamp { return o.RefundedAt }),
	timed("cancelledAt", func(o orderRow) web.Timestamp { return o.CancelledAt }),
	{"licenseId", func(o orderRow) string { return o.LicenseID }},
}}

// taxed is the column of an amount that is known if tax is.
func taxed(name string, amount func(orderRow) product.Money) column[orderRow] {
	return column[orderRow]{name, func(o orderRow) string {
		if !o.taxed {
			return ""
		}
		return amount(o).Decimal()
	}}
}

// orderRow is an order as its row shows it, with its amounts.
type orderRow struct {
	managedOrder

	paid, refunded  product.Money
	code, off       string // of its discount, empty without one
	taxed           bool
	net, tax, total product.Money // known if taxed
	invoice         string        // its number, empty without one
}

func newOrderRow(o order.Listed, shown managedOrder) orderRow {
	row := orderRow{managedOrder: shown, paid: o.Amount, refunded: o.GivenBack()}
	row.taxed, row.net, row.tax, row.total = o.Bill.Taxed, o.Net(), o.Tax(), o.Total()
	row.invoice = o.Bill.Number
	if !o.Discount.None() {
		row.code, row.off = o.Discount.Code, o.Off().Decimal()
	}
	return row
}

func (o orderRow) bill() order.BillingInfo {
	if o.BillingInfo == nil {
		return order.BillingInfo{}
	}
	return *o.BillingInfo
}

// OrdersCSV serves GET /api/v1/admin/orders.csv.
func (h *Handlers) OrdersCSV(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.NoParamsBut(r, &faults, orderFilters...)
	q := orderQuery(r, &faults)
	faults.Merge(q.Issues())
	if err := faults.Err(); err != nil {
		return err
	}
	q.Limit = csvBatch
	show := former(r.Context(), newManagedOrder)
	return export(h, w, r, orderTable, func(ctx context.Context, after paging.Mark) ([]order.Listed, int, error) {
		q.After = after
		return h.Orders.Find(ctx, q)
	}, func(o order.Listed) paging.Mark { return paging.Mark{At: o.CreatedAt, ID: o.ID} },
		func(o order.Listed) orderRow { return newOrderRow(o, show(o)) })
}

var licenseTable = table[managedLicense]{"licenses", []column[managedLicense]{
	{"id", func(l managedLicense) string { return l.ID }},
	timed("createdAt", func(l managedLicense) web.Timestamp { return l.CreatedAt }),
	{"productSlug", func(l managedLicense) string { return l.ProductSlug }},
	written("tierId", func(l managedLicense) string { return l.TierID }),
	{"userId", func(l managedLicense) string { return l.UserID }},
	written("userEmail", func(l managedLicense) string { return l.UserEmail }),
	{"type", func(l managedLicense) string { return string(l.Type) }},
	{"status", func(l managedLicense) string { return string(l.Status) }},
	{"trial", func(l managedLicense) string { return strconv.FormatBool(l.Trial) }},
	{"maxInstances", func(l managedLicense) string { return strconv.Itoa(l.MaxInstances) }},
	{"currentInstances", func(l managedLicense) string { return strconv.Itoa(l.CurrentInstances) }},
	timed("expiresAt", func(l managedLicense) web.Timestamp { return l.ExpiresAt }),
	timed("revokedAt", func(l managedLicense) web.Timestamp { return l.RevokedAt }),
}}

// LicensesCSV serves GET /api/v1/admin/licenses.csv.
func (h *Handlers) LicensesCSV(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.NoParamsBut(r, &faults, licenseFilters...)
	q := licenseQuery(r)
	faults.Merge(q.Issues())
	if err := faults.Err(); err != nil {
		return err
	}
	q.Limit = csvBatch
	return export(h, w, r, licenseTable, func(ctx context.Context, after paging.Mark) ([]license.Listed, int, error) {
		q.After = after
		return h.Licenses.Find(ctx, q)
	}, func(l license.Listed) paging.Mark { return paging.Mark{At: l.License.CreatedAt, ID: l.License.ID} },
		former(r.Context(), h.managedLicense))
}

var userTable = table[managedUser]{"users", []column[managedUser]{
	{"id", func(u managedUser) string { return u.ID }},
	timed("createdAt", func(u managedUser) web.Timestamp { return u.CreatedAt }),
	written("email", func(u managedUser) string { return u.Email }),
	written("username", func(u managedUser) string { return u.Username }),
	{"role", func(u managedUser) string { return u.Role }},
	{"active", func(u managedUser) string { return strconv.FormatBool(u.Active) }},
}}

// UsersCSV serves GET /api/v1/admin/users.csv.
func (h *Handlers) UsersCSV(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.NoParamsBut(r, &faults, userFilters...)
	q := userQuery(r, &faults)
	faults.Merge(q.Issues())
	if err := faults.Err(); err != nil {
		return err
	}
	q.Limit = csvBatch
	return export(h, w, r, userTable, func(ctx context.Context, after paging.Mark) ([]account.User, int, error) {
		q.After = after
		return h.Accounts.ListUsers(ctx, q)
	}, func(u account.User) paging.Mark { return paging.Mark{At: u.CreatedAt, ID: u.ID} },
		shown(r.Context(), newManagedUser))
}
