package plan

import "stoa/internal/base/errs"

const codeConflict = "CONFLICT"

// Refusals of changes and renewals.
var (
	ErrRevoked = errs.New(errs.Conflict, codeConflict, "This license was revoked. Buy a new one.")
	ErrUnpaid  = errs.New(errs.Conflict, codeConflict, "This license is not paid yet. Pay its order first.")
	ErrTrial   = errs.New(errs.Conflict, codeConflict, "This license is a trial. Buy it with its licenseKey.")

	ErrSameTier = errs.New(errs.Conflict, codeConflict, "The license has this tier.")
	ErrOtherWay = errs.New(errs.Conflict, codeConflict,
		"A license that is paid once cannot become a subscription, nor the other way round. Buy a new one.")
	ErrCheaper = errs.New(errs.Conflict, codeConflict,
		"This tier is cheaper than what the license was bought for. Ask the shop.")
	ErrOtherCurrency = errs.New(errs.Conflict, codeConflict,
		"This tier has another currency than the license was bought in. Ask the shop.")

	ErrPerpetual = errs.New(errs.Conflict, codeConflict, "This license does not end. There is nothing to renew.")
	ErrRenewed   = errs.New(errs.Conflict, codeConflict, "The payment provider renews this license by itself.")
)
