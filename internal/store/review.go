package store

import (
	"context"
	"fmt"
	"strings"

	"stoa/internal/account"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/review"
)

// Reviews implements review.Store.
type Reviews struct{ audited }

var _ review.Store = (*Reviews)(nil)

// NewReviews returns the reviews of db.
func NewReviews(db *database.DB) *Reviews { return &Reviews{audited{db.Conn()}} }

// InTx implements review.Store.
func (s *Reviews) InTx(ctx context.Context, fn func(review.Store) error) error {
	return s.InShortTx(ctx, func(tx database.Conn) error { return fn(&Reviews{audited{tx}}) })
}

// HoldsLicense implements review.Store.
func (s *Reviews) HoldsLicense(ctx context.Context, productID, userID string) (holds bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1 FROM licenses WHERE user_id = $1 AND product_id = $2 AND paid = $3 AND NOT trial
			AND revoked_at_ms IS NULL)`,
		userID, productID, true).Scan(&holds)
	return holds, err
}

// Tally implements review.Store.
func (s *Reviews) Tally(ctx context.Context, productID string) (t review.Tally, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT p.rating_base, p.review_base, p.star_sum, p.star_count FROM products p WHERE p.id = $1`+s.Lock("p"), productID,
	).Scan(&t.RatingBase, &t.ReviewBase, &t.Stars, &t.Reviews)
	return t, s.Wrap(err, "Product")
}

// SetTally implements review.Store.
func (s *Reviews) SetTally(ctx context.Context, productID string, t review.Tally) error {
	return setTally(ctx, s.Conn, productID, t)
}

// setTally stores the sums of a tally and the rating that the product shows. Reviews
// change the sums, an update of the product changes the bases.
func setTally(ctx context.Context, c database.Conn, productID string, t review.Tally) error {
	res, err := c.Write.ExecContext(ctx, `
		UPDATE products SET star_sum = $2, star_count = $3, rating = $4, review_count = $5 WHERE id = $1`,
		productID, t.Stars, t.Reviews, t.Rating(), t.ReviewCount())
	return database.Affected(res, err, "Product")
}

// reviewQuery selects reviews with the name of the author and the product's slug.
const reviewQuery = `
	SELECT r.id, r.product_id, r.user_id, r.rating, r.title, r.text, r.hidden, r.created_at_ms, r.updated_at_ms,
		COALESCE(u.username, ''), p.slug
	FROM reviews r LEFT JOIN users u ON u.id = r.user_id JOIN products p ON p.id = r.product_id`

func scanReview(row database.Scanner) (r review.Review, err error) {
	err = row.Scan(&r.ID, &r.ProductID, &r.UserID, &r.Rating, &r.Title, &r.Text, &r.Hidden,
		database.ScanMillis(&r.CreatedAt), database.ScanMillis(&r.UpdatedAt), &r.Author, &r.ProductSlug)
	if r.Author == "" { // see eraseReviews
		r.UserID, r.Author = reqctx.Deleted, review.Former
	}
	return r, err
}

// ReviewByID implements review.Store.
func (s *Reviews) ReviewByID(ctx context.Context, id string) (review.Review, error) {
	r, err := scanReview(s.Read.QueryRowContext(ctx, reviewQuery+` WHERE r.id = $1`, id))
	return r, s.Wrap(err, "Review")
}

// ReviewBy implements review.Store.
func (s *Reviews) ReviewBy(ctx context.Context, productID, userID string) (review.Review, error) {
	r, err := scanReview(s.Read.QueryRowContext(ctx,
		reviewQuery+` WHERE r.product_id = $1 AND r.user_id = $2`, productID, userID))
	return r, s.Wrap(err, "Review")
}

// SaveReview implements review.Store.
func (s *Reviews) SaveReview(ctx context.Context, r review.Review) error {
	_, err := s.Write.ExecContext(ctx, `
		INSERT INTO reviews (id, product_id, user_id, rating, title, text, hidden, created_at_ms, updated_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (id) DO UPDATE SET rating = $4, title = $5, text = $6, hidden = $7, updated_at_ms = $9`,
		r.ID, r.ProductID, r.UserID, r.Rating, r.Title, r.Text, r.Hidden,
		database.Millis(r.CreatedAt), database.Millis(r.UpdatedAt))
	return s.Wrap(err, "Review")
}

// DeleteReview implements review.Store.
func (s *Reviews) DeleteReview(ctx context.Context, id string) error {
	res, err := s.Write.ExecContext(ctx, `DELETE FROM reviews WHERE id = $1`, id)
	return database.Affected(res, err, "Review")
}

// ListReviews implements review.Store.
func (s *Reviews) ListReviews(ctx context.Context, q review.Query) (list []review.Review, total int, err error) {
	where := reviewWhere(q)
	err = s.InSnapshot(ctx, func(tx database.Conn) error {
		err := tx.Read.QueryRowContext(ctx, `SELECT count(*) FROM reviews r`+where.String(), where.Args()...).Scan(&total)
		if err != nil || q.Offset >= total {
			return err
		}
		// Only the reviews on the page are read whole; the index skips the others.
		page, args := where.Page(q.Limit, q.Offset)
		order := reviewOrders.by(q.Sort, "-created")
		list, err = database.All(ctx, tx.Read, scanReview, fmt.Sprintf(`%s
			JOIN (SELECT r.id FROM reviews r%s%s%s) page ON page.id = r.id%s`,
			reviewQuery, where.String(), order, page, order), args...)
		return err
	})
	return list, total, err
}

// reviewWhere returns the conditions of a query.
func reviewWhere(q review.Query) (w database.Where) {
	if q.ProductID != "" {
		w.And(`r.product_id = $1`, q.ProductID)
	}
	if q.ProductSlug != "" {
		w.And(`r.product_id = (SELECT id FROM products WHERE slug = $1)`, q.ProductSlug)
	}
	if q.UserID != "" {
		w.And(`r.user_id = $1`, q.UserID)
	}
	if q.Hidden != nil {
		w.And(`r.hidden = $1`, *q.Hidden)
	}
	if q.Search != "" {
		author := `email_key LIKE $1 ESCAPE '~' OR username_key LIKE $1 ESCAPE '~'`
		if q.Masked {
			author = `username_key LIKE $1 ESCAPE '~'`
		}
		w.And(`(r.user_id IN (SELECT id FROM users WHERE `+author+`)
			OR r.product_id IN (SELECT id FROM products WHERE slug LIKE $1 ESCAPE '~')
			OR lower(r.title) LIKE $2 ESCAPE '~' OR lower(r.text) LIKE $2 ESCAPE '~'
			OR r.title LIKE $3 ESCAPE '~' OR r.text LIKE $3 ESCAPE '~')`,
			database.Like(account.Key(q.Search)), database.Like(strings.ToLower(q.Search)), database.Like(q.Search))
	}
	return w
}
