package review

import (
	"strings"
	"time"

	"stoa/internal/errs"
	"stoa/internal/text"
)

// Review is what a buyer says about a product. There is at most one for each
// product and user; writing again replaces it. It stays when the licence that
// allowed it is refunded or revoked: what was said remains true, and an operator
// can hide it.
type Review struct {
	ID        string
	ProductID string
	UserID    string

	Rating int // stars, 1 to 5
	Title  string
	Text   string
	// Hidden reviews are shown to administrators only and do not count. They stay
	// hidden whatever their author does.
	Hidden bool

	CreatedAt time.Time
	UpdatedAt time.Time

	// Author and ProductSlug are read with a review and never saved.
	Author      string // the username
	ProductSlug string
}

// counts reports whether the review is part of its product's rating.
func (r *Review) counts() bool { return r.ID != "" && !r.Hidden }

// Stars of a review (spec A: ratings are numbers; CONTRACT leaves their range to
// us).
const (
	minStars = 1
	maxStars = 5
)

// maxReviewText is the length of the longest text of a review in characters.
const maxReviewText = 5_000

// Request is a review as its author sends it.
type Request struct {
	Rating *int   `json:"rating"` // nil if it was left out
	Title  string `json:"title"`
	Text   string `json:"text"`
}

// Issues returns what is wrong with the request.
func (r Request) Issues() errs.Issues {
	var is errs.Issues
	switch {
	case r.Rating == nil:
		is.Add("rating", errs.CodeRequired, "rating is required.")
	case *r.Rating < minStars || *r.Rating > maxStars:
		is.Add("rating", errs.CodeOutOfRange, "rating must be a whole number from %d to %d.", minStars, maxStars)
	}
	if !text.Printable(strings.TrimSpace(r.Title), text.Short) {
		is.Add("title", errs.CodeOutOfRange, "title must be at most %d printable characters.", text.Short)
	}
	if !text.PrintableLines(strings.TrimSpace(r.Text), maxReviewText) {
		is.Add("text", errs.CodeOutOfRange,
			"text must be at most %d printable characters and line breaks.", maxReviewText)
	}
	return is
}

// apply returns the review old as the request wants it.
func (r Request) apply(old Review, at time.Time) Review {
	old.Rating, old.Title, old.Text = *r.Rating, strings.TrimSpace(r.Title), strings.TrimSpace(r.Text)
	old.UpdatedAt = at
	return old
}

// Query says which reviews are wanted. The zero value of a filter is no
// filter.
type Query struct {
	ProductID   string
	ProductSlug string
	Hidden      *bool
	Limit       int
	Offset      int
}

// Issues returns what is wrong with the query.
func (q Query) Issues() errs.Issues {
	var is errs.Issues
	if !text.Printable(q.ProductSlug, text.Short) {
		is.Add("product", errs.CodeOutOfRange, "product must be at most %d printable characters.", text.Short)
	}
	return is
}
