package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"stoa/internal/errs"
	"stoa/internal/market"
	"stoa/internal/text"
)

// Catalogue implements market.Catalogue.
type Catalogue struct {
	conn
}

var _ market.Catalogue = (*Catalogue)(nil)

// NewCatalogue returns the products of db.
func NewCatalogue(db *database.DB) *Catalogue { return &Catalogue{newConn(db)} }

// InTx implements market.Catalogue.
func (c *Catalogue) InTx(ctx context.Context, fn func(market.Catalogue) error) error {
	return c.alone(ctx, func(tx conn) error { return fn(&Catalogue{tx}) })
}

// alone is inTx for those who write products. They come one at a time, from the
// beginning of the transaction to its end, whatever they write and in which
// order: they lock many products, and the numbers of each category
// (product_counts). Two at once would wait for each other. They are rare.
//
// Purchases and reviews do not come here: they lock one product, after everything
// else that they lock, and no category.
func (c conn) alone(ctx context.Context, fn func(conn) error) error {
	return c.InTurn(ctx, "products", func(tx database.Conn) error { return fn(conn{audited{tx}}) })
}

// productColumns are what scanProduct reads: all but the detail.
const productColumns = `p.id, p.slug, p.name, p.description, p.short_description, p.icon, p.category, p.screenshots, p.highlights,
	p.pricing_type, p.price_minor, p.price_currency, p.rating, p.review_count, p.rating_base, p.review_base, p.download_base, p.download_count,
	p.featured, p.trending, p.published, p.position, p.version, p.created_at_ms, p.updated_at_ms`

func scanProduct(row database.Scanner, more ...any) (market.Product, error) {
	var (
		p                       market.Product
		screenshots, highlights string
		created, updated        sql.NullInt64
	)
	err := row.Scan(append([]any{
		&p.ID, &p.Slug, &p.Name, &p.Description, &p.ShortDescription, &p.Icon, &p.Category, &screenshots, &highlights,
		&p.Pricing.Type, &p.Pricing.Price.Minor, &p.Pricing.Price.Currency, &p.Rating, &p.ReviewCount, &p.RatingBase, &p.ReviewBase, &p.DownloadBase, &p.DownloadCount,
		&p.Featured, &p.Trending, &p.Published, &p.Position, &p.Version, &created, &updated,
	}, more...)...)
	if err != nil {
		return p, err
	}
	p.CreatedAt, p.UpdatedAt = fromMillis(created), fromMillis(updated)
	if err := json.Unmarshal([]byte(screenshots), &p.Screenshots); err != nil {
		return p, fmt.Errorf("store: product %s: screenshots: %w", p.ID, err)
	}
	if err := json.Unmarshal([]byte(highlights), &p.Highlights); err != nil {
		return p, fmt.Errorf("store: product %s: highlights: %w", p.ID, err)
	}
	return p, nil
}

// ProductBySlug implements market.Catalogue.
func (c *Catalogue) ProductBySlug(ctx context.Context, slug string) (market.Product, error) {
	var detail string
	p, err := scanProduct(c.Read.QueryRowContext(ctx, `SELECT `+productColumns+`, p.detail FROM products p WHERE p.slug = $1`+c.Lock("p"), slug), &detail)
	if err != nil {
		return p, c.Wrap(err, "Product")
	}
	p.Detail, err = decodeDetail(detail)
	if err != nil {
		return p, fmt.Errorf("store: product %s: detail: %w", p.ID, err)
	}
	return p, nil
}

// CreateProduct implements market.Catalogue.
func (c *Catalogue) CreateProduct(ctx context.Context, p market.Product) error {
	args, err := productArgs(p)
	if err != nil {
		return err
	}
	args = append(args, p.Slug, database.Millis(p.CreatedAt))
	return c.alone(ctx, func(tx conn) error {
		_, err := tx.Write.ExecContext(ctx, `
		INSERT INTO products (id, name, name_sort, search_text, description, short_description, icon, category,
			screenshots, highlights, pricing_type, price_minor, price_currency, price_rank, rating_base, review_base,
			featured, trending, published, detail, updated_at_ms, download_base, position, slug, created_at_ms, download_count, rating, review_count)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $22, $15, $16)`, args...)
		return c.Wrap(err, "Product")
	})
}

