package review

import "stoa/internal/base/errs"

// Errors of Service.
var (
	ErrNotABuyer = errs.New(errs.Forbidden, "FORBIDDEN", "Only holders of a paid license can review the product.")
	ErrNotFound  = errs.New(errs.NotFound, "NOT_FOUND", "There is no such review.")
	ErrHidden    = errs.New(errs.Conflict, "CONFLICT", "The shop has hidden this review. Ask the shop to delete it.")
)
