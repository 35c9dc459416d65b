package license

import "stoa/internal/errs"

const codeActivationFailed = "ACTIVATION_FAILED" // spec A, Errors

// Errors of Service.
var (
	// ErrUnusable is one error on purpose: who does not hold a good key
	// learns nothing about the others.
	ErrUnusable           = errs.New(errs.Invalid, codeActivationFailed, "The license key is invalid or expired.")
	ErrTooManyInstances   = errs.New(errs.Invalid, codeActivationFailed, "The license has reached its maximum number of instances.")
	ErrTooManyDevelopment = errs.New(errs.Invalid, codeActivationFailed, "The license has reached its maximum number of development instances, %d per seat. Deactivate some.", developmentPerSeat)
	// ErrChurn is answered to new instances only. Who has a seat keeps it.
	ErrChurn = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED", "The license was moved to new instances too often. Wait as long as Retry-After says; instances that are activated go on working.")
	// ErrKeyUnknown is what deactivating answers, which an expired licence does not
	// stand in the way of.
	ErrKeyUnknown   = errs.New(errs.Invalid, codeActivationFailed, "The license key is invalid.")
	ErrNotActivated = errs.New(errs.NotFound, "NOT_FOUND", "The licence is not activated for this instance.")
	ErrNotFound     = errs.New(errs.NotFound, "NOT_FOUND", "There is no such licence.")
	ErrStale        = errs.New(errs.Stale, "PRECONDITION_FAILED", "The licence was changed in the meantime. Read it again and repeat the change.")
	ErrRevoked      = errs.New(errs.Conflict, "CONFLICT", "The licence is revoked, which is final.")
	ErrNoTerm       = errs.New(errs.Conflict, "CONFLICT", "The licence has no billing period that could be renewed. Set its expiresAt instead.")
)
