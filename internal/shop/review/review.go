package review

import (
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// Review is a buyer's review of a product. A user has at most one for each product;
// writing again replaces it. It stays when the license is refunded or revoked, because
// the experience was real. Administrators can hide it.
type Review struct {
	ID        string
	ProductID string
	UserID    string // reqctx.Deleted once the account is

	Rating int // stars, 1 to 5
	Title  string
	Text   string
	// Hidden reviews are shown to administrators only and do not count towards the
	// rating. Their author cannot unhide them.
	Hidden bool

	CreatedAt time.Time
	UpdatedAt time.Time

	// Author and ProductSlug are set when a review is read, and ignored when it is
	// saved.
	Author      string // the username, or Former
	ProductSlug string
}

// Former signs reviews whose authors have no account any more. No username has a space.
const Former = "former customer"

// counts reports whether the review counts towards its product's rating.
func (r *Review) counts() bool { return r.ID != "" && !r.Hidden }

// The range of a review's rating (contract 3.14).
const (
	minStars = 1
	maxStars = 5
)

// maxText is the maximum length of a review's text in characters.
const maxText = 5_000

// Request is a review as its author sends it.
type Request struct {
	Rating *int   `json:"rating"` // nil if missing
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
	if !text.PrintableLines(strings.TrimSpace(r.Text), maxText) {
		is.Add("text", errs.CodeOutOfRange, "text must be at most %d printable characters and line breaks.", maxText)
	}
	return is
}

// apply returns old with the content of the request.
func (r Request) apply(old Review, at time.Time) Review {
	old.Rating, old.Title, old.Text = *r.Rating, strings.TrimSpace(r.Title), strings.TrimSpace(r.Text)
	old.UpdatedAt = at
	return old
}

// Query selects reviews. The zero value of a filter matches every review.
type Query struct {
	ProductID   string
	ProductSlug string
	UserID      string
	Hidden      *bool
	// Search is part of the author's name or e-mail address, of the product's slug, of the
	// title or of the text. Of the last two, only the letters A to Z are found in both cases.
	Search string
	// Masked says that the reader sees no addresses: none is searched for.
	Masked bool
	Sort   string // one of Sorts; empty means the newest first
	Limit  int
	Offset int
}

// Sorts are the orders of lists of reviews; "-" stands for descending.
var Sorts = []string{"created", "-created", "rating", "-rating"}

// Issues returns what is wrong with the query.
func (q Query) Issues() errs.Issues {
	var is errs.Issues
	if !text.Printable(q.ProductSlug, text.Short) {
		is.Add("product", errs.CodeOutOfRange, "product must be at most %d printable characters.", text.Short)
	}
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", text.Short)
	}
	is.OneOf("sort", q.Sort, Sorts...)
	return is
}
