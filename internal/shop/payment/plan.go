package payment

import (
	"context"
	"time"
)

// Plan is what a subscription is changed to.
type Plan struct {
	OrderID  string // of the change: makes repeated requests one
	Minor    int64  // price of a period in the currency's minor unit
	Exponent int    // decimals of that unit (ISO 4217)
	Currency string // ISO 4217, upper case
	Name     string // of what is bought
	Months   int    // the time between two payments

	// Later lets the plan begin with the next period, without proration. Otherwise it begins at once, and the
	// rest of the period is prorated by the second.
	Later bool
	// At is the time for which a preview and its change are computed, so that both come to the same. Zero: now.
	At time.Time
}

// Proration is what a change at once costs.
type Proration struct {
	// Due is what is to be paid now, and Credit what the unused rest of the period gives, in the currency's minor
	// unit with Exponent decimals.
	Due, Credit int64
	Exponent    int
	Currency    string
	Until       time.Time // end of the period that is paid then. Zero if unknown
}

// Changed is what a change came to.
type Changed struct {
	Invoice string // of the proration. Empty if nothing was due
	Paid    bool
	URL     string // where the buyer pays the invoice. Empty if it is Paid

	// Minor and Currency, with Exponent decimals, are the amount of Invoice.
	Minor    int64
	Exponent int
	Currency string

	Until time.Time // end of the current period. Zero if unknown
}

// Planner changes the plans of subscriptions.
type Planner interface {
	// PreviewPlan returns what ChangePlan would cost. It changes nothing. The error is ErrRefused if there is no
	// such subscription, or if it cannot be changed like that; any other is an outage.
	PreviewPlan(ctx context.Context, r Reference, p Plan) (Proration, error)

	// ChangePlan changes the plan of the subscription. What is due is collected at once. If that fails, the plan
	// stays as it is until the buyer pays at the URL: an Adjusted event reports that, and an AdjustmentFailed one
	// that the time to pay is over. For at least a day, further calls for the same order change nothing more and
	// return the same. The errors are those of PreviewPlan.
	ChangePlan(ctx context.Context, r Reference, p Plan) (Changed, error)
}

func (inert) PreviewPlan(context.Context, Reference, Plan) (Proration, error) {
	return Proration{}, ErrRefused
}

func (inert) ChangePlan(context.Context, Reference, Plan) (Changed, error) {
	return Changed{}, ErrRefused
}
