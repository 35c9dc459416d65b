package product

import "stoa/internal/errs"

// ErrNotFound is returned for a slug or id that no product has, or none that may be seen.
var ErrNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such product.")
