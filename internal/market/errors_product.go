package market

import "stoa/internal/errs"

// ErrProductNotFound is returned for a slug or id that no product has, or none that may be seen.
var ErrProductNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such product.")
