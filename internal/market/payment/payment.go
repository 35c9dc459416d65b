// Package payment is how purchases are paid: one interface, and the providers
// behind it. It knows amounts and order ids; products and licences belong to
// package market.
package payment

import (
	"context"
	"errors"
)

// Charge is what is to be paid.
type Charge struct {
	OrderID  string
	Method   string // as the buyer named it
	Minor    int64  // amount in the currency's minor unit
	Currency string // ISO 4217
}

// Outcome is what a provider made of a charge.
type Outcome struct {
	// Settled is true when the charge is paid already.
	Settled bool
	// URL is where the buyer pays. Empty if there is nothing to do.
	URL string
}

// Provider takes payments. Implementations are safe for concurrent use.
type Provider interface {
	// Begin starts the payment of a charge. It may be called again for the same
	// order. It returns ErrUnavailable if no payment can be taken at all.
	Begin(ctx context.Context, c Charge) (Outcome, error)
}

// ErrUnavailable says that no payment can be taken.
var ErrUnavailable = errors.New("payment: no payment provider is configured")

// Test is the provider of STOA_PAYMENTS=test: every charge is paid at once,
// whatever the method, and no money moves (CONTRACT 3).
type Test struct{}

// Begin implements Provider.
func (Test) Begin(context.Context, Charge) (Outcome, error) { return Outcome{Settled: true}, nil }

// None is the provider of STOA_PAYMENTS=live while none is configured.
type None struct{}

// Begin implements Provider. It always returns ErrUnavailable.
func (None) Begin(context.Context, Charge) (Outcome, error) { return Outcome{}, ErrUnavailable }
