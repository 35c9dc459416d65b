// Package payment declares what a payment provider does, and what its events mean. It knows amounts and
// order ids only: orders belong to package order, licenses to package license. Package payment/stripe is
// a provider; Test and None stand in for one.
package payment

import (
	"context"
	"errors"
	"time"
)

// Mode is how a provider takes payments.
type Mode int

// The modes of providers.
const (
	Closed  Mode = iota // it takes none
	Instant             // every charge is paid when it is ordered, without Begin
	Hosted              // on a page of the provider, which Begin opens
)

// Charge is what is to be paid.
type Charge struct {
	OrderID  string
	Method   string // as the buyer named it
	Minor    int64  // amount in the currency's minor unit
	Exponent int    // decimals of that unit (ISO 4217)
	Currency string // ISO 4217, upper case
	Name     string // of what is bought, shown on the page
	Email    string // of the buyer, to fill in the page. Empty if unknown

	// Months is the time between two payments. Zero if there is only one.
	Months int
	// Off is what the first of several payments is less than the others, in the units of Minor. OffName is
	// what the buyer calls it.
	Off     int64
	OffName string
}

// Checkout is where a buyer pays: a page of the provider.
type Checkout struct {
	Session string // the provider's id of the page
	URL     string
}

// Reference holds the provider's ids of the parts of a payment. A part that is unknown or does not
// exist is empty.
type Reference struct {
	Session      string // the page
	Payment      string // the payment that settled the order
	Invoice      string // the invoice of that payment, if it has one
	Subscription string
	Customer     string // who pays
}

// Refund is what to give back of what was paid for an order.
type Refund struct {
	OrderID   string
	Reference Reference

	// Minor, with Exponent decimals, is a part. Zero means all. ID is of that part.
	Minor    int64
	Exponent int
	Currency string
	ID       string
	// Again says that the provider may have been asked for the part so long ago that it forgot the ID.
	Again bool
	// Invoiced says that the buyer has an invoice: what is given back of it needs a credit note.
	Invoiced bool
}

// EventKind is what an event means for the order.
type EventKind int

// The kinds of events.
const (
	Unrelated        EventKind = iota // nothing to do: of another kind, or not about an order
	Paid                              // the order is paid
	Failed                            // it will not be paid: the page expired, or the bank refused later
	Refunded                          // the whole payment was refunded
	Renewed                           // a further period of a subscription is paid
	Billed                            // a further period of a subscription is to be paid; Collect speeds it up
	Bounced                           // a refund did not arrive
	PartlyRefunded                    // a part of the payment was refunded
	PeriodRefunded                    // all or a part of the payment of a further period was refunded
	NotRenewed                        // the payment of a further period was tried and failed
	WillNotRenew                      // the subscription ends with the period that is paid
	Ended                             // the subscription has ended
	WillRenew                         // the subscription goes on: nobody ended it, or that was taken back
	Adjusted                          // what a change of the plan cost is paid: the plan is changed
	AdjustmentFailed                  // what a change of the plan cost will not be paid: the plan stays as it was
)

// Event is what a provider reported, once it is known to come from the provider.
type Event struct {
	ID   string // the same for every delivery
	Type string // in the provider's words
	Kind EventKind
	At   time.Time // when it happened

	// OrderID is the order that the event is about. If it is empty, the subscription or payment in
	// Reference identifies the order.
	OrderID   string
	Reference Reference

	// Minor and Currency, with Exponent decimals, are the amount of a Paid, Renewed or Adjusted event, or all that was
	// refunded so far by a Refunded, PartlyRefunded or PeriodRefunded one. Whole is the amount of the payment of which
	// a part was refunded.
	Minor    int64
	Whole    int64
	Exponent int
	Currency string
	// Bill is of a Paid or Renewed event, in the same units.
	Bill Bill

	// Until is the end of the period of a Renewed, NotRenewed or Adjusted event. Zero if unknown.
	Until time.Time
	// BilledAt is when the period of a Billed or Renewed event was billed. Zero if unknown.
	BilledAt time.Time

	// Note is what the operator should know about the event. Empty if nothing.
	Note string
}

