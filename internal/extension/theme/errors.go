package theme

import "stoa/internal/base/errs"

// Errors returned by Service.
var (
	ErrTarget     = errs.New(errs.NotFound, "NOT_FOUND", "There is no such target. Themes are for shop or admin.")
	ErrNotFound   = errs.New(errs.NotFound, "NOT_FOUND", "Theme not found.")
	ErrNoVersion  = errs.New(errs.NotFound, "NOT_FOUND", "This version of the theme is not installed.")
	ErrActive     = errs.New(errs.Conflict, "THEME_ACTIVE", "The theme is active. Activate another one, or deactivate it.")
	ErrNoPrevious = errs.New(errs.Conflict, "NO_PREVIOUS_THEME", "There is no theme to return to.")

	ErrUnhealthy = errs.New(errs.Unprocessable, "THEME_UNHEALTHY",
		"The theme app did not get healthy, so nothing was changed. details.reason says why.")
	ErrConflict = errs.New(errs.Conflict, "CONFLICT", "The theme was changed by somebody else meanwhile. Try again.")

	ErrVersionConflict = errs.New(errs.Conflict, "VERSION_CONFLICT",
		"This version of the theme is installed with different contents. Give it another version, "+
			"or replace it with ?replace=true while developing.")
	errMeanwhile = errs.New(errs.Conflict, "CONFLICT",
		"The theme was changed at the same moment. Read it again and repeat the request.")
	ErrKindConflict = errs.New(errs.Conflict, "CONFLICT",
		"A theme of another kind has this slug for the same target. Give the theme another slug.")
)
