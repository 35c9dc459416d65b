package market

import (
	"context"
	"time"

	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/text"
)

// WriteReview stores what the caller in ctx, who is signed in, says about a
// product, in place of what they said before; created says which. The product's
// rating changes in the same transaction.
//
// It returns VALIDATION_ERROR for what ReviewRequest.Issues finds,
// ErrProductNotFound, and ErrNotABuyer for who holds no licence of the product
// that is paid for and not revoked.
func (s *ReviewService) WriteReview(ctx context.Context, slug string, req ReviewRequest) (written Review, created bool, err error) {
	if err := errs.Validation(req.Issues()...); err != nil {
		return Review{}, false, err
	}
	p, err := s.Products.Get(ctx, slug)
	if err != nil {
		return Review{}, false, err
	}
	user, now := caller.From(ctx).UserID, s.Now().UTC().Truncate(time.Millisecond)
	err = s.Store.InTx(ctx, func(tx Reviews) error {
		tally, err := tx.Tally(ctx, p.ID) // first: it is the lock
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
			next = Review{ID: cuid2.New(), ProductID: p.ID, UserID: user, CreatedAt: now}
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

// ProductReviews returns the reviews of a published product that are not hidden,
// the newest first, and how many there are on all pages. It returns
// ErrProductNotFound.
func (s *ReviewService) ProductReviews(ctx context.Context, slug string, offset, limit int) ([]Review, int, error) {
	p, err := s.Products.Get(ctx, slug)
	if err != nil {
		return nil, 0, err
	}
	shown := false
	return s.Store.ListReviews(ctx, ReviewQuery{ProductID: p.ID, Hidden: &shown, Offset: offset, Limit: limit})
}

// WithdrawReview deletes the review that the caller in ctx, who is signed in,
// wrote about a product, withdrawn from sale or not.
//
// It returns ErrProductNotFound, ErrReviewNotFound, and ErrReviewHidden for one
// that is hidden: deleting it and writing another would undo the hiding.
func (s *ReviewService) WithdrawReview(ctx context.Context, slug string) error {
	p, err := s.Products.Public(ctx, slug)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx Reviews) error {
		tally, err := tx.Tally(ctx, p.ID)
		if err != nil {
			return err
		}
		r, err := tx.ReviewBy(ctx, p.ID, caller.From(ctx).UserID)
		switch {
		case err != nil:
			return noReview(err)
		case r.Hidden:
			return ErrReviewHidden
		}
		if err := tx.DeleteReview(ctx, r.ID); err != nil {
			return err
		}
		return tx.SetTally(ctx, p.ID, tally.replace(r, Review{}))
	})
}

// FindReviews returns reviews for administrators, the newest first, and how many
// there are on all pages. It returns VALIDATION_ERROR for what
// ReviewQuery.Issues finds.
func (s *ReviewService) FindReviews(ctx context.Context, q ReviewQuery) ([]Review, int, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return nil, 0, err
	}
	return s.Store.ListReviews(ctx, q)
}

// HideReview hides a review, or shows it again, and records that. Asking for what
// is so already changes and records nothing. It returns ErrReviewNotFound.
func (s *ReviewService) HideReview(ctx context.Context, id string, hidden bool) (Review, error) {
	var out Review
	err := s.moderate(ctx, id, func(tx Reviews, r Review, tally Tally) error {
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

// RemoveReview deletes a review for good and records that. Its author may write
// another. It returns ErrReviewNotFound.
func (s *ReviewService) RemoveReview(ctx context.Context, id string) error {
	return s.moderate(ctx, id, func(tx Reviews, r Review, tally Tally) error {
		if err := tx.DeleteReview(ctx, r.ID); err != nil {
			return err
		}
		if err := tx.SetTally(ctx, r.ProductID, tally.replace(r, Review{})); err != nil {
			return err
		}
		return tx.Record(ctx, s.reviewEntry(ctx, audit.ReviewDelete, r))
	})
}

// moderate calls fn in a transaction with a review, whose product is locked, and
// the product's tally.
func (s *ReviewService) moderate(ctx context.Context, id string, fn func(tx Reviews, r Review, tally Tally) error) error {
	if !text.Printable(id, text.Short) {
		return ErrReviewNotFound
	}
	return s.Store.InTx(ctx, func(tx Reviews) error {
		// Read twice: the first time to know the product, which is locked before its
		// reviews as everywhere, and then as the last who held the lock left it.
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

// reviewEntry tells whose review of what it was, and not what it said.
func (s *ReviewService) reviewEntry(ctx context.Context, action audit.Action, r Review) audit.Entry {
	return audit.New(ctx, s.Now(), action, audit.Target{Type: "review", ID: r.ID}, audit.Details{
		"product": r.ProductSlug, "userId": r.UserID, "rating": r.Rating,
	})
}

// noReview is what a client is told when the store finds no review.
func noReview(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrReviewNotFound
	}
	return err
}
