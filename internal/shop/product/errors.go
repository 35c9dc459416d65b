package product

import "stoa/internal/base/errs"

// ErrNotFound is returned for a slug or id without a product, and for a product that the caller may
// not see.
var ErrNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such product.")
