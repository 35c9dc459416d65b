package order

import (
	"strings"
	"time"

	"stoa/internal/errs"
	"stoa/internal/market/license"
	"stoa/internal/market/payment"
	"stoa/internal/market/product"
	"stoa/internal/text"
)

// Status is where an order is in its life.
type Status string

// An order starts pending, and is paid at once where nothing is left to pay.
// Only a paid one can be refunded, only a pending one cancelled.
const (
	Pending   Status = "pending"
	Paid      Status = "paid"
	Refunded  Status = "refunded"
	Cancelled Status = "cancelled"
)

// Get records one purchase (CONTRACT 3). It keeps the price of the day. What
// happens to it is kept as facts, which are never taken back; the status follows
// from them.
type Order struct {
	ID            string
	ProductID     string
	TierID        string
	UserID        string // caller.Anonymous when nobody was signed in
	PaymentMethod string
	Billing       *BillingInfo // nil if the buyer gave none
	Amount        product.Money
	Period        product.BillingPeriod // the tier's
	LicenseID     string
	CreatedAt     time.Time

	// Provider took the payment: the Name of a payment.Provider. Empty where
	// nothing was to pay.
	Provider string
	// Payment is what the provider calls the payment, PaymentURL where it is made.
	Payment    payment.Reference
	PaymentURL string

	// The facts, zero if they are none. PaidAt and CancelledAt together are a
	// payment that came too late and is given back.
	PaidAt      time.Time
	RefundedAt  time.Time
	CancelledAt time.Time
	// PartlyRefunded is how much of the amount was given back while the order stays
	// paid, in the units of Amount.
	PartlyRefunded int64
	// EndedAt is when the provider ended the subscription, because the order is over.
	EndedAt time.Time
}

// Status returns where the order is in its life.
func (o *Order) Status() Status {
	switch {
	case !o.CancelledAt.IsZero():
		return Cancelled
	case !o.RefundedAt.IsZero():
		return Refunded
	case !o.PaidAt.IsZero():
		return Paid
	}
	return Pending
}

// BillingInfo is whom the bill is for, as the buyer gave it.
type BillingInfo struct {
	Name    string `json:"name,omitempty"`
	Email   string `json:"email,omitempty"`
	Company string `json:"company,omitempty"`
}

// PurchaseRequest is what a buyer asks for.
type PurchaseRequest struct {
	TierID        string       `json:"tierId"`
	PaymentMethod string       `json:"paymentMethod"`
	Billing       *BillingInfo `json:"billingInfo"` // nil if the buyer gave none

	// OrderID is the id that the order shall have, chosen by who may have to ask
	// twice. Empty: a new one.
	OrderID string `json:"-"`
}

// Issues returns what is wrong with the request.
func (r PurchaseRequest) Issues() []errs.Issue {
	var is errs.Issues
	if r.TierID == "" {
		is.Add("tierId", "required", "tierId is required.")
	}
	switch {
	case strings.TrimSpace(r.PaymentMethod) == "":
		is.Add("paymentMethod", "required", "paymentMethod is required.")
	case !text.Printable(r.PaymentMethod, text.Short):
		is.Add("paymentMethod", "out_of_range", "paymentMethod must be at most %d printable characters.", text.Short)
	}
	if b := r.Billing; b != nil {
		for _, f := range []struct{ name, value string }{{"name", b.Name}, {"email", b.Email}, {"company", b.Company}} {
			if !text.Printable(f.value, text.Short) {
				is.Add("billingInfo."+f.name, "out_of_range", "billingInfo.%s must be at most %d printable characters.", f.name, text.Short)
			}
		}
	}
	return is.List()
}

// Confirmation is the result of a purchase.
type Confirmation struct {
	OrderID    string
	LicenseKey license.Key
	PaymentURL string // empty if nothing is left to pay
}
