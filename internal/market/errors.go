package market

import "stoa/internal/errs"

// Errors returned by Service. Two situations share a code when the
// specification gives both the same one.
var (
	ErrProductNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such product.")

	ErrNotABuyer       = errs.New(errs.Forbidden, "FORBIDDEN", "Only who holds a paid license of the product can review it.")
	ErrReviewNotFound  = errs.New(errs.NotFound, "NOT_FOUND", "There is no such review.")
	ErrReviewHidden    = errs.New(errs.Conflict, "CONFLICT", "The shop has hidden this review. Ask the shop to delete it.")
	ErrSlugTaken       = errs.New(errs.Conflict, "CONFLICT", "There is a product with this slug already.")
	ErrProductSold     = errs.New(errs.Conflict, "CONFLICT", "The product has been sold, so that licences depend on it. Set published to false to take it off the shelf.")
	ErrProductStale    = errs.New(errs.Stale, "PRECONDITION_FAILED", "The product was changed in the meantime. Read it again and repeat the change.")
	ErrExportTooLarge  = errs.New(errs.Conflict, "CONFLICT", "The catalogue would have more than %d MiB, which is what an import takes. Nothing was written, for it could not be read back. Keep a copy of the database instead.", MaxCatalog>>20)
	ErrPictureTooLarge = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The picture is larger than 2 MiB.")

	ErrNotForSale      = errs.New(errs.Invalid, codePurchaseFailed, "There is no such product.")
	ErrTierNotFound    = errs.New(errs.Invalid, codePurchaseFailed, "The product has no such pricing tier. GET the product for its pricingTiers.")
	ErrPaymentNotTaken = errs.New(errs.Invalid, codePurchaseFailed, "This shop takes no payments at the moment: it is set to live payments and has no payment provider. Free tiers can be ordered.")

	// ErrPaymentRefused and ErrPaymentUnreachable say that a payment could not begin:
	// for good, or at the moment.
	ErrPaymentRefused     = errs.New(errs.Invalid, codePurchaseFailed, "The payment provider does not take this payment. The order is cancelled and nothing was paid.")
	ErrPaymentUnreachable = errs.New(errs.Unreachable, codePurchaseFailed, "The payment provider cannot be reached at the moment. Nothing was paid; try again.")
	ErrOrderCancelled     = errs.New(errs.Invalid, codePurchaseFailed, "This order was cancelled. Order again.")
	ErrOrderNotFound      = errs.New(errs.NotFound, "NOT_FOUND", "There is no such order.")
	ErrOrderTaken         = errs.New(errs.Conflict, "CONFLICT", "There is another order with this id.")

	// Errors of managing orders.
	ErrNotRefundable       = errs.New(errs.Conflict, "CONFLICT", "Only a paid order can be refunded.")
	ErrNotCancellable      = errs.New(errs.Conflict, "CONFLICT", "Only a pending order can be cancelled. Refund a paid one.")
	ErrBeingPaid           = errs.New(errs.Conflict, "CONFLICT", "The order has just been paid. Refund it once it is noted as paid.")
	ErrRefundRefused       = errs.New(errs.Conflict, "CONFLICT", "The payment provider refuses to refund this payment. Look at it in the provider's dashboard.")
	ErrOtherProvider       = errs.New(errs.Conflict, "CONFLICT", "The order's payment belongs to a payment provider that is not configured at the moment.")
	ErrProviderUnreachable = errs.New(errs.Unreachable, "PAYMENT_UNREACHABLE", "The payment provider cannot be reached at the moment. Nothing was changed; try again.")

	// Errors of webhooks.
	ErrNoProvider = errs.New(errs.NotFound, "NOT_FOUND", "This shop takes no payments through this provider.")
	ErrNotSigned  = errs.Malformed("bad_signature", "The webhook is not signed with the configured secret, or was signed more than five minutes ago.")

	// ErrLicenseUnusable is one error on purpose: who does not hold a good key
	// learns nothing about the others.
	ErrLicenseUnusable  = errs.New(errs.Invalid, codeActivationFailed, "The license key is invalid or expired.")
	ErrTooManyInstances = errs.New(errs.Invalid, codeActivationFailed, "The license has reached its maximum number of instances.")

	ErrTooManyDevelopment = errs.New(errs.Invalid, codeActivationFailed, "The license has reached its maximum number of development instances, %d. Deactivate some.", maxDevelopment)

	// ErrChurn is answered to new instances only. Who has a seat keeps it.
	ErrChurn = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED", "The license was moved to new instances too often. Wait as long as Retry-After says; instances that are activated go on working.")

	// ErrKeyUnknown is what deactivating answers, which an expired licence does not
	// stand in the way of.
	ErrKeyUnknown = errs.New(errs.Invalid, codeActivationFailed, "The license key is invalid.")

	ErrNotActivated    = errs.New(errs.NotFound, "NOT_FOUND", "The licence is not activated for this instance.")
	ErrLicenseNotFound = errs.New(errs.NotFound, "NOT_FOUND", "There is no such licence.")
	ErrLicenseStale    = errs.New(errs.Stale, "PRECONDITION_FAILED", "The licence was changed in the meantime. Read it again and repeat the change.")
	ErrLicenseRevoked  = errs.New(errs.Conflict, "CONFLICT", "The licence is revoked, which is final.")
	ErrNoTerm          = errs.New(errs.Conflict, "CONFLICT", "The licence has no billing period that could be renewed. Set its expiresAt instead.")
)

// Codes of spec A.
const (
	codePurchaseFailed   = "PURCHASE_FAILED"
	codeActivationFailed = "ACTIVATION_FAILED"
)
