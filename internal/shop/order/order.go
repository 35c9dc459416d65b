package order

import (
	"cmp"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/base/text"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// Status is where an order is in its life.
type Status string

// An order starts pending, or paid if nothing is left to pay. Only a paid order can be refunded, and
// only a pending one cancelled.
const (
	Pending   Status = "pending"
	Paid      Status = "paid"
	Refunded  Status = "refunded"
	Cancelled Status = "cancelled"
)

// Kind is what a further order of a license is for.
type Kind string

// The kinds.
const (
	Change  Kind = "change"  // of the plan
	Renewal Kind = "renewal" // of a term that no provider renews
)

// Order records one purchase (contract 3.5), at the price of that day. What happens to it is stored as
// facts, which are never withdrawn; the status follows from them.
type Order struct {
	ID            string
	ProductID     string
	TierID        string
	UserID        string // reqctx.Anonymous when nobody was signed in, reqctx.Deleted once the account is
	PaymentMethod string
	Billing       *BillingInfo // nil if the buyer gave none
	Amount        product.Money
	Discount      Discount              // zero without a code; Amount is what is left to pay
	Period        product.BillingPeriod // the tier's
	LicenseID     string
	CreatedAt     time.Time

	// Trial says that the order gave a trial. Follows says that another order, or an administrator, had issued its
	// license. Neither changes.
	Trial   bool
	Follows bool
	// Kind is what the order does to a license that another order issued, and that was bought. Empty: it issued it, or
	// bought a trial. It never changes.
	Kind Kind

	// Provider is the Name of the payment.Provider that takes the payment. Empty if the order is free.
	Provider string
	// Payment is the provider's reference to the payment, PaymentURL the page where it is made.
	Payment    payment.Reference
	PaymentURL string

	// The facts. Zero means that it did not happen. PaidAt and CancelledAt together mean that the
	// payment came too late; it is refunded.
	PaidAt      time.Time
	RefundedAt  time.Time
	CancelledAt time.Time
	// PartlyRefunded is how much of the amount was given back while the order stays
	// paid, in the units of Amount.
	PartlyRefunded int64
	// EndedAt is when the subscription ended at the provider.
	EndedAt time.Time
	// Ends says that the subscription ends with the period that is paid: its buyer ended it here, or
	// somebody did at the provider. RenewalToldAt is when the provider last said so, or the contrary, by
	// its own clock; zero if it never did.
	Ends          bool
	RenewalToldAt time.Time

	// Language is the buyer's, in which mails about the order are written; empty if it is not known.
	Language string

	// Demo says that the sale is made up (Service.Demo). It never changes.
	Demo bool
}

// BillingInfo is whom the bill is for, as the buyer gave it.
type BillingInfo struct {
	Name    string `json:"name,omitempty"`
	Email   string `json:"email,omitempty"`
	Company string `json:"company,omitempty"`
}

// NameKey returns the form in which the name is searched for; "" without one. b may be nil.
func (b *BillingInfo) NameKey() string {
	if b == nil {
		return ""
	}
	return text.Fold(b.Name)
}

// CompanyKey is NameKey for the company.
func (b *BillingInfo) CompanyKey() string {
	if b == nil {
		return ""
	}
	return text.Fold(b.Company)
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

// Addressed reports whether there may be an address for the order's receipt: that of the bill, or that
// of the buyer's account.
func (o *Order) Addressed() bool { return o.Billing.EmailKey() != "" || reqctx.IsUser(o.UserID) }

// refundDue reports whether the order was paid too late and is not refunded yet.
func (o *Order) refundDue() bool {
	return !o.CancelledAt.IsZero() && !o.PaidAt.IsZero() && o.RefundedAt.IsZero()
}

// endDue reports whether the order is over but its subscription is not.
func (o *Order) endDue() bool {
	return o.Payment.Subscription != "" && o.EndedAt.IsZero() && (!o.CancelledAt.IsZero() || !o.RefundedAt.IsZero())
}

// abandoned reports whether the provider charges the next period of somebody whose account is deleted.
func (o *Order) abandoned() bool { return o.UserID == reqctx.Deleted && o.Renews() }

// tooLate reports whether a period paid at that time was paid after the order was over.
func (o *Order) tooLate(at time.Time) bool {
	if o.RefundedAt.IsZero() || !o.CancelledAt.IsZero() {
		return !o.CancelledAt.IsZero()
	}
	// Providers count by the second. Of that in which stoa asked for the refund, a period may have been paid after it:
	// what was given back with the rest is not given back again.
	second := o.RefundedAt.Truncate(time.Second)
	return at.After(o.RefundedAt) || at.Equal(second) && second.Before(o.RefundedAt)
}

// Renews reports whether the provider charges the next period by itself.
func (o *Order) Renews() bool {
	return o.Status() == Paid && o.Payment.Subscription != "" && o.EndedAt.IsZero() && !o.Ends
}

// WillEnd reports whether the order's subscription was ended. What is paid goes on.
func (o *Order) WillEnd() bool { return o.Status() == Paid && (o.Ends || !o.EndedAt.IsZero()) }

// ownsPayment reports whether a payment is the order's, as far as is known. The payments of a
// subscription are identified by their invoices.
func (o *Order) ownsPayment(r payment.Reference) bool {
	known := o.Payment
	switch {
	case r.Invoice != "" && known.Invoice != "":
		return r.Invoice == known.Invoice
	case r.Payment != "" && known.Payment != "":
		return r.Payment == known.Payment
	}
	return known.Subscription == r.Subscription || known.Subscription == "" || r.Payment == ""
}

// learn fills in the parts of the payment reference that were unknown.
func (o *Order) learn(r payment.Reference) {
	o.Payment.Session = cmp.Or(o.Payment.Session, r.Session)
	o.Payment.Payment = cmp.Or(o.Payment.Payment, r.Payment)
	o.Payment.Invoice = cmp.Or(o.Payment.Invoice, r.Invoice)
	o.Payment.Subscription = cmp.Or(o.Payment.Subscription, r.Subscription)
	o.Payment.Customer = cmp.Or(o.Payment.Customer, r.Customer)
}
