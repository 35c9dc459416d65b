package store

import (
	"context"

	"stoa/internal/data/database"
)

// TaxPayment writes the tax in a payment and its country, as whoever knows them does.
func (s *Orders) TaxPayment(ctx context.Context, orderID string, seq int, tax int64, country string) error {
	return s.counting(ctx, orderID, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			UPDATE payments SET tax_minor = $3, country = $4 WHERE order_id = $1 AND seq = $2`, orderID, seq, tax, country)
		return err
	})
}
