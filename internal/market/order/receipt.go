package order

import (
	"context"
	"strconv"
	"strings"
	"time"

	"stoa/internal/caller"
	"stoa/internal/mail"
	"stoa/internal/market/license"
	"stoa/internal/market/product"
)

// ReceiptState is what became of the mail with a receipt.
type ReceiptState string

// A receipt waits until it is sent, until trying is given up, or until there is
// nothing to send any more, because the order was taken back.
const (
	ReceiptWaiting ReceiptState = "waiting"
	ReceiptSent    ReceiptState = "sent"
	ReceiptFailed  ReceiptState = "failed"
	ReceiptDropped ReceiptState = "dropped"
)

// ReceiptStore is the receipts in the database that are to be mailed. Store puts them
// there, in the transaction that settles an order; Courier takes them out.
type ReceiptStore interface {
	// LeaseReceipt takes one of the receipts that are due at now, counts an attempt
	// and makes it due again at until, when the lease of that name ends. It returns
	// false if none is due. Of several callers, each gets another receipt.
	LeaseReceipt(ctx context.Context, lease string, now, until time.Time) (DueReceipt, bool, error)

	// PostponeReceipt makes a receipt due at a later time, with so many attempts
	// counted, and ends the lease. If another lease was given meanwhile, it does
	// nothing, like FinishReceipt.
	PostponeReceipt(ctx context.Context, orderID, lease string, due time.Time, attempts int) error

	// FinishReceipt says what became of a receipt. It is never due again.
	FinishReceipt(ctx context.Context, orderID, lease string, s ReceiptState, at time.Time) error

	// Allow is as in ClaimStore.
	Allow(ctx context.Context, name string, a Allowance, now time.Time) (time.Time, error)

	// DeleteAllowances forgets the allowances that were there again, whole, at now.
	DeleteAllowances(ctx context.Context, now time.Time) error
}

// DueReceipt is a receipt that is to be mailed now, and what it tells.
type DueReceipt struct {
	OrderID string
	UserID  string       // caller.Anonymous when nobody was signed in
	Billing *BillingInfo // nil if the buyer gave none
	Amount  product.Money
	Ordered time.Time

	ProductName, TierName string // today's; TierName is the tier's id if there is none with it

	License license.License

	// Stands is false once the order was refunded or cancelled.
	Stands bool

	Attempts int       // this one included
	Since    time.Time // when the order was settled
}

// Addressed reports whether there may be an address for an order's receipt: that
// of the bill, or that of the buyer's account.
func (o *Order) Addressed() bool { return o.Billing.EmailKey() != "" || o.UserID != caller.Anonymous }

// receiptMail is the mail with a licence key. Nothing in it was chosen by the
// buyer, who may have given somebody else's address: it cannot be made to carry
// a message.
func receiptMail(d DueReceipt, to string, key license.Key, site, publicURL string) mail.Message {
	var b strings.Builder
	line := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
		}
		b.WriteByte('\n')
	}
	line("Thank you for your order at ", site, ".")
	line()
	line("  Product   ", d.ProductName, " - ", d.TierName)
	amount := d.Amount.String()
	if d.Amount.Minor == 0 {
		amount = "free"
	}
	line("  Amount    ", amount)
	line("  Order     ", d.OrderID)
	line("  Date      ", day(d.Ordered))
	line()
	line("This is your licence key:")
	line()
	line("  ", key.Reveal())
	line()
	line(terms(d.License))
	line()
	line("To activate the licence, enter the key where ", d.ProductName, " asks for it.")
	line("Keep this mail, and keep the key to yourself: whoever has it can use up your")
	line("licence.")
	if d.UserID == caller.Anonymous {
		line()
		line("You ordered without signing in. To have the order and its licence in an")
		line("account, make one with this e-mail address, if you have none, and open:")
		line()
		line(publicURL, "/claim-orders")
	}
	line()
	line("If you ordered nothing, somebody gave your address by mistake, and you can")
	line("ignore this mail.")
	return mail.Message{To: to, Subject: "Your licence for " + d.ProductName, Text: b.String(), ID: "receipt-" + d.OrderID}
}

// terms says how long a licence lasts, and for how many instances.
func terms(l license.License) string {
	text := "It does not expire"
	if !l.ExpiresAt.IsZero() {
		text = "It is valid until " + day(l.ExpiresAt)
	}
	if l.MaxInstances == 1 {
		return text + " and is for one instance."
	}
	return text + " and is for " + strconv.Itoa(l.MaxInstances) + " instances."
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }
