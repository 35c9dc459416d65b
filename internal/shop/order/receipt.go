package order

import (
	"strconv"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/shop/license"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
)

// ReceiptState is where a receipt is in its delivery.
type ReceiptState string

// A receipt waits until it is sent, until its delivery has failed for good, or until it is dropped
// because its order is over.
const (
	ReceiptWaiting ReceiptState = "waiting"
	ReceiptSent    ReceiptState = "sent"
	ReceiptFailed  ReceiptState = "failed"
	ReceiptDropped ReceiptState = "dropped"
)

// DueReceipt is a receipt to be mailed now, and its content.
type DueReceipt struct {
	OrderID string
	UserID  string       // reqctx.Anonymous when nobody was signed in
	Billing *BillingInfo // nil if the buyer gave none
	Amount  product.Money
	// Paid is what was paid at first, in the units of Amount, and Bill what is known of its tax and invoice.
	Paid int64
	Bill payment.Bill
	// Code and Off are the discount code of the order and what it took off. Empty without one.
	Code    string
	Off     product.Money
	Ordered time.Time
	// Language is the buyer's; empty if it is not known.
	Language string
	// Trial says that the order gave a trial.
	Trial bool

	ProductName, TierName string // current; TierName is the tier's id if the tier no longer exists

	License license.License

	// Stands is false once the order is refunded or cancelled.
	Stands bool
	// Refunded says that the buyer got the money back: then the mail says so. The release before queued these mails as
	// receipts; now they are a RefundNotice.
	Refunded bool
	// Notice is the refund that the mail is about. Its zero value: none.
	Notice RefundNotice

	Attempts int       // including this one
	Since    time.Time // when the order was settled
}

// guests reports whether the order was placed without an account.
func (d DueReceipt) guests() bool { return d.UserID == reqctx.Anonymous }

// receiptMail is the mail with a license key. The buyer, who may have given somebody else's address,
// chose nothing in it, so it cannot carry a message. link makes a guest's account; it is empty for others.
func receiptMail(d DueReceipt, to string, key license.Key, link string) mail.Message {
	kind, values := template.Receipt, d.values()
	if d.Trial {
		kind = template.Trial
	}
	values[template.LicenseKey], values[template.Link] = key.Reveal(), link
	values[template.InvoiceNumber], values[template.InvoiceLink] = d.Bill.Number, d.Bill.URL
	values[template.Seats] = strconv.Itoa(d.License.MaxInstances)
	if !d.License.ExpiresAt.IsZero() {
		values[template.ExpiresAt] = template.Moment(d.License.ExpiresAt)
	}
	m := kind.Message(to, d.Language, values)
	m.ID = "receipt-" + d.OrderID
	return m
}

// values are what all mails about an order say of it.
func (d DueReceipt) values() map[string]string {
	values := map[string]string{
		template.ProductName: d.ProductName, template.TierName: d.TierName, template.OrderID: d.OrderID,
		template.OrderDate: template.Moment(d.Ordered), template.DiscountCode: d.Code,
	}
	paid := d.Amount
	if d.Bill.Taxed {
		paid.Minor = d.Paid // with the tax that came on top
	}
	if paid.Minor > 0 {
		values[template.Amount] = paid.String()
	}
	return values
}

// notice reports whether the mail is about a refund. What cost nothing is not given back.
func (d DueReceipt) notice() bool { return d.Notice.ID != "" || d.Refunded && d.Amount.Minor > 0 }

// RefundNotice is a refund of which the buyer is told by mail.
type RefundNotice struct {
	ID, OrderID string
	Minor       int64 // what was given back, in the units of the order
	Whole       bool  // the license went with it
}

// refundMail tells a buyer that an order was refunded, or a part of it.
func refundMail(d DueReceipt, to string) mail.Message {
	back := product.Money{Minor: d.Notice.Minor, Currency: d.Amount.Currency}
	if d.Notice.ID == "" {
		d.Notice, back = RefundNotice{ID: d.OrderID, Whole: true}, d.Amount
	}
	values := d.values()
	values[template.RefundAmount] = back.String()
	if d.License.RevokedAt.IsZero() { // it goes on, also that of a trial whose purchase was paid too late
		values[template.Seats] = strconv.Itoa(d.License.MaxInstances)
	}
	m := template.Refund.Message(to, d.Language, values)
	m.ID = "refund-" + d.Notice.ID
	return m
}
