package review

import "stoa/internal/errs"

// Errors of Service.
var (
	ErrNotABuyer = errs.New(errs.Forbidden, "FORBIDDEN", "Only who holds a paid license of the product can review it.")
	ErrNotFound  = errs.New(errs.NotFound, "NOT_FOUND", "There is no such review.")
	ErrHidden    = errs.New(errs.Conflict, "CONFLICT", "The shop has hidden this review. Ask the shop to delete it.")
)
