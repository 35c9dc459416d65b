package extension

import "stoa/internal/base/errs"

// ErrLicenseLapsed is returned for the upgrade of a package whose license has lapsed, and for the activation of
// such a theme (contract 9.7).
var ErrLicenseLapsed = errs.New(errs.Forbidden, "LICENSE_REFUSED",
	"The license of the package has lapsed. Renew it, or enter another key, first.").With("reason", "lapsed")
