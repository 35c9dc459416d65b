package order

import (
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
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
	// Code and Off are the discount code of the order and what it took off. Empty without one.
	Code    string
	Off     product.Money
	Ordered time.Time
	// Trial says that the order gave a trial.
	Trial bool

	ProductName, TierName string // current; TierName is the tier's id if the tier no longer exists

	License license.License

	// Stands is false once the order is refunded or cancelled.
	Stands bool
	// Refunded says that the buyer got the money back: then the mail says so.
	Refunded bool

	Attempts int       // including this one
	Since    time.Time // when the order was settled
}

// guests reports whether the order was placed without an account.
func (d DueReceipt) guests() bool { return d.UserID == reqctx.Anonymous }

// receiptMail is the mail with a license key. The buyer, who may have given somebody else's address,
// chose nothing in it, so it cannot carry a message. link makes a guest's account; it is empty for others.
func receiptMail(d DueReceipt, to string, key license.Key, site, link string) mail.Message {
	var b strings.Builder
	line := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
		}
		b.WriteByte('\n')
	}
	intro, subject := "Thank you for your order at "+site+".", "Your license for "+d.ProductName
	if d.Trial {
		intro, subject = "Your trial from "+site+" has begun.", "Your trial of "+d.ProductName
	}
	line(intro)
	line()
	line("  Product   ", d.ProductName, " - ", d.TierName)
	amount := d.Amount.String()
	if d.Amount.Minor == 0 {
		amount = "free"
	}
	if d.Code != "" {
		line("  Discount  ", d.Off.String(), " (", d.Code, ")")
	}
	line("  Amount    ", amount)
	line("  Order     ", d.OrderID)
	line("  Date      ", day(d.Ordered))
	line()
	line("This is your license key:")
	line()
	line("  ", key.Reveal())
	line()
	line(terms(d.License))
	line()
	line("To activate the license, enter the key where ", d.ProductName, " asks for it.")
	line("Keep this mail, and keep the key to yourself: whoever has it can use up your")
	line("license.")
	if link != "" {
		line()
		line("You ordered without an account. To see the order and its license in one, open")
		line("this link within 7 days. It works once:")
		line()
		line(link)
		line()
		line("Do not pass the link on: whoever opens it can see your license keys.")
	}
	line()
	line("If you ordered nothing, somebody gave your address by mistake, and you can")
	line("ignore this mail.")
	return mail.Message{
		To: to, Subject: subject, Text: b.String(), ID: "receipt-" + d.OrderID,
	}
}

// notice reports whether the mail is about a refund. What cost nothing is not given back.
func (d DueReceipt) notice() bool { return d.Refunded && d.Amount.Minor > 0 }

// refundMail tells a buyer that an order was refunded.
func refundMail(d DueReceipt, to, site string) mail.Message {
	return mail.Message{
		To: to, Subject: "Your order of " + d.ProductName + " was refunded", ID: "refund-" + d.OrderID,
		Text: "Your order at " + site + " was refunded.\n" +
			"\n" +
			"  Product   " + d.ProductName + " - " + d.TierName + "\n" +
			"  Amount    " + d.Amount.String() + "\n" +
			"  Order     " + d.OrderID + "\n" +
			"  Date      " + day(d.Ordered) + "\n" +
			"\n" +
			"The money goes back the way that you paid it, which can take some days.\n" +
			"The order's license no longer works.\n",
	}
}

// terms says how long a license is valid and for how many instances.
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

// day formats a date for mails.
func day(t time.Time) string { return t.UTC().Format("2 January 2006") }
