package release

import "stoa/internal/base/errs"

// Errors of Service.
var (
	ErrNoPackage = errs.New(errs.NotFound, "NOT_FOUND", "The product carries no package.")
	ErrNoVersion = errs.New(errs.NotFound, "NOT_FOUND", "The product carries no such version of a package.")
	// ErrLicense has the reason in its details, as verify gives it: not_found, revoked,
	// expired or unpaid.
	ErrLicense = errs.New(errs.Forbidden, "LICENSE_REFUSED",
		"The license key does not allow to install this product. details.reason tells why.")
	ErrVersion = errs.New(errs.Conflict, "VERSION_CONFLICT",
		"The product carries this version of the package with other contents. Increase the version.")
	ErrOtherPackage = errs.New(errs.Conflict, "CONFLICT",
		"The product carries another package. A product has one: all its versions have the same kind and slug.")
	ErrOtherProduct = errs.New(errs.Conflict, "CONFLICT",
		"Another product carries the package with this kind and slug.")
)
