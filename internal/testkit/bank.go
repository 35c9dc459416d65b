package testkit

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/shop/payment"
)

// Bank is a payment provider with a payment page. It records its calls.
type Bank struct {
	mu       sync.Mutex
	fails    error // result of every call
	charges  []payment.Charge
	refunded []string // order ids
	lookUps  int
	sees     payment.Event // what LookUp returns
}

// NewBankShop starts an App with Catalog that takes payments with a Bank.
func NewBankShop(tb testing.TB, options ...Option) (*App, *Bank) {
	tb.Helper()
	b := new(Bank)
	return NewShop(tb, append(options, func(_ testing.TB, cfg *app.Config) { cfg.Provider = b })...), b
}

// Fail makes every call to the bank fail with err. nil makes them succeed again.
func (b *Bank) Fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails = err
}

// Show makes LookUp return e.
func (b *Bank) Show(e payment.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sees = e
}

// Charges returns the payments that the bank was asked to begin.
func (b *Bank) Charges() []payment.Charge {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.charges)
}

// Refunded returns the ids of the orders that the bank was asked to refund.
func (b *Bank) Refunded() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.refunded)
}

// LookUps returns how often LookUp was called.
func (b *Bank) LookUps() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lookUps
}

// Name implements payment.Provider, as do all methods below.
func (b *Bank) Name() string { return "bank" }

// Mode is documented with Name.
func (b *Bank) Mode() payment.Mode { return payment.Hosted }

// Begin is documented with Name.
func (b *Bank) Begin(_ context.Context, c payment.Charge) (payment.Checkout, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.charges = append(b.charges, c)
	return payment.Checkout{Session: "session-" + c.OrderID, URL: "https://bank.example/pay/" + c.OrderID}, b.fails
}

// Refund is documented with Name.
func (b *Bank) Refund(_ context.Context, r payment.Refund) ([]payment.CreditNote, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refunded = append(b.refunded, r.OrderID)
	return nil, b.fails
}

// End is documented with Name.
func (b *Bank) End(context.Context, payment.Reference) error { return nil }

// EndLater is documented with Name.
func (b *Bank) EndLater(context.Context, payment.Reference) (time.Time, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Time{}, b.fails
}

// PreviewPlan is documented with Name.
func (b *Bank) PreviewPlan(context.Context, payment.Reference, payment.Plan) (payment.Proration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return payment.Proration{}, b.fails
}

// ChangePlan is documented with Name.
func (b *Bank) ChangePlan(context.Context, payment.Reference, payment.Plan) (payment.Changed, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return payment.Changed{Paid: true}, b.fails
}

// OpenPortal is documented with Name.
func (b *Bank) OpenPortal(_ context.Context, r payment.Reference, back string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return "https://bank.example/manage?back=" + back, b.fails
}

// Collect is documented with Name.
func (b *Bank) Collect(context.Context, payment.Reference) error { return nil }

// Cancel is documented with Name.
func (b *Bank) Cancel(context.Context, payment.Reference) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fails
}

// LookUp is documented with Name.
func (b *Bank) LookUp(context.Context, payment.Reference) (payment.Event, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lookUps++
	return b.sees, b.fails
}

// Event is documented with Name.
func (b *Bank) Event(context.Context, []byte, string) (payment.Event, error) {
	return payment.Event{}, payment.ErrForged
}
