package bundle

import "stoa/internal/base/errs"

// Errors returned by Service.
var (
	ErrNotFound        = errs.New(errs.NotFound, "NOT_FOUND", "Bundle not found.")
	ErrVersionConflict = errs.New(errs.Conflict, "VERSION_CONFLICT",
		"The same or a higher version of this bundle is installed with different contents. Increase the version.")
)
