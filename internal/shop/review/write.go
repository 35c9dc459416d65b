package review

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// Write stores a review by the signed-in caller in ctx. It replaces the caller's
// earlier review of the product; created reports that there was none.
//
// It returns VALIDATION_ERROR with the issues of the request, product.ErrNotFound if no
// such product is published, and ErrNotABuyer for a caller without a paid license that
// is not revoked.
func (s *Service) Write(ctx context.Context, slug string, req Request) (written Review, created bool, err error) {
	if err := req.Issues().Err(); err != nil {
		return Review{}, false, err
	}
	p, err := s.Products.Published(ctx, slug)
	if err != nil {
		return Review{}, false, err
	}
	user, now := reqctx.CallerFrom(ctx).UserID, product.Millis(s.Now())
	err = s.Store.InTx(ctx, func(tx Store) error {
		tally, err := tx.Tally(ctx, p.ID) // first, because it locks the product
		if err != nil {
			return err
		}
		if may, err := tx.HoldsLicense(ctx, p.ID, user); err != nil {
			return err
		} else if !may {
			return ErrNotABuyer
		}
		old, err := tx.ReviewBy(ctx, p.ID, user)
		if created = errs.KindOf(err) == errs.NotFound; err != nil && !created {
			return err
		}
		next := old
		if created {
			next = Review{ID: ids.New(), ProductID: p.ID, UserID: user, CreatedAt: now}
		}
		next = req.apply(next, now)
		if err := tx.SaveReview(ctx, next); err != nil {
			return err
		}
		if err := tx.SetTally(ctx, p.ID, tally.replace(old, next)); err != nil {
			return err
		}
		written, err = tx.ReviewByID(ctx, next.ID) // with its author's name
		return err
	})
	return written, created, err
}

// ListShown returns the reviews of a published product that are not hidden, newest
// first, and how many there are on all pages. It returns product.ErrNotFound if no such
// product is published.
func (s *Service) ListShown(ctx context.Context, slug string, limit, offset int) ([]Review, int, error) {
	p, err := s.Products.Published(ctx, slug)
	if err != nil {
		return nil, 0, err
	}
	shown := false
	return s.Store.ListReviews(ctx, Query{ProductID: p.ID, Hidden: &shown, Limit: limit, Offset: offset})
}

// Withdraw deletes the review of a product by the signed-in caller in ctx. The product
// may be withdrawn from sale.
//
// It returns product.ErrNotFound, ErrNotFound, and ErrHidden if the review is hidden:
// otherwise its author could delete it and write it again to undo the hiding.
func (s *Service) Withdraw(ctx context.Context, slug string) error {
	p, err := s.Products.Public(ctx, slug)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		tally, err := tx.Tally(ctx, p.ID)
		if err != nil {
			return err
		}
		r, err := tx.ReviewBy(ctx, p.ID, reqctx.CallerFrom(ctx).UserID)
		switch {
		case err != nil:
			return noReview(err)
		case r.Hidden:
			return ErrHidden
		}
		if err := tx.DeleteReview(ctx, r.ID); err != nil {
			return err
		}
		return tx.SetTally(ctx, p.ID, tally.replace(r, Review{}))
	})
}

// Find returns reviews for administrators, newest first, and how many there are on all
// pages. It returns VALIDATION_ERROR with the issues of the query.
func (s *Service) Find(ctx context.Context, q Query) ([]Review, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return s.Store.ListReviews(ctx, q)
}

// SetHidden hides a review or shows it again, and records that in the audit log. It does
// nothing to a review that is in that state already. It returns ErrNotFound.
func (s *Service) SetHidden(ctx context.Context, id string, hidden bool) (Review, error) {
	var out Review
	err := s.moderate(ctx, id, func(tx Store, r Review, tally Tally) error {
		out = r
		if r.Hidden == hidden {
			return nil
		}
		out.Hidden = hidden
		if err := tx.SaveReview(ctx, out); err != nil {
			return err
		}
		if err := tx.SetTally(ctx, r.ProductID, tally.replace(r, out)); err != nil {
			return err
		}
		action := audit.ReviewShow
		if hidden {
			action = audit.ReviewHide
		}
		return tx.Record(ctx, s.reviewEntry(ctx, action, r))
	})
	return out, err
}

// Remove deletes a review and records that in the audit log. Its author may write a new
// one. It returns ErrNotFound.
func (s *Service) Remove(ctx context.Context, id string) error {
	return s.moderate(ctx, id, func(tx Store, r Review, tally Tally) error {
		if err := tx.DeleteReview(ctx, r.ID); err != nil {
			return err
		}
		if err := tx.SetTally(ctx, r.ProductID, tally.replace(r, Review{})); err != nil {
			return err
		}
		return tx.Record(ctx, s.reviewEntry(ctx, audit.ReviewDelete, r))
	})
}

// moderate calls fn in a transaction with a review and the tally of its product, which
// is locked. It returns ErrNotFound for an unknown id.
func (s *Service) moderate(ctx context.Context, id string, fn func(tx Store, r Review, tally Tally) error) error {
	if !text.Printable(id, text.Short) {
		return ErrNotFound
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		// Read twice: first to learn the product, which is always locked before its
		// reviews, and again under the lock, because the review may have changed.
		r, err := tx.ReviewByID(ctx, id)
		if err != nil {
			return noReview(err)
		}
		tally, err := tx.Tally(ctx, r.ProductID)
		if err != nil {
			return err
		}
		if r, err = tx.ReviewByID(ctx, id); err != nil {
			return noReview(err)
		}
		return fn(tx, r, tally)
	})
}

// reviewEntry returns an audit entry that names author and product, but does not quote
// the review.
func (s *Service) reviewEntry(ctx context.Context, action audit.Action, r Review) audit.Entry {
	return audit.New(ctx, s.Now(), action, audit.Target{Type: "review", ID: r.ID}, audit.Details{
		"product": r.ProductSlug, "userId": r.UserID, "rating": r.Rating,
	})
}

// noReview turns the store's errs.NotFound into ErrNotFound.
func noReview(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrNotFound
	}
	return err
}
