package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

// Orders implements order.Store.
type Orders struct{ licenseRows }

var _ order.Store = (*Orders)(nil)

// NewOrders returns the orders of db and their payments.
func NewOrders(db *database.DB) *Orders { return &Orders{licenseRows{audited{db.Conn()}}} }

// InTx implements order.Store.
func (s *Orders) InTx(ctx context.Context, fn func(order.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Orders{licenseRows{audited{tx}}}) })
}

// CreateOrder implements order.Store.
func (s *Orders) CreateOrder(ctx context.Context, o order.Order) error {
	var billing sql.NullString
	if o.Billing != nil {
		b, err := json.Marshal(o.Billing)
		if err != nil {
			return err
		}
		billing = sql.NullString{String: string(b), Valid: true}
	}
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO orders (id, product_id, tier_id, user_id, payment_method, billing_info, amount_minor, currency,
			billing_period, license_id, created_at_ms, status, provider, payment_url, payment_session, payment_id,
			payment_invoice, payment_subscription, paid_at_ms, refunded_at_ms, cancelled_at_ms, billing_email_key,
			subscription_ended_at_ms, partly_refunded_minor, subscription_ends, renewal_told_ms, demo,
			billing_name_key, billing_company_key, discount_id, discount_code, discount_minor, discount_duration,
			trial, follows, kind, language, payment_customer)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
			$22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38)`,
		o.ID, o.ProductID, o.TierID, o.UserID, o.PaymentMethod, billing, o.Amount.Minor, o.Amount.Currency,
		string(o.Period), o.LicenseID, database.Millis(o.CreatedAt), string(o.Status()), o.Provider, o.PaymentURL,
		o.Payment.Session, o.Payment.Payment, o.Payment.Invoice, o.Payment.Subscription, database.Millis(o.PaidAt),
		database.Millis(o.RefundedAt), database.Millis(o.CancelledAt), database.NullText(o.Billing.EmailKey()),
		database.Millis(o.EndedAt), o.PartlyRefunded, o.Ends, database.Millis(o.RenewalToldAt), o.Demo,
		database.NullText(o.Billing.NameKey()), database.NullText(o.Billing.CompanyKey()),
		o.Discount.ID, o.Discount.Code, o.Discount.Minor, string(o.Discount.Duration),
		o.Trial, o.Follows, string(o.Kind), o.Language, o.Payment.Customer)
	return s.Wrap(err, "Order")
}

// UpdateOrder implements order.Store.
func (s *Orders) UpdateOrder(ctx context.Context, o order.Order) error {
	res, err := s.Write.ExecContext(ctx, `
		UPDATE orders SET status = $2, provider = $3, payment_url = $4, payment_session = $5, payment_id = $6,
			payment_invoice = $7, payment_subscription = $8, paid_at_ms = $9, refunded_at_ms = $10, cancelled_at_ms = $11,
			subscription_ended_at_ms = $12, partly_refunded_minor = $13, subscription_ends = $14, renewal_told_ms = $15,
			payment_customer = $16
		WHERE id = $1`,
		o.ID, string(o.Status()), o.Provider, o.PaymentURL, o.Payment.Session, o.Payment.Payment,
		o.Payment.Invoice, o.Payment.Subscription, database.Millis(o.PaidAt), database.Millis(o.RefundedAt),
		database.Millis(o.CancelledAt), database.Millis(o.EndedAt), o.PartlyRefunded, o.Ends,
		database.Millis(o.RenewalToldAt), o.Payment.Customer)
	return database.Affected(res, err, "Order")
}

const orderColumns = `o.id, o.product_id, o.tier_id, o.user_id, o.payment_method, o.billing_info,
	o.amount_minor, o.currency, o.billing_period, o.license_id, o.provider, o.payment_url, o.payment_session,
	o.payment_id, o.payment_invoice, o.payment_subscription, o.created_at_ms, o.paid_at_ms, o.refunded_at_ms,
	o.cancelled_at_ms, o.subscription_ended_at_ms, o.partly_refunded_minor, o.subscription_ends, o.renewal_told_ms,
	o.demo, o.discount_id, o.discount_code, o.discount_minor, o.discount_duration, o.trial, o.follows, o.kind,
	o.payment_customer`

// scanOrder reads one row of orderColumns, and the columns after them into more.
func scanOrder(row database.Scanner, more ...any) (order.Order, error) {
	var (
		o       order.Order
		billing sql.NullString
	)
	err := row.Scan(append([]any{
		&o.ID, &o.ProductID, &o.TierID, &o.UserID, &o.PaymentMethod, &billing, &o.Amount.Minor, &o.Amount.Currency,
		&o.Period, &o.LicenseID, &o.Provider, &o.PaymentURL, &o.Payment.Session, &o.Payment.Payment, &o.Payment.Invoice,
		&o.Payment.Subscription, database.ScanMillis(&o.CreatedAt), database.ScanMillis(&o.PaidAt),
		database.ScanMillis(&o.RefundedAt), database.ScanMillis(&o.CancelledAt), database.ScanMillis(&o.EndedAt),
		&o.PartlyRefunded, &o.Ends, database.ScanMillis(&o.RenewalToldAt), &o.Demo,
		&o.Discount.ID, &o.Discount.Code, &o.Discount.Minor, &o.Discount.Duration,
		&o.Trial, &o.Follows, &o.Kind, &o.Payment.Customer,
	}, more...)...)
	if err != nil {
		return order.Order{}, err
	}
	if billing.Valid {
		if err := json.Unmarshal([]byte(billing.String), &o.Billing); err != nil {
			return order.Order{}, fmt.Errorf("store: order %s: billing_info: %w", o.ID, err)
		}
	}
	return o, nil
}

// OrderByID implements order.Store.
func (s *Orders) OrderByID(ctx context.Context, id string) (order.Order, error) {
	o, err := scanOrder(s.Read.QueryRowContext(ctx,
		`SELECT `+orderColumns+` FROM orders o WHERE o.id = $1`+s.Lock("o"), id))
	return o, s.Wrap(err, "Order")
}

// CountDownload implements order.Store.
func (s *Orders) CountDownload(ctx context.Context, productID string) error {
	res, err := s.Write.ExecContext(ctx, `
		UPDATE products SET download_count = download_count + 1 WHERE id = $1`, productID)
	return database.Affected(res, err, "Product")
}
