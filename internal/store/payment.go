package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

var _ order.PaymentStore = (*Orders)(nil)

// PaymentsOf implements order.PaymentStore.
func (s *Orders) PaymentsOf(ctx context.Context, orderID string) ([]order.Payment, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (p order.Payment, err error) {
		err = row.Scan(&p.OrderID, &p.Seq, &p.Invoice, &p.ID, database.ScanMillis(&p.At), &p.Minor, &p.Refunded, &p.Currency)
		return p, err
	}, `
		SELECT order_id, seq, invoice, payment, at_ms, minor, refunded_minor, currency
		FROM payments WHERE order_id = $1 ORDER BY seq`, orderID)
}

// PutPayment implements order.PaymentStore.
func (s *Orders) PutPayment(ctx context.Context, p order.Payment) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO payments (order_id, seq, invoice, payment, at_ms, minor, currency, refunded_minor)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (order_id, seq) DO UPDATE SET invoice = excluded.invoice, payment = excluded.payment,
			at_ms = excluded.at_ms, minor = excluded.minor, refunded_minor = excluded.refunded_minor`,
		p.OrderID, p.Seq, p.Invoice, p.ID, database.Millis(p.At), p.Minor, p.Currency, p.Refunded)
	return err
}

// FillPayments implements order.PaymentStore.
func (s *Orders) FillPayments(ctx context.Context, since time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO payments (order_id, seq, invoice, payment, at_ms, minor, currency, refunded_minor)
		SELECT o.id, 1, o.payment_invoice, o.payment_id, o.paid_at_ms, o.amount_minor, o.currency,
			CASE WHEN o.refunded_at_ms IS NULL THEN o.partly_refunded_minor ELSE o.amount_minor END
		FROM orders o
		WHERE o.paid_at_ms >= $1 AND o.amount_minor > 0
			AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.id AND p.seq = 1)
		ON CONFLICT (order_id, seq) DO NOTHING`, database.Millis(since))
	return err
}
