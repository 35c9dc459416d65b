package license

import "stoa/internal/base/errs"

const codeActivationFailed = "ACTIVATION_FAILED" // contract 3.9

// Errors of Service.
var (
	// ErrUnusable is one error on purpose: without a good key, a caller learns nothing about the
	// licenses of others.
	ErrUnusable = errs.New(errs.Invalid, codeActivationFailed, "The license key is invalid or expired.")

	ErrTooManyInstances = errs.New(errs.Invalid, codeActivationFailed,
		"The license has reached its maximum number of instances.")
	ErrTooManyDevelopment = errs.New(errs.Invalid, codeActivationFailed,
		"The license has reached its maximum number of development instances, %d per seat. Deactivate some.",
		developmentPerSeat)

	// ErrChurn is returned to new instances only: an activated instance keeps its seat.
	ErrChurn = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED", "The license was moved to new instances too often. "+
		"Wait as long as Retry-After says; activated instances keep working.")

	// ErrTrialUsed is returned to trials only.
	ErrTrialUsed = errs.New(errs.Invalid, codeActivationFailed,
		"This product was tried here with another license. Buy a license to go on.").With("reason", "trial_used")

	// ErrKeyUnknown is what Deactivate returns where Activate returns ErrUnusable: an expired license
	// can be deactivated.
	ErrKeyUnknown   = errs.New(errs.Invalid, codeActivationFailed, "The license key is invalid.")
	ErrNotActivated = errs.New(errs.NotFound, "NOT_FOUND", "The license is not activated for this instance.")

	ErrNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such license.")
	ErrStale    = errs.New(errs.Stale, "PRECONDITION_FAILED",
		"The license was changed in the meantime. Read it again and repeat the change.")
	ErrRevoked = errs.New(errs.Conflict, "CONFLICT", "The license is revoked, which is final.")
	ErrNoTerm  = errs.New(errs.Conflict, "CONFLICT",
		"The license has no billing period to renew. Set its expiresAt instead.")
)
