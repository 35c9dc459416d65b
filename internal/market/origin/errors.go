package origin

import "stoa/internal/base/errs"

// Errors of Service.
var (
	ErrNoFile = errs.New(errs.NotFound, "NOT_FOUND", "The market has no such file.")
	ErrMarket = errs.New(errs.Conflict, "CONFLICT", "There is a market already.")
	ErrNone   = errs.New(errs.NotFound, "NOT_FOUND", "There is no market yet: stoa market init makes one.")
	// ErrKey says that the key that signs is not one that the root names.
	ErrKey = errs.New(errs.Conflict, "CONFLICT",
		"The root of the market does not name this key. Renew it with stoa market root renew.")
	// ErrFull says that metadata would be larger than other stoas read. Its details have the role.
	ErrFull = errs.New(errs.Conflict, "CONFLICT",
		"The market has no room for this: its metadata would be larger than other stoas read. Withdraw old versions.")
	ErrRootKeys = errs.New(errs.Invalid, "VALIDATION_ERROR", "These are not enough of the keys that the root names.")
)
