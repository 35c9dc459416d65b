package discount

import (
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
)

// Reason is why a code was refused: details.reason of DISCOUNT_REFUSED. Of several the first counts, in this
// order.
type Reason string

// The reasons.
const (
	NotFound      Reason = "not_found"      // unknown, malformed or switched off
	NotApplicable Reason = "not_applicable" // another product, tier or currency; or free
	NotStarted    Reason = "not_started"
	Expired       Reason = "expired"
	UsedUp        Reason = "used_up"
	EmailRequired Reason = "email_required" // once per customer, and the buyer is nobody
	AlreadyUsed   Reason = "already_used"
)

// messages are what buyers are told.
var messages = map[Reason]string{
	NotFound:      "There is no such discount code.",
	NotApplicable: "This discount code is not for this purchase.",
	NotStarted:    "This discount code does not hold yet.",
	Expired:       "This discount code holds no more.",
	UsedUp:        "This discount code was used as often as it may be.",
	EmailRequired: "This discount code holds once for each customer. " +
		"Sign in, or give one e-mail address in billingInfo.email.",
	AlreadyUsed: "This discount code holds once for each customer, and you have used it.",
}

// Refused returns the error of a code that is refused for that reason. It is ErrRefused.
func Refused(why Reason) error {
	refused := ErrRefused.With("reason", why)
	refused.Message = messages[why]
	return refused
}

// ErrRefused is the error of every code that is refused.
var ErrRefused = errs.New(errs.Invalid, "DISCOUNT_REFUSED", "The discount code is refused.")

// Errors of the administration.
var (
	ErrNotFound  = errs.New(errs.NotFound, "NOT_FOUND", "There is no such discount.")
	ErrCodeTaken = errs.New(errs.Conflict, "CONFLICT", "There is a discount with this code already.")
	ErrCodeFixed = errs.New(errs.Conflict, "CONFLICT",
		"Orders name this code, so it cannot change any more. Make another discount, and switch this one off.")
	ErrUsed = errs.New(errs.Conflict, "CONFLICT",
		"Orders used this code, so the discount cannot be deleted. Switch it off with active: false.")
	ErrStale = errs.New(errs.Stale, "PRECONDITION_FAILED",
		"The discount was changed in the meantime. Read it again and repeat the change.")
)

// refusal returns why the code does not hold for a tier of a product now, or "".
func (d *Discount) refusal(slug string, t product.Tier, now time.Time) Reason {
	switch {
	case !d.Active:
		return NotFound
	case !d.appliesTo(slug, t):
		return NotApplicable
	case now.Before(d.StartsAt):
		return NotStarted
	case !d.EndsAt.IsZero() && !now.Before(d.EndsAt):
		return Expired
	case d.usedUp():
		return UsedUp
	}
	return ""
}