// UpdateProduct implements market.Catalogue.
func (c *Catalogue) UpdateProduct(ctx context.Context, p market.Product) error {
	args, err := productArgs(p)
	if err != nil {
		return err
	}
	args = append(args, database.Millis(p.CreatedAt))
	return c.alone(ctx, func(tx conn) error {
		t := market.Tally{RatingBase: p.RatingBase, ReviewBase: p.ReviewBase}
		err := tx.Write.QueryRowContext(ctx, `
		UPDATE products SET name = $2, name_sort = $3, search_text = $4, description = $5, short_description = $6, icon = $7, category = $8,
			screenshots = $9, highlights = $10, pricing_type = $11, price_minor = $12, price_currency = $13, price_rank = $14,
			rating_base = $15, review_base = $16, featured = $17, trending = $18, published = $19, detail = $20, updated_at_ms = $21,
			download_count = download_count + $22 - download_base, download_base = $22, position = $23,
			created_at_ms = COALESCE($24, created_at_ms), version = version + 1
		WHERE id = $1
		RETURNING star_sum, star_count`, args...).Scan(&t.Stars, &t.Reviews)
		if err != nil {
			return c.Wrap(err, "Product")
		}
		return tx.setTally(ctx, p.ID, t)
	})
}

// productArgs returns the columns that CreateProduct and UpdateProduct share,
// in their order.
func productArgs(p market.Product) ([]any, error) {
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
	price := p.Pricing.Price
	return []any{
		p.ID, p.Name, text.Fold(p.Name), p.SearchText(), p.Description, p.ShortDescription, p.Icon, p.Category,
		screenshots, highlights, string(p.Pricing.Type), price.Minor, price.Currency, price.Rank(),
		p.RatingBase, p.ReviewBase, p.Featured, p.Trending, p.Published, detail, database.Millis(p.UpdatedAt), p.DownloadBase, p.Position,
	}, nil
}

// DeleteProduct implements market.Catalogue.
func (c *Catalogue) DeleteProduct(ctx context.Context, id string) error {
	inUse := errs.New(errs.Conflict, "CONFLICT", "Product is in use.")
	return c.alone(ctx, func(tx conn) error {
		// Looked for first, without a lock: the engine's own check would wait for the
		// orders and licences it finds, and who holds one may be waiting for the product.
		var sold bool
		err := tx.Read.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM orders WHERE product_id = $1) OR EXISTS (SELECT 1 FROM licenses WHERE product_id = $1)`, id).Scan(&sold)
		if err != nil {
			return err
		}
		if sold {
			return inUse
		}
		res, err := tx.Write.ExecContext(ctx, `DELETE FROM products WHERE id = $1`, id)
		if c.IsReference(err) {
			return inUse.Because(err)
		}
		return database.Affected(res, err, "Product")
	})
}

// Sold implements market.Catalogue.
func (c *Catalogue) Sold(ctx context.Context, id string) (sold bool, err error) {
	err = c.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM licenses WHERE product_id = $1)`, id).Scan(&sold)
	return sold, err
}

// EachProduct implements market.Catalogue.
func (c *Catalogue) EachProduct(ctx context.Context, fn func(market.Product) error) error {
	rows, err := c.Read.QueryContext(ctx, `SELECT `+productColumns+`, p.detail FROM products p ORDER BY p.slug`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var detail string
		p, err := scanProduct(rows, &detail)
		if err != nil {
			return err
		}
		if p.Detail, err = decodeDetail(detail); err != nil {
			return fmt.Errorf("store: product %s: detail: %w", p.ID, err)
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return rows.Err()
}
