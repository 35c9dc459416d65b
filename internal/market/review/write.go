package review

import (
	"context"
	"time"

	"stoa/internal/audit"
	"stoa/internal/caller"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/text"
)

// Write stores what the caller in ctx, who is signed in, says about a
// product, in place of what they said before; created says which. The product's
// rating changes in the same transaction.
//
// It returns VALIDATION_ERROR for what Request.Issues finds,
// ErrNotFound, and ErrNotABuyer for who holds no licence of the product
// that is paid for and not revoked.
func (s *Service) Write(ctx context.Context, slug string, req Request) (written Review, created bool, err error) {
	if err := req.Issues().Err(); err != nil {
		return Review{}, false, err
	}
	p, err := s.Products.Published(ctx, slug)
	if err != nil {
		return Review{}, false, err
	}
	user, now := caller.From(ctx).UserID, s.Now().UTC().Truncate(time.Millisecond)
	err = s.Store.InTx(ctx, func(tx Store) error {
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

// ListShown returns the reviews of a published product that are not hidden,
// the newest first, and how many there are on all pages. It returns
// ErrNotFound.
func (s *Service) ListShown(ctx context.Context, slug string, limit, offset int) ([]Review, int, error) {
	p, err := s.Products.Published(ctx, slug)
	if err != nil {
		return nil, 0, err
	}
	shown := false
	return s.Store.ListReviews(ctx, Query{ProductID: p.ID, Hidden: &shown, Limit: limit, Offset: offset})
}

// Withdraw deletes the review that the caller in ctx, who is signed in,
// wrote about a product, withdrawn from sale or not.
//
// It returns ErrNotFound, ErrNotFound, and ErrHidden for one
// that is hidden: deleting it and writing another would undo the hiding.
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
		r, err := tx.ReviewBy(ctx, p.ID, caller.From(ctx).UserID)
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

// Find returns reviews for administrators, the newest first, and how many
// there are on all pages. It returns VALIDATION_ERROR for what
// Query.Issues finds.
func (s *Service) Find(ctx context.Context, q Query) ([]Review, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return s.Store.ListReviews(ctx, q)
}

// SetHidden hides a review, or shows it again, and records that. Asking for what
// is so already changes and records nothing. It returns ErrNotFound.
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

// Remove deletes a review for good and records that. Its author may write
// another. It returns ErrNotFound.
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

// moderate calls fn in a transaction with a review, whose product is locked, and
// the product's tally.
func (s *Service) moderate(ctx context.Context, id string, fn func(tx Store, r Review, tally Tally) error) error {
	if !text.Printable(id, text.Short) {
		return ErrNotFound
	}
	return s.Store.InTx(ctx, func(tx Store) error {
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
func (s *Service) reviewEntry(ctx context.Context, action audit.Action, r Review) audit.Entry {
	return audit.New(ctx, s.Now(), action, audit.Target{Type: "review", ID: r.ID}, audit.Details{
		"product": r.ProductSlug, "userId": r.UserID, "rating": r.Rating,
	})
}

// noReview is what a client is told when the store finds no review.
func noReview(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrNotFound
	}
	return err
}