// Provider takes payments. Implementations are safe for concurrent use.
type Provider interface {
	Planner

	// Name is stored in orders to identify the provider: "stripe".
	Name() string

	// Mode returns how the provider takes payments. It never changes. The methods below are called on
	// Hosted providers only.
	Mode() Mode

	// Begin opens the page where a charge is paid. For at least a day, further calls for the same order
	// return the same page. The error is ErrRefused if this charge can never be taken; any other is an
	// outage.
	Begin(ctx context.Context, c Charge) (Checkout, error)

	// Refund refunds everything that was paid for an order: all periods of a subscription, or, if the reference
	// has only an invoice, that invoice. It refunds the first period last, and only if all others were
	// refunded. With an amount, it refunds that part of the payment in the reference. Further calls for the same
	// order, or the same part, refund nothing more. It returns the credit notes that were made of invoices, also to
	// further calls. The error is ErrRefused if the provider will not refund.
	Refund(ctx context.Context, r Refund) ([]CreditNote, error)

	// End ends the subscription, so that nothing more is charged. It returns nil if the subscription
	// has ended already or does not exist.
	End(ctx context.Context, r Reference) error

	// EndLater lets the subscription end with the period that is paid. It returns when the provider took
	// note, by the clock of its events; zero if it does not say. It may be repeated. The error is ErrRefused
	// if there is no such subscription, or not any more; any other is an outage.
	EndLater(ctx context.Context, r Reference) (time.Time, error)

	// OpenPortal opens a page where the customer of a payment changes how it is paid, sees invoices and ends
	// subscriptions. The page leads back to the given address. The error is ErrRefused if nobody is known as the
	// customer; any other is an outage.
	OpenPortal(ctx context.Context, r Reference, back string) (url string, err error)

	// Collect collects the payment of the invoice of a Billed event now; the provider would do so by
	// itself, but later. Further calls for the same invoice collect nothing more.
	Collect(ctx context.Context, r Reference) error

	// Cancel closes the page, so that nothing can be paid there any more. It returns nil if the page is
	// closed already or does not exist. The error is ErrRefused if the buyer has completed the page; any
	// other is an outage.
	Cancel(ctx context.Context, r Reference) error

	// LookUp asks what happened on the page of a payment, and returns the event that a webhook would
	// have reported: Paid, Failed, or Unrelated if the outcome is open. The same answer has the same ID;
	// OrderID and At may be missing. Without a page it asks about the invoice of a change of plan: Adjusted,
	// AdjustmentFailed or Unrelated. The error is ErrRefused if there is no such page or invoice; any other is
	// an outage.
	LookUp(ctx context.Context, r Reference) (Event, error)

	// Event reads what was delivered to the webhook. The error is ErrForged unless the provider signed
	// exactly this payload, and recently. Event may query the provider; any other error asks for the
	// delivery to be repeated.
	Event(ctx context.Context, payload []byte, signature string) (Event, error)
}

// Errors of providers. They are matched with errors.Is.
var (
	ErrRefused = errors.New("payment: refused")
	ErrForged  = errors.New("payment: not signed by the provider")
)

// Test is the provider of STOA_PAYMENTS=test: every charge is paid at once, whatever the method, and no
// money moves (contract 3.4).
type Test struct{ inert }

// Name implements Provider.
func (Test) Name() string { return "test" }

// Mode implements Provider.
func (Test) Mode() Mode { return Instant }

// None is the provider of STOA_PAYMENTS=live as long as no provider is configured.
type None struct{ inert }

// Name implements Provider.
func (None) Name() string { return "" }

// Mode implements Provider.
func (None) Mode() Mode { return Closed }

// inert implements the methods that only Hosted providers need.
type inert struct{}

func (inert) Begin(context.Context, Charge) (Checkout, error) { return Checkout{}, ErrRefused }

func (inert) Refund(context.Context, Refund) ([]CreditNote, error) { return nil, nil }

func (inert) End(context.Context, Reference) error { return nil }

func (inert) EndLater(context.Context, Reference) (time.Time, error) { return time.Time{}, nil }

func (inert) OpenPortal(context.Context, Reference, string) (string, error) { return "", ErrRefused }

func (inert) Collect(context.Context, Reference) error { return ErrRefused }

func (inert) Cancel(context.Context, Reference) error { return nil }

func (inert) LookUp(context.Context, Reference) (Event, error) { return Event{}, nil }

func (inert) Event(context.Context, []byte, string) (Event, error) { return Event{}, ErrForged }
