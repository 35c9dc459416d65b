package store

import (
	"stoa/internal/database"

	"context"
	"fmt"
	"strings"

	"stoa/internal/market"
)

// orderBy are the orders of the product list. Each is the end of an index, which
// is read in either direction.
var orderBy = map[market.Sort]string{
	market.SortFeatured:  `p.featured DESC, p.position, p.download_count DESC, p.id`,
	market.SortNewest:    `p.created_at_ms DESC, p.id`,
	market.SortRating:    `p.rating DESC, p.review_count DESC, p.id`,
	market.SortDownloads: `p.download_count DESC, p.id`,
	market.SortPrice:     `p.price_rank, p.id`,
	market.SortName:      `p.name_sort, p.id`,
}

// backwards returns the opposite of an order.
func backwards(order string) string {
	columns := strings.Split(order, ", ")
	for i, column := range columns {
		if ascending, is := strings.CutSuffix(column, " DESC"); is {
			columns[i] = ascending
		} else {
			columns[i] = column + " DESC"
		}
	}
	return strings.Join(columns, ", ")
}

// productFilter returns the WHERE clause of a query and its arguments.
func productFilter(q market.ListQuery) (string, []any) {
	var (
		terms []string
		args  []any
	)
	add := func(condition string, arg any) {
		args = append(args, arg)
		terms = append(terms, fmt.Sprintf(condition, len(args)))
	}
	if q.Shelf != market.AnyShelf {
		add(`p.published = $%d`, q.Shelf == market.OnSale)
	}
	if q.Category != "" {
		add(`p.category = $%d`, q.Category)
	}
	if q.Featured != nil {
		add(`p.featured = $%d`, *q.Featured)
	}
	if q.Trending != nil {
		add(`p.trending = $%d`, *q.Trending)
	}
	for _, term := range q.Terms() {
		add(`p.search_text LIKE $%d ESCAPE '~'`, "%"+likeEscaper.Replace(term)+"%")
	}
	if len(terms) == 0 {
		return "", nil
	}
	return ` WHERE ` + strings.Join(terms, " AND "), args
}

// likeEscaper makes a text match only itself in LIKE … ESCAPE '~'.
var likeEscaper = strings.NewReplacer(`~`, `~~`, `%`, `~%`, `_`, `~_`)

// ListProducts implements market.Catalogue. The total is of the same moment as the
// page, for which the end of the list is counted from.
func (c *Catalogue) ListProducts(ctx context.Context, q market.ListQuery) (list []market.Product, total int, err error) {
	err = c.inSnapshot(ctx, func(tx conn) error {
		if total, err = tx.countProducts(ctx, q); err != nil {
			return err
		}
		// Compared before it is multiplied: a page number may be as large as an int.
		if q.Page-1 > total/q.Limit || (q.Page-1)*q.Limit >= total {
			return nil
		}
		list, err = tx.productPage(ctx, q, total)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// countProducts returns how many products a query wants. If it asks for no more
// than a category, that is known without looking at the products.
func (c conn) countProducts(ctx context.Context, q market.ListQuery) (n int, err error) {
	query := `SELECT CAST(COALESCE(SUM(p.products), 0) AS BIGINT) FROM product_counts p`
	if q.Featured != nil || q.Trending != nil || len(q.Terms()) > 0 {
		query = `SELECT count(*) FROM products p`
	}
	where, args := productFilter(q)
	err = c.Read.QueryRowContext(ctx, query+where, args...).Scan(&n)
	return n, err
}

// productPage returns a page that is not beyond the last. Whole products are read
// only of those on the page: skipping the ones before happens in the order's
// index, and from the nearer end of it, so that the last page costs what the
// first one does.
func (c conn) productPage(ctx context.Context, q market.ListQuery, total int) ([]market.Product, error) {
	skip := (q.Page - 1) * q.Limit
	size, order := min(q.Limit, total-skip), orderBy[q.Sort]
	walk := order
	if after := total - skip - size; after < skip {
		skip, walk = after, backwards(order)
	}
	ids, args := pageIDs(q, walk, size, skip)
	rows, err := c.Read.QueryContext(ctx, `SELECT `+productColumns+` FROM (`+ids+`) page JOIN products p ON p.id = page.id ORDER BY `+order, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := make([]market.Product, 0, size)
	for rows.Next() {
		p, err := scanProduct(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

// pageIDs returns the query for the ids on a page, which the order's index answers
// alone unless the page is of some products only.
func pageIDs(q market.ListQuery, order string, size, skip int) (query string, args []any) {
	where, args := productFilter(q)
	query = fmt.Sprintf(`SELECT p.id FROM products p%s ORDER BY %s LIMIT $%d OFFSET $%d`, where, order, len(args)+1, len(args)+2)
	return query, append(args, size, skip)
}

// Categories implements market.Catalogue.
func (c *Catalogue) Categories(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, c.Read, `SELECT category FROM product_counts WHERE published = $1 AND products > 0 ORDER BY category`, true)
}
