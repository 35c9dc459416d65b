package store

import (
	"context"
	"encoding/json"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/data/database"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
	"stoa/internal/shop/review"
)

// Products implements catalog.Store.
type Products struct{ audited }

var _ catalog.Store = (*Products)(nil)

// NewProducts returns the products of db.
func NewProducts(db *database.DB) *Products { return &Products{audited{db.Conn()}} }

// InTx implements catalog.Store.
func (s *Products) InTx(ctx context.Context, fn func(catalog.Store) error) error {
	return s.inTurn(ctx, func(tx database.Conn) error { return fn(&Products{audited{tx}}) })
}

// inTurn runs one transaction that writes products at a time. Such a transaction
// locks many products and the counts of many categories (product_counts), in any
// order, so two side by side could wait for each other. They are rare.
//
// Purchases and reviews do not take a turn: each locks one product, after all its
// other locks, and no category.
func (s *Products) inTurn(ctx context.Context, fn func(tx database.Conn) error) error {
	return s.InTurn(ctx, "products", fn)
}

// productColumns are what scanProduct reads: all columns but the detail and the translations.
const productColumns = `p.id, p.slug, p.name, p.description, p.short_description, p.icon, p.category,
	p.screenshots, p.highlights, p.pricing_type, p.price_minor, p.price_currency,
	p.rating, p.review_count, p.rating_base, p.review_base, p.download_base, p.download_count,
	p.featured, p.trending, p.published, p.position, p.version, p.created_at_ms, p.updated_at_ms`

// scanProduct reads one row of productColumns, and the columns after them into
// more.
func scanProduct(row database.Scanner, more ...any) (product.Product, error) {
	var (
		p                       product.Product
		screenshots, highlights string
	)
	err := row.Scan(append([]any{
		&p.ID, &p.Slug, &p.Name, &p.Description, &p.ShortDescription, &p.Icon, &p.Category,
		&screenshots, &highlights, &p.Pricing.Type, &p.Pricing.Price.Minor, &p.Pricing.Price.Currency,
		&p.Rating, &p.ReviewCount, &p.RatingBase, &p.ReviewBase, &p.DownloadBase, &p.DownloadCount,
		&p.Featured, &p.Trending, &p.Published, &p.Position, &p.Version,
		database.ScanMillis(&p.CreatedAt), database.ScanMillis(&p.UpdatedAt),
	}, more...)...)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal([]byte(screenshots), &p.Screenshots); err != nil {
		return p, fmt.Errorf("store: product %s: screenshots: %w", p.ID, err)
	}
	if err := json.Unmarshal([]byte(highlights), &p.Highlights); err != nil {
		return p, fmt.Errorf("store: product %s: highlights: %w", p.ID, err)
	}
	return p, nil
}

// wholeProduct are the columns that scanWholeProduct reads.
const wholeProduct = productColumns + `, p.detail, p.translations`

func scanWholeProduct(row database.Scanner) (product.Product, error) {
	var detail, translations string
	p, err := scanProduct(row, &detail, &translations)
	if err != nil {
		return p, err
	}
	if p.Detail, err = decodeDetail(detail); err != nil {
		return p, fmt.Errorf("store: product %s: detail: %w", p.ID, err)
	}
	p.Translations, err = decodeTranslations(p.ID, translations)
	return p, err
}

// ProductBySlug implements catalog.Store.
func (s *Products) ProductBySlug(ctx context.Context, slug string) (product.Product, error) {
	p, err := scanWholeProduct(s.Read.QueryRowContext(ctx,
		`SELECT `+wholeProduct+` FROM products p WHERE p.slug = $1`+s.Lock("p"), slug))
	return p, s.Wrap(err, "Product")
}

