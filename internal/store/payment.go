package store

import (
	"context"
	"database/sql"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

var _ order.PaymentStore = (*Orders)(nil)

// PaymentsOf implements order.PaymentStore.
func (s *Orders) PaymentsOf(ctx context.Context, orderID string) ([]order.Payment, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (p order.Payment, err error) {
		err = row.Scan(append([]any{
			&p.OrderID, &p.Seq, &p.Invoice, &p.ID, database.ScanMillis(&p.At), &p.Minor, &p.Refunded, &p.Currency, &p.Code,
			&p.TierID,
		}, scanBill(&p.Bill)...)...)
		return p, err
	}, `
		SELECT order_id, seq, invoice, payment, at_ms, minor, refunded_minor, currency,
			COALESCE(code, ''), COALESCE(tier_id, ''), `+billColumns+`
		FROM payments paid WHERE order_id = $1 ORDER BY seq`, orderID)
}

// billColumns are what is known of tax and invoice of paid, a row of payments. scanBill reads them.
const billColumns = `paid.tax_minor IS NOT NULL, COALESCE(paid.tax_minor, 0), COALESCE(paid.tax_added_minor, 0),
	COALESCE(paid.country, ''), COALESCE(paid.tax_id, ''), COALESCE(paid.invoice_number, ''),
	COALESCE(paid.invoice_url, ''), COALESCE(paid.invoice_pdf, '')`

func scanBill(b *payment.Bill) []any {
	return []any{&b.Taxed, &b.Tax, &b.Added, &b.Country, &b.TaxID, &b.Number, &b.URL, &b.PDF}
}

// PutPayment implements order.PaymentStore.
func (s *Orders) PutPayment(ctx context.Context, p order.Payment) error {
	b := p.Bill
	known := func(minor int64) sql.NullInt64 { return sql.NullInt64{Int64: minor, Valid: b.Taxed} }
	return s.counting(ctx, p.OrderID, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			INSERT INTO payments (order_id, seq, invoice, payment, at_ms, minor, currency, refunded_minor, code,
				net_minor, tax_minor, tax_added_minor, total_minor, country, tax_id, invoice_number, invoice_url, invoice_pdf,
				tier_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
			ON CONFLICT (order_id, seq) DO UPDATE SET invoice = excluded.invoice, payment = excluded.payment,
				at_ms = excluded.at_ms, minor = excluded.minor, refunded_minor = excluded.refunded_minor,
				net_minor = excluded.net_minor, tax_minor = excluded.tax_minor, tax_added_minor = excluded.tax_added_minor,
				total_minor = excluded.total_minor, country = excluded.country, tax_id = excluded.tax_id,
				invoice_number = excluded.invoice_number, invoice_url = excluded.invoice_url, invoice_pdf = excluded.invoice_pdf`,
			p.OrderID, p.Seq, p.Invoice, p.ID, database.Millis(p.At), p.Minor, p.Currency, p.Refunded,
			database.NullText(p.Code), known(p.Minor-b.Tax), known(b.Tax), known(b.Added), known(p.Minor),
			database.NullText(b.Country), database.NullText(b.TaxID), database.NullText(b.Number), database.NullText(b.URL),
			database.NullText(b.PDF), database.NullText(p.TierID))
		return err
	})
}

// FillPayments implements order.PaymentStore.
func (s *Orders) FillPayments(ctx context.Context, since time.Time) error {
	lacking, err := s.withoutPayment(ctx, since, "")
	for _, id := range lacking {
		err := s.Conn.InTx(ctx, func(tx database.Conn) error {
			locked := &Orders{licenseRows{audited{tx}}}
			if _, err := locked.OrderByID(ctx, id); err != nil {
				return err
			}
			if still, err := locked.withoutPayment(ctx, since, id); err != nil || len(still) == 0 {
				return err
			}
			return locked.counting(ctx, id, func(tx database.Conn) error {
				_, err := tx.Write.ExecContext(ctx, `
					INSERT INTO payments (order_id, seq, invoice, payment, at_ms, minor, currency, refunded_minor, code)
					SELECT o.id, 1, o.payment_invoice, o.payment_id, o.paid_at_ms, o.amount_minor, o.currency,
						CASE WHEN o.refunded_at_ms IS NULL THEN o.partly_refunded_minor ELSE o.amount_minor END,
						CASE WHEN o.discount_code <> '' THEN o.discount_code END
					FROM orders o WHERE o.id = $1`, id)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return err
}

// withoutPayment returns the orders paid since then that lack their first payment: all, or one.
func (s *Orders) withoutPayment(ctx context.Context, since time.Time, id string) ([]string, error) {
	where := database.Where{}
	where.And(`o.paid_at_ms >= $1 AND o.amount_minor > 0 AND o.kind <> 'change'
		AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.id AND p.seq = 1)`, database.Millis(since))
	if id != "" {
		where.And(`o.id = $1`, id)
	}
	return database.Texts(ctx, s.Read, `SELECT o.id FROM orders o`+where.String(), where.Args()...)
}
