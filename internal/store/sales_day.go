package store

import (
	"cmp"
	"context"
	"database/sql"
	"hash/fnv"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"stoa/internal/data/database"
)

// saleKey names a row of sales_days.
type saleKey struct {
	day                                    int64 // since 1970, UTC
	product, tier, country, code, currency string
	test                                   bool
}

// compare is the order in which rows are written, so that transactions do not wait for each other in a circle.
func (k saleKey) compare(other saleKey) int {
	return cmp.Or(cmp.Compare(k.day, other.day), strings.Compare(k.product, other.product),
		strings.Compare(k.tier, other.tier), strings.Compare(k.country, other.country), strings.Compare(k.code, other.code),
		strings.Compare(k.currency, other.currency))
}

// saleSum is what a row adds up, in minor units.
type saleSum struct{ orders, gross, discount, refunds, tax int64 }

func (s saleSum) plus(other saleSum, times int64) saleSum {
	return saleSum{
		s.orders + times*other.orders, s.gross + times*other.gross, s.discount + times*other.discount,
		s.refunds + times*other.refunds, s.tax + times*other.tax,
	}
}

// dayMillis is the length of a day.
const dayMillis = 86_400_000

// salesOf returns what an order's payments and refunds are in sales_days.
func salesOf(ctx context.Context, q database.Querier, orderID string) (map[saleKey]saleSum, error) {
	type line struct {
		key                      saleKey
		seq, at, minor, off, tax int64
		refundAt, refunded       sql.NullInt64
	}
	lines, err := database.All(ctx, q, func(row database.Scanner) (l line, err error) {
		err = row.Scan(&l.key.product, &l.key.tier, &l.key.test, &l.off, &l.seq, &l.at, &l.minor, &l.tax, &l.key.currency,
			&l.key.country, &l.key.code, &l.refundAt, &l.refunded)
		return l, err
	}, `
		SELECT o.product_id, COALESCE(p.tier_id, o.tier_id), o.provider = 'test', o.discount_minor, p.seq, p.at_ms, p.minor,
			COALESCE(p.tax_minor, 0), p.currency, COALESCE(p.country, ''), COALESCE(p.code, ''), r.at_ms, r.minor
		FROM payments p
		JOIN orders o ON o.id = p.order_id
		LEFT JOIN refunds r ON r.order_id = p.order_id AND r.seq = p.seq
		WHERE p.order_id = $1 ORDER BY p.seq, r.at_ms, r.id`, orderID)
	sums := make(map[saleKey]saleSum)
	seq, back := int64(0), int64(0) // of the payment, what was given back so far
	for _, l := range lines {
		key := l.key
		if l.seq != seq {
			seq, back = l.seq, 0
			key.day = l.at / dayMillis
			paid := saleSum{gross: l.minor, tax: l.tax}
			if seq == 1 {
				paid.orders, paid.discount = 1, l.off
			}
			sums[key] = sums[key].plus(paid, 1)
		}
		if l.refundAt.Valid {
			before := share(l.tax, back, l.minor)
			back += l.refunded.Int64
			key.day = l.refundAt.Int64 / dayMillis
			sums[key] = sums[key].plus(saleSum{refunds: l.refunded.Int64, tax: before - share(l.tax, back, l.minor)}, 1)
		}
	}
	return sums, err
}

// share returns how much of the tax on whole is in part, rounded: all of it in all, however many parts there were.
func share(tax, part, whole int64) int64 {
	if tax <= 0 || part <= 0 || whole <= 0 {
		return 0
	}
	if part >= whole {
		return tax
	}
	high, low := bits.Mul64(uint64(tax), uint64(part)) // amounts do not overflow, their products do
	low, carry := bits.Add64(low, uint64(whole)/2, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(whole))
	return int64(quotient) //nolint:gosec // less than tax, as part is less than whole
}

// salesLanes is over how many rows the orders of a day, a product and so on are spread.
const salesLanes = 4

// counting writes what changes the payments or refunds of an order, and sales_days with it. The order is locked, so
// that both readings see what nobody else changes.
func (s *Orders) counting(ctx context.Context, orderID string, write func(tx database.Conn) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error {
		before, err := salesOf(ctx, tx.Read, orderID)
		if err != nil {
			return err
		}
		if err := write(tx); err != nil {
			return err
		}
		after, err := salesOf(ctx, tx.Read, orderID)
		if err != nil {
			return err
		}
		for key, sum := range before {
			after[key] = after[key].plus(sum, -1)
		}
		return addSales(ctx, tx, orderID, after)
	})
}

// addSales adds what an order changes in sales_days.
func addSales(ctx context.Context, tx database.Conn, orderID string, sums map[saleKey]saleSum) error {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(orderID))
	for _, key := range slices.SortedFunc(maps.Keys(sums), saleKey.compare) {
		sum := sums[key]
		if sum == (saleSum{}) {
			continue
		}
		_, err := tx.Write.ExecContext(ctx, `
			INSERT INTO sales_days (day, product_id, tier_id, country, code, currency, test, lane,
				orders, gross_minor, discount_minor, refunds_minor, tax_minor)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
			ON CONFLICT (day, product_id, tier_id, country, code, currency, test, lane) DO UPDATE SET
				orders = sales_days.orders + excluded.orders,
				gross_minor = sales_days.gross_minor + excluded.gross_minor,
				discount_minor = sales_days.discount_minor + excluded.discount_minor,
				refunds_minor = sales_days.refunds_minor + excluded.refunds_minor,
				tax_minor = sales_days.tax_minor + excluded.tax_minor`,
			key.day, key.product, key.tier, key.country, key.code, key.currency, key.test, hash.Sum32()%salesLanes,
			sum.orders, sum.gross, sum.discount, sum.refunds, sum.tax)
		if err != nil {
			return err
		}
	}
	return nil
}
