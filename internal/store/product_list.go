package store

import (
	"context"
	"fmt"
	"strings"

	"stoa/internal/base/paging"
	"stoa/internal/data/database"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
)

// orderBy has the orders of the product list. Each has an index that ends with its
// columns, which is read in either direction.
var orderBy = map[catalog.Sort]string{
	catalog.SortFeatured:  `p.featured DESC, p.position, p.download_count DESC, p.id`,
	catalog.SortNewest:    `p.created_at_ms DESC, p.id`,
	catalog.SortRating:    `p.rating DESC, p.review_count DESC, p.id`,
	catalog.SortDownloads: `p.download_count DESC, p.id`,
	catalog.SortPrice:     `p.price_rank, p.id`,
	catalog.SortName:      `p.name_sort, p.id`,
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

// productWhere returns the conditions of a query.
func productWhere(q catalog.ListQuery) (w database.Where) {
	if q.Shelf != catalog.AnyShelf {
		w.And(`p.published = $1`, q.Shelf == catalog.OnSale)
	}
	if q.Category != "" {
		w.And(`p.category = $1`, q.Category)
	}
	if q.Featured != nil {
		w.And(`p.featured = $1`, *q.Featured)
	}
	if q.Trending != nil {
		w.And(`p.trending = $1`, *q.Trending)
	}
	for _, term := range q.Terms() {
		w.And(`p.search_text LIKE $1 ESCAPE '~'`, database.Like(term))
	}
	return w
}

// ListProducts implements catalog.Store. The total must come from the same snapshot as the page: a
// page near the end of the list is found by its distance from the end.
func (s *Products) ListProducts(
	ctx context.Context, q catalog.ListQuery,
) (list []product.Product, total int, err error) {
	err = s.InSnapshot(ctx, func(tx database.Conn) error {
		if total, err = countProducts(ctx, tx, q); err != nil {
			return err
		}
		if paging.Offset(q.Page, q.Limit) >= total {
			return nil
		}
		list, err = productPage(ctx, tx, q, total)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// countProducts returns how many products match a query. The counts of categories answer a query
// for a category or for all products, without reading products.
func countProducts(ctx context.Context, c database.Conn, q catalog.ListQuery) (n int, err error) {
	query := `SELECT CAST(COALESCE(SUM(p.products), 0) AS BIGINT) FROM product_counts p`
	if q.Featured != nil || q.Trending != nil || len(q.Terms()) > 0 {
		query = `SELECT count(*) FROM products p`
	}
	where := productWhere(q)
	err = c.Read.QueryRowContext(ctx, query+where.String(), where.Args()...).Scan(&n)
	return n, err
}

// freePlan finds a free tier in the JSON of a detail, which encodeDetail writes without spaces. In a
// text the quotes would have backslashes.
const freePlan = `p.detail LIKE '%"priceMinor":0,%'`

// productPage returns a page up to the last. It reads whole products only for the page
// itself: it skips the others in the index of the order, from the nearer end, so that
// the last page costs no more than the first.
func productPage(ctx context.Context, c database.Conn, q catalog.ListQuery, total int) ([]product.Product, error) {
	offset := paging.Offset(q.Page, q.Limit)
	limit, order := min(q.Limit, total-offset), orderBy[q.Sort]
	walk := order
	if after := total - offset - limit; after < offset {
		offset, walk = after, backwards(order)
	}
	translations := `''` // they are longer than all the rest
	if q.Language != "" {
		translations = `p.translations`
	}
	ids, args := productIDs(q, walk, limit, offset)
	return database.All(ctx, c.Read, func(row database.Scanner) (p product.Product, err error) {
		var free bool
		var translations string
		if p, err = scanProduct(row, &free, &translations); err != nil {
			return p, err
		}
		p.FreePlan = free
		p.Translations, err = decodeTranslations(p.ID, translations)
		return p, err
	}, `
		SELECT `+productColumns+`, `+freePlan+`, `+translations+`
		FROM (`+ids+`) page JOIN products p ON p.id = page.id ORDER BY `+order, args...)
}

// productIDs returns the query for the ids on a page. Unless the query searches or
// filters further, it reads nothing but the index of the order.
func productIDs(q catalog.ListQuery, order string, limit, offset int) (query string, args []any) {
	where := productWhere(q)
	page, args := where.Page(limit, offset)
	return fmt.Sprintf(`SELECT p.id FROM products p%s ORDER BY %s%s`, where.String(), order, page), args
}

// Categories implements catalog.Store.
func (s *Products) Categories(ctx context.Context) ([]string, error) {
	return database.Texts(ctx, s.Read,
		`SELECT category FROM product_counts WHERE published = $1 AND products > 0 ORDER BY category`, true)
}
