package market

import (
	"strings"
	"time"

	"stoa/internal/errs"
)

// OrderStatus is where an order is in its life.
type OrderStatus string

// An order starts pending or paid. Only a paid one can be refunded, only a
// pending one cancelled.
const (
	OrderPending   OrderStatus = "pending"
	OrderPaid      OrderStatus = "paid"
	OrderRefunded  OrderStatus = "refunded"
	OrderCancelled OrderStatus = "cancelled"
)

// Order records one purchase (CONTRACT 3). It keeps the price of the day.
type Order struct {
	ID            string
	ProductID     string
	TierID        string
	UserID        string // caller.Anonymous when nobody was signed in
	PaymentMethod string
	Billing       *BillingInfo // nil if the buyer gave none
	Amount        Money
	Status        OrderStatus
	LicenseID     string
	CreatedAt     time.Time
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
}

// Issues returns what is wrong with the request.
func (r PurchaseRequest) Issues() []errs.Issue {
	var is issues
	if r.TierID == "" {
		is.add("tierId", "required", "tierId is required.")
	}
	switch {
	case strings.TrimSpace(r.PaymentMethod) == "":
		is.add("paymentMethod", "required", "paymentMethod is required.")
	case !printable(r.PaymentMethod, maxText):
		is.add("paymentMethod", "out_of_range", "paymentMethod must be at most %d printable characters.", maxText)
	}
	if b := r.Billing; b != nil {
		for _, f := range []struct{ name, value string }{{"name", b.Name}, {"email", b.Email}, {"company", b.Company}} {
			if !printable(f.value, maxText) {
				is.add("billingInfo."+f.name, "out_of_range", "billingInfo.%s must be at most %d printable characters.", f.name, maxText)
			}
		}
	}
	return is
}

// Receipt is the result of a purchase.
type Receipt struct {
	OrderID    string
	LicenseKey LicenseKey
	PaymentURL string // empty if nothing is left to pay
}
