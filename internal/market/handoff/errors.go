package handoff

import "stoa/internal/base/errs"

// Errors of Service, besides those of package order.
var (
	ErrNoProduct = errs.New(errs.NotFound, "NOT_FOUND", "There is no such product for sale.")
	ErrNoTier    = errs.New(errs.NotFound, "NOT_FOUND", "The product has no such pricing tier.")
	// ErrSecret says nothing of the handoff but that it exists.
	ErrSecret = errs.New(errs.Forbidden, "FORBIDDEN", "This is not the secret of the handoff.")
)
