package order

import "stoa/internal/base/errs"

const codePurchaseFailed = "PURCHASE_FAILED" // contract 3.3

// Errors of purchases.
var (
	ErrNotForSale   = errs.New(errs.Invalid, codePurchaseFailed, "There is no such product.")
	ErrTierNotFound = errs.New(errs.Invalid, codePurchaseFailed,
		"The product has no such pricing tier. GET the product for its pricingTiers.")
	ErrPaymentNotTaken = errs.New(errs.Invalid, codePurchaseFailed,
		"This shop takes no payments at the moment: it is set to live payments and has no payment provider. "+
			"Free tiers can be ordered.")

	// ErrPaymentRefused and ErrPaymentUnreachable mean that a payment could not begin: for good, or at
	// the moment.
	ErrPaymentRefused = errs.New(errs.Invalid, codePurchaseFailed,
		"The payment provider refuses this payment. The order is cancelled and nothing was paid.")
	ErrPaymentUnreachable = errs.New(errs.Unreachable, codePurchaseFailed,
		"The payment provider cannot be reached at the moment. Nothing was paid; try again.")

	ErrCancelled = errs.New(errs.Invalid, codePurchaseFailed, "This order was cancelled. Order again.")
	ErrIDTaken   = errs.New(errs.Conflict, "CONFLICT", "There is another order with this id.")
)

// Errors of trials, and of the further orders of a license.
var (
	ErrNoTrial = errs.New(errs.Invalid, codePurchaseFailed,
		"The product has no such pricing tier, or it cannot be tried. "+
			"GET the product for its pricingTiers and their trialDays.")
	ErrTrialUsed = errs.New(errs.Conflict, "TRIAL_USED",
		"This product was tried already. Each customer tries a product once.")
	ErrNotTrial = errs.New(errs.Invalid, codePurchaseFailed,
		"licenseKey must be the key of a trial of this product, which nobody else has "+
			"and which was neither bought nor revoked.")
	ErrBeingBought = errs.New(errs.Conflict, "CONFLICT",
		"Another order of this license is not finished yet. Pay it, or wait until it is cancelled.")
	ErrPlanned = errs.New(errs.Conflict, "CONFLICT",
		"Another change of this license begins with its next period. To take that back, change to the tier it has now.")
	ErrCollected = errs.New(errs.Conflict, "CONFLICT",
		"The first period of the plan that you chose is billed and not paid yet. Change again when it is paid.")
	ErrSeatsInUse = errs.New(errs.Conflict, "SEATS_IN_USE",
		"More instances use the license than the tier allows. Deactivate some first.")
)

// Errors of purchases for a Handoff.
var (
	ErrHandoffUnknown = errs.New(errs.NotFound, "NOT_FOUND", "There is no such handoff.")
	ErrHandoffOver    = errs.New(errs.Gone, "HANDOFF_EXPIRED",
		"This handoff is over. Begin again on the stoa that the license is for.")
	ErrHandoffTaken = errs.New(errs.Conflict, "CONFLICT", "There is an order for this handoff already.")
	ErrHandoffOther = errs.New(errs.Invalid, codePurchaseFailed, "The handoff is for another product or tier.")
	ErrHandoffTrial = errs.New(errs.Invalid, codePurchaseFailed,
		"The trial that the handoff is for is somebody else's, or was bought or revoked in the meantime.")
)

// Errors of refunds and cancellations.
var (
	ErrNotFound       = errs.New(errs.NotFound, "NOT_FOUND", "There is no such order.")
	ErrNotRefundable  = errs.New(errs.Conflict, "CONFLICT", "Only a paid order can be refunded.")
	ErrNotCancellable = errs.New(errs.Conflict, "CONFLICT", "Only a pending order can be cancelled. Refund a paid one.")
	ErrBeingPaid      = errs.New(errs.Conflict, "CONFLICT",
		"The order has just been paid. Refund it once its status is paid.")
	ErrRefundRefused = errs.New(errs.Conflict, "CONFLICT",
		"The payment provider refuses to refund this payment. Look at it in the provider's dashboard.")
	ErrPaidAhead = errs.New(errs.Conflict, "CONFLICT", "Periods of this license are paid ahead. "+
		"End its subscription first: then the plan can be changed at once.")
	ErrOtherProvider = errs.New(errs.Conflict, "CONFLICT",
		"The order's payment belongs to a payment provider that is not configured at the moment.")
	ErrRefundWaits = errs.New(errs.Unreachable, "PAYMENT_UNREACHABLE",
		"The payment provider cannot be reached at the moment. The refund is kept, and is tried again without being asked.")
	ErrProviderUnreachable = errs.New(errs.Unreachable, "PAYMENT_UNREACHABLE",
		"The payment provider cannot be reached at the moment. Nothing was changed; try again.")
)

// Errors of EndSubscription.
var (
	ErrNoSubscription = errs.New(errs.Conflict, "CONFLICT",
		"This order has no subscription: it is free, or it is paid only once. There is nothing to end.")
	ErrSubscriptionUnpaid = errs.New(errs.Conflict, "CONFLICT",
		"This order is not paid, so its subscription has not begun. There is nothing to end.")
	ErrSubscriptionOver = errs.New(errs.Conflict, "CONFLICT", "This subscription has ended already.")
	ErrEndRefused       = errs.New(errs.Conflict, "CONFLICT",
		"The payment provider does not know this subscription, or not any more. Ask the shop.")
)

// ErrNoCustomer is of OpenPortal.
var ErrNoCustomer = errs.New(errs.Conflict, "CONFLICT",
	"There is nothing to manage about the payment of this order: it is free or not paid, or its payment has no customer "+
		"at the payment provider.")

// Errors of webhooks.
var (
	ErrNoProvider = errs.New(errs.NotFound, "NOT_FOUND", "This shop takes no payments through this provider.")
	ErrNotSigned  = errs.Malformed(errs.CodeBadSignature,
		"The webhook is not signed with the configured secret, or was signed more than five minutes before or after now.")
)

// ErrClaimToken is returned for every token that claims nothing: unknown, expired, used, or another
// user's.
var ErrClaimToken = errs.New(errs.Invalid, "INVALID_CLAIM_TOKEN",
	"This token does not work, or not any more. Ask for a new mail.")
