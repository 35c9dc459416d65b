package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"stoa/internal/data/database"
	"stoa/internal/shop/discount"
)

// Discounts implements discount.Store.
type Discounts struct{ audited }

var _ discount.Store = (*Discounts)(nil)

// NewDiscounts returns the discounts of db.
func NewDiscounts(db *database.DB) *Discounts { return &Discounts{audited{db.Conn()}} }

// InTx implements discount.Store.
func (s *Discounts) InTx(ctx context.Context, fn func(discount.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Discounts{audited{tx}}) })
}

const discountColumns = `d.id, d.code, d.percent, d.amount_minor, d.currency, d.products_json, d.tiers_json, d.duration,
	d.starts_at_ms, d.ends_at_ms, d.max_uses, d.once_per_customer, d.active, d.uses, d.used, d.version, d.created_at_ms,
	d.updated_at_ms`

func scanDiscount(row database.Scanner) (d discount.Discount, err error) {
	var products, tiers string
	err = row.Scan(&d.ID, &d.Code, &d.Percent, &d.Amount.Minor, &d.Amount.Currency, &products, &tiers, &d.Duration,
		database.ScanMillis(&d.StartsAt), database.ScanMillis(&d.EndsAt), &d.MaxUses, &d.OncePerCustomer, &d.Active, &d.Uses,
		&d.Used, &d.Version, database.ScanMillis(&d.CreatedAt), database.ScanMillis(&d.UpdatedAt))
	if err != nil {
		return discount.Discount{}, err
	}
	for _, list := range []struct {
		text string
		to   *[]string
	}{{products, &d.Products}, {tiers, &d.Tiers}} {
		if list.text == "[]" {
			continue
		}
		if err := json.Unmarshal([]byte(list.text), list.to); err != nil {
			return discount.Discount{}, fmt.Errorf("store: discount %s: %w", d.ID, err)
		}
	}
	return d, nil
}

// DiscountByCode implements discount.Store.
func (s *Discounts) DiscountByCode(ctx context.Context, code string) (discount.Discount, error) {
	d, err := scanDiscount(s.Read.QueryRowContext(ctx,
		`SELECT `+discountColumns+` FROM discounts d WHERE d.code = $1`, code))
	return d, s.Wrap(err, "Discount")
}

// DiscountByID implements discount.Store.
func (s *Discounts) DiscountByID(ctx context.Context, id string) (discount.Discount, error) {
	d, err := scanDiscount(s.Read.QueryRowContext(ctx,
		`SELECT `+discountColumns+` FROM discounts d WHERE d.id = $1`+s.Lock("d"), id))
	return d, s.Wrap(err, "Discount")
}

// FindDiscounts implements discount.Store.
func (s *Discounts) FindDiscounts(ctx context.Context, q discount.Query) ([]discount.Discount, int, error) {
	var where database.Where
	if q.Search != "" {
		where.And(`d.code LIKE $1 ESCAPE '~'`, database.Like(strings.ToUpper(q.Search)))
	}
	from := ` FROM discounts d` + where.String()
	var total int
	if err := s.Read.QueryRowContext(ctx, `SELECT count(*)`+from, where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, s.Read, scanDiscount,
		`SELECT `+discountColumns+from+` ORDER BY d.created_at_ms DESC, d.id`+page, args...)
	return list, total, err
}

// discountValues returns the values of the columns that administrators change.
func discountValues(d discount.Discount) ([]any, error) {
	products, err := jsonList(d.Products)
	if err != nil {
		return nil, err
	}
	tiers, err := jsonList(d.Tiers)
	if err != nil {
		return nil, err
	}
	return []any{
		d.ID, d.Code, d.Percent, d.Amount.Minor, d.Amount.Currency, products, tiers, string(d.Duration),
		database.Millis(d.StartsAt), database.Millis(d.EndsAt), d.MaxUses, d.OncePerCustomer, d.Active, d.Version,
		database.Millis(d.UpdatedAt),
	}, nil
}

// CreateDiscount implements discount.Store.
func (s *Discounts) CreateDiscount(ctx context.Context, d discount.Discount) error {
	values, err := discountValues(d)
	if err != nil {
		return err
	}
	_, err = s.Write.ExecContext(ctx, `
		INSERT INTO discounts (id, code, percent, amount_minor, currency, products_json, tiers_json, duration, starts_at_ms,
			ends_at_ms, max_uses, once_per_customer, active, version, updated_at_ms, created_at_ms, uses, used)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		append(values, database.Millis(d.CreatedAt), d.Uses, d.Used)...)
	return s.Wrap(err, "Discount")
}

// UpdateDiscount implements discount.Store.
func (s *Discounts) UpdateDiscount(ctx context.Context, d discount.Discount) error {
	values, err := discountValues(d)
	if err != nil {
		return err
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE discounts SET code = $2, percent = $3, amount_minor = $4, currency = $5, products_json = $6, tiers_json = $7,
			duration = $8, starts_at_ms = $9, ends_at_ms = $10, max_uses = $11, once_per_customer = $12, active = $13,
			version = $14, updated_at_ms = $15
		WHERE id = $1`, values...)
	return database.Affected(res, s.Wrap(err, "Discount"), "Discount")
}

// DeleteDiscount implements discount.Store.
func (s *Discounts) DeleteDiscount(ctx context.Context, id string) error {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM discounts WHERE id = $1`, id)
	return database.Affected(res, err, "Discount")
}

// TierIDs implements discount.Store.
func (s *Discounts) TierIDs(ctx context.Context, slugs []string, all bool) (map[string][]string, error) {
	var where database.Where
	if !all {
		if len(slugs) == 0 {
			return map[string][]string{}, nil
		}
		args := make([]any, len(slugs))
		for i, slug := range slugs {
			args[i] = slug
		}
		where.And(`slug IN (`+places(1, len(args))+`)`, args...)
	}
	found := make(map[string][]string)
	rows, err := s.Read.QueryContext(ctx, `SELECT slug, detail FROM products`+where.String(), where.Args()...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var slug, detail string
		if err := rows.Scan(&slug, &detail); err != nil {
			return nil, err
		}
		var read struct {
			Tiers []struct{ ID string } `json:"tiers"`
		}
		if err := json.Unmarshal([]byte(detail), &read); err != nil {
			return nil, fmt.Errorf("store: product %s: detail: %w", slug, err)
		}
		found[slug] = []string{} // a product without tiers is known, too
		for _, t := range read.Tiers {
			found[slug] = append(found[slug], t.ID)
		}
	}
	return found, rows.Err()
}
