package order

import (
	"stoa/internal/errs"
	"stoa/internal/text"
)

// Query says which orders an administrator wants to see. Empty fields want
// all.
type Query struct {
	ID string
	// Search is part of an e-mail address, of an id or of a product's slug, in any case,
	// or the last group of a license key.
	Search  string
	Status  Status
	Product string // slug
	UserID  string // or caller.Anonymous
	// Email is an address on the bill or of the buyer's account, compared as
	// EmailKey says.
	Email string

	Limit, Offset int
}

// Issues returns what is wrong with the query.
func (q Query) Issues() []errs.Issue {
	var is errs.Issues
	switch q.Status {
	case "", Pending, Paid, Refunded, Cancelled:
	default:
		is.Add("status", "invalid", "status must be pending, paid, refunded or cancelled.")
	}
	for _, f := range []struct{ name, value string }{{"q", q.Search}, {"product", q.Product}, {"user", q.UserID}} {
		if !text.Printable(f.value, text.Short) {
			is.Add(f.name, "out_of_range", "%s must be at most %d printable characters.", f.name, text.Short)
		}
	}
	if q.Email != "" && EmailKey(q.Email) == "" {
		is.Add("email", "invalid", "email must be one e-mail address.")
	}
	return is.List()
}