// EachProduct implements catalog.Store.
func (s *Products) EachProduct(ctx context.Context, fn func(product.Product) error) error {
	rows, err := s.Read.QueryContext(ctx, `SELECT `+wholeProduct+` FROM products p ORDER BY p.slug`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		p, err := scanWholeProduct(rows)
		if err != nil {
			return err
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return rows.Err()
}

// CreateProduct implements catalog.Store.
func (s *Products) CreateProduct(ctx context.Context, p product.Product) error {
	args, err := productArgs(p)
	if err != nil {
		return err
	}
	args = append(args, p.Slug, database.Millis(p.CreatedAt))
	return s.inTurn(ctx, func(tx database.Conn) error {
		_, err := tx.Write.ExecContext(ctx, `
			INSERT INTO products (id, name, name_sort, search_text, description, short_description, icon, category,
				screenshots, highlights, pricing_type, price_minor, price_currency, price_rank, rating_base, review_base,
				featured, trending, published, detail, updated_at_ms, download_base, position, translations, slug,
				created_at_ms, download_count, rating, review_count)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
				$24, $25, $26, $22, $15, $16)`, args...)
		return tx.Wrap(err, "Product")
	})
}

// UpdateProduct implements catalog.Store.
func (s *Products) UpdateProduct(ctx context.Context, p product.Product) error {
	args, err := productArgs(p)
	if err != nil {
		return err
	}
	args = append(args, database.Millis(p.CreatedAt))
	return s.inTurn(ctx, func(tx database.Conn) error {
		t := review.Tally{RatingBase: p.RatingBase, ReviewBase: p.ReviewBase}
		err := tx.Write.QueryRowContext(ctx, `
			UPDATE products SET name = $2, name_sort = $3, search_text = $4, description = $5, short_description = $6,
				icon = $7, category = $8, screenshots = $9, highlights = $10, pricing_type = $11, price_minor = $12,
				price_currency = $13, price_rank = $14, rating_base = $15, review_base = $16, featured = $17, trending = $18,
				published = $19, detail = $20, updated_at_ms = $21, download_count = download_count + $22 - download_base,
				download_base = $22, position = $23, translations = $24, created_at_ms = COALESCE($25, created_at_ms),
				version = version + 1
			WHERE id = $1
			RETURNING star_sum, star_count`, args...).Scan(&t.Stars, &t.Reviews)
		if err != nil {
			return tx.Wrap(err, "Product")
		}
		return setTally(ctx, tx, p.ID, t)
	})
}

// productArgs returns the values of the columns that CreateProduct and
// UpdateProduct both write, in the order of their placeholders.
func productArgs(p product.Product) ([]any, error) {
	detail, err := encodeDetail(p.Detail)
	if err != nil {
		return nil, err
	}
	screenshots, err := jsonList(p.Screenshots)
	if err != nil {
		return nil, err
	}
	highlights, err := jsonList(p.Highlights)
	if err != nil {
		return nil, err
	}
	translations, err := encodeTranslations(p.Translations)
	if err != nil {
		return nil, err
	}
	price := p.Pricing.Price
	return []any{
		p.ID, p.Name, text.Fold(p.Name), p.SearchText(), p.Description, p.ShortDescription, p.Icon, p.Category,
		screenshots, highlights, string(p.Pricing.Type), price.Minor, price.Currency, price.Rank(),
		p.RatingBase, p.ReviewBase, p.Featured, p.Trending, p.Published, detail, database.Millis(p.UpdatedAt),
		p.DownloadBase, p.Position, translations,
	}, nil
}

// DeleteProduct implements catalog.Store.
func (s *Products) DeleteProduct(ctx context.Context, id string) error {
	inUse := errs.New(errs.Conflict, "CONFLICT", "Product is in use.")
	return s.inTurn(ctx, func(tx database.Conn) error {
		// This check takes no locks. The engine's own check would wait for locked orders
		// and licenses, and a transaction that holds one may be waiting for the product.
		var sold bool
		err := tx.Read.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM orders WHERE product_id = $1)
				OR EXISTS (SELECT 1 FROM licenses WHERE product_id = $1)`, id).Scan(&sold)
		if err != nil {
			return err
		}
		if sold {
			return inUse
		}
		res, err := tx.Write.ExecContext(ctx, `DELETE FROM products WHERE id = $1`, id)
		if tx.IsReference(err) {
			return inUse.Because(err)
		}
		return database.Affected(res, err, "Product")
	})
}

// Sold implements catalog.Store.
func (s *Products) Sold(ctx context.Context, id string) (sold bool, err error) {
	err = s.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM licenses WHERE product_id = $1)`, id).Scan(&sold)
	return sold, err
}
