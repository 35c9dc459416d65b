// Package payment is how purchases are paid: one interface, and the providers
// behind it. It knows amounts and order ids; products and licences belong to
// package market.
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
	Closed  Mode = iota // not at all
	Instant             // every charge is paid as soon as it is ordered, without Begin
	Hosted              // on a page of the provider's, which Begin opens
)

// Charge is what is to be paid.
type Charge struct {
	OrderID  string
	Method   string // as the buyer named it
	Minor    int64  // amount in the currency's minor unit
	Exponent int    // decimals of that unit (ISO 4217)
	Currency string // ISO 4217, upper case
	Name     string // what is bought, to show
	Email    string // the buyer's, to fill in. Empty if not known

	// Months is how many months pass between payments. Zero if it is paid once.
	Months int
}

// Page is where a buyer pays.
type Page struct {
	Session string // the provider's id of it
	URL     string
}

// Reference is what a provider calls the parts of a payment. Parts that it does
// not know yet, or that do not exist, are empty.
type Reference struct {
	Session      string // the page
	Payment      string // the payment that settled the order
	Invoice      string // of that payment, with a subscription
	Subscription string
}

// EventKind is what an event means for the order.
type EventKind int

// The kinds of events.
const (
	Unrelated      EventKind = iota // nothing to do: of another kind, or not about an order
	Paid                            // the order's payment is made
	Failed                          // it will not be made: the page expired, or the bank refused later
	Refunded                        // all of it was given back
	Renewed                         // a further term of a subscription is paid
	Billed                          // a further term of a subscription is to be paid, which Collect hastens
	Bounced                         // what was given back did not arrive
	PartlyRefunded                  // a part of it was given back
)

// Event is what a provider told, once it is known to come from the provider.
type Event struct {
	ID   string // the same for every delivery of it
	Type string // in the provider's words
	Kind EventKind
	At   time.Time // when it happened

	// OrderID is the order it is about. If it is empty, Reference tells the
	// subscription or payment by which to find the order.
	OrderID   string
	Reference Reference

	// Minor and Currency are what was paid, of a Paid event, or all that was given back
	// so far, of a PartlyRefunded one, with Exponent decimals.
	Minor    int64
	Exponent int
	Currency string

	// Until is the end of the term that a Renewed event is about. Zero if not known.
	Until time.Time

	// Note is what the operator should know of an Unrelated event. Empty if nothing.
	Note string
}

// Provider takes payments. Implementations are safe for concurrent use.
type Provider interface {
	// Name is what orders remember the provider by: "stripe".
	Name() string

	// Mode returns how it takes payments, always the same. Only a Hosted provider's
	// other methods are called.
	Mode() Mode

	// Begin opens the page where a charge is paid. Called again for the same order
	// it returns the same page for at least a day. It returns an error that is
	// ErrRefused if this charge can never be taken, and any other for an outage.
	Begin(ctx context.Context, c Charge) (Page, error)

	// Refund gives back everything that was paid for an order: of a subscription all
	// periods, or where r names only an invoice, that one. The first period is the
	// last to be given back, and only if all others were. Called again for the same
	// order it gives back nothing more. It returns an error that is ErrRefused if the
	// provider will not do it.
	Refund(ctx context.Context, orderID string, r Reference) error

	// End ends the subscription, so that nothing more is charged. One that has ended
	// or does not exist is not an error.
	End(ctx context.Context, r Reference) error

	// Collect has the invoice paid now that a Billed event told of, which the
	// provider would do by itself, but later. Called again for the same invoice it
	// collects nothing more.
	Collect(ctx context.Context, r Reference) error

	// Cancel closes the page, so that nothing can be paid any more. A page that is
	// closed already, or that there is none of, is not an error. It returns an error
	// that is ErrRefused for one that was completed, and any other for an outage.
	Cancel(ctx context.Context, r Reference) error

	// Look looks at the page of a payment, and returns the event that a webhook
	// about it would have told: Paid, Failed, or Unrelated while it is not known yet.
	// Its ID is the same whenever the answer is; OrderID and At may be missing. It
	// returns an error that is ErrRefused if there is no such page, and any other for
	// an outage.
	Look(ctx context.Context, r Reference) (Event, error)

	// Event reads what was delivered to the webhook. It returns an error that is
	// ErrForged unless the provider signed exactly this payload, and not long ago.
	// It may ask the provider for more; any other error asks for the delivery to be
	// repeated.
	Event(ctx context.Context, payload []byte, signature string) (Event, error)
}

// Errors of providers.
var (
	ErrRefused = errors.New("payment: refused")
	ErrForged  = errors.New("payment: not signed by the provider")
)

// Test is the provider of STOA_PAYMENTS=test: every charge is paid at once,
// whatever the method, and no money moves (CONTRACT 3).
type Test struct{ none }

// Name implements Provider.
func (Test) Name() string { return "test" }

// Mode implements Provider.
func (Test) Mode() Mode { return Instant }

// None is the provider of STOA_PAYMENTS=live while none is configured.
type None struct{ none }

// Name implements Provider.
func (None) Name() string { return "" }

// Mode implements Provider.
func (None) Mode() Mode { return Closed }

// none is what a provider without a page does: nothing.
type none struct{}

func (none) Begin(context.Context, Charge) (Page, error) { return Page{}, ErrRefused }

func (none) Refund(context.Context, string, Reference) error { return nil }

func (none) End(context.Context, Reference) error { return nil }

func (none) Collect(context.Context, Reference) error { return ErrRefused }

func (none) Cancel(context.Context, Reference) error { return nil }

func (none) Look(context.Context, Reference) (Event, error) { return Event{}, nil }

func (none) Event(context.Context, []byte, string) (Event, error) { return Event{}, ErrForged }
