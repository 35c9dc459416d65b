package order

import (
	"stoa/internal/errs"
	"stoa/internal/mail"
	"stoa/internal/text"
)

// Query says which orders an administrator wants to see. Empty fields want
// all.
type Query struct {
	ID      string
	Status  Status
	Product string // slug
	UserID  string // or caller.Anonymous
	// Email is an address on the bill or of the buyer's account, compared as
	// EmailKey says.
	Email string

	Limit, Offset int
}

// Issues returns what is wrong with the query.
func (q Query) Issues() errs.Issues {
	var is errs.Issues
	switch q.Status {
	case "", Pending, Paid, Refunded, Cancelled:
	default:
		is.Add("status", errs.CodeUnknownValue, "status must be pending, paid, refunded or cancelled.")
	}
	for _, f := range []struct{ name, value string }{{"product", q.Product}, {"user", q.UserID}} {
		if !text.Printable(f.value, text.Short) {
			is.Add(f.name, errs.CodeOutOfRange, "%s must be at most %d printable characters.", f.name, text.Short)
		}
	}
	switch {
	case q.Email == "" || EmailKey(q.Email) != "":
	case len(q.Email) > mail.MaxAddress:
		is.Add("email", errs.CodeOutOfRange, "email must be at most %d bytes.", mail.MaxAddress)
	default:
		is.Add("email", errs.CodeInvalid, "email must be one e-mail address.")
	}
	return is
}
